import { createHash } from 'node:crypto';
import * as z from 'zod';
import { AGENT_NAME } from '../../domain/budget-change.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { budgetId, isId } from '../../domain/ids.ts';
import { formatMoney, type Micros, micros, parseAmount } from '../../domain/micros.ts';
import { REASON_LENGTH_MAX, recordLine } from '../../domain/outside-text.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { SuggestionRefused } from '../../engine/change/judge-suggestion.ts';
import { type SuggestionOrder, suggestChange, withdrawSuggestion } from '../../engine/change/suggest.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import type { ProposeOptions, WithdrawOptions } from './agents-command.ts';

/** With the exit code 1 for a refusal, which is an answer and no error. */
export async function runPropose(app: CommandApp<'all'>, options: ProposeOptions): Promise<number> {
  const order = orderIn(options);
  const suggested = await app.open((opened) => suggestChange(opened, order));
  if (suggested.kind === 'refused') return tellRefused(app, options.format, suggested, order.currency);
  const { proposal, isRepeated, notes } = suggested;
  for (const note of notes) app.log.warn(note);
  const json = { proposal: jsonObject(PROPOSAL_COLUMNS, proposal), repeated: isRepeated };
  const words = isRepeated ? `was suggested before and is ${proposal.state}` : 'awaits a person';
  const text = `${formatMoney(proposal.from, proposal.currency)} to ${formatMoney(proposal.to, proposal.currency)} ${words}: ${proposal.code}.`;
  app.output.stdout.write(jsonOrText(options.format, json, text));
  return EXIT.done;
}

export async function runWithdraw(app: CommandApp<'state'>, options: WithdrawOptions): Promise<number> {
  const { code, why = 'no reason given', format } = options;
  const by = { agent: nameIn(options.agent), why: recordLine(why).slice(0, REASON_LENGTH_MAX) };
  const done = await app.open((opened) => withdrawSuggestion(opened, code.trim().toUpperCase(), by));
  if (done.kind === 'refused') return tellRefused(app, format, done, '');
  const json = { proposal: jsonObject(PROPOSAL_COLUMNS, done.proposal) };
  app.output.stdout.write(jsonOrText(format, json, `Suggestion ${done.proposal.code} is withdrawn.`));
  return EXIT.done;
}

function tellRefused(
  app: Pick<CommandApp, 'output' | 'redact'>,
  format: ProposeOptions['format'],
  { code, reason, nearest }: SuggestionRefused,
  currency: string,
): number {
  const amount = nearest === undefined ? undefined : formatMoney(nearest, currency);
  const nextStep = amount === undefined ? undefined : `The nearest amount that would pass now is ${amount}.`;
  const refused = { code, reason: app.redact(reason), next_step: nextStep, nearest: amount };
  const text = [`Nothing was suggested: ${refused.reason}`, ...(nextStep === undefined ? [] : [nextStep])].join('\n');
  app.output.stdout.write(jsonOrText(format, { refused }, text));
  return EXIT.failed;
}

function orderIn(options: ProposeOptions): SuggestionOrder {
  const { customer, until, agent, ...given } = options;
  const request = {
    customer,
    budget: given.budget.trim(),
    ...amountIn(given.to),
    reason: lineIn('--reason', given.reason, REASON_LENGTH_MAX),
    evidence: evidenceIn(given.evidence),
    asOf: instantIn('--as-of', given.asOf),
    until: until === undefined ? undefined : instantIn('--until', until),
  };
  if (!isId(request.budget)) throw wrong('--budget', request.budget, 'the id of a budget, digits only');
  if (!/^[A-Za-z0-9._-]{8,100}$/.test(given.key))
    throw wrong('--key', given.key, '8 to 100 letters, digits, dots, dashes or underscores');
  const digest = createHash('sha256')
    .update(JSON.stringify({ ...request, to: String(request.to) }))
    .digest('hex');
  return {
    ...request,
    agent: nameIn(agent),
    customerId: customer,
    budgetId: budgetId(request.budget),
    key: given.key,
    requestSha256: digest,
    untilMs: request.until === undefined ? undefined : Date.parse(request.until),
  };
}

/** Only text, because a JSON number can lose digits and has no currency. */
function amountIn(text: string): { readonly to: Micros; readonly currency: string } {
  const [, digits = '', currency = ''] = /^(\d{1,13}(?:\.\d{1,6})?) ([A-Z]{3})$/.exec(text) ?? [];
  const to = parseAmount(digits) ?? micros(0n);
  if (to > 0n) return { to, currency };
  throw wrong('--to', text, 'a decimal amount above 0 and a currency, such as "120.50 EUR"');
}

/** A direction sign could show a person other figures. */
const LINE = z.string().regex(/^[^\p{Cc}\p{Bidi_Control}]{1,120}$/u);
const EVIDENCE = z.record(LINE.max(60), LINE).refine((found) => {
  const { length } = Object.keys(found);
  return length > 0 && length <= 20;
});

function evidenceIn(text: string): Readonly<Record<string, string>> {
  const { data } = EVIDENCE.safeParse(parseJson(text));
  if (data !== undefined) return data;
  throw wrong(
    '--evidence',
    text.slice(0, 80),
    'a JSON object with 1 to 20 texts, such as {"cost of 14 days": "420.10 EUR"}',
  );
}

function instantIn(name: string, text: string): string {
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text);
  // Some days that do not exist are read as days of the next month.
  const ms = isInstant ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms) && instantText(ms).slice(0, 10) === text.slice(0, 10)) return text;
  throw wrong(name, text, 'a time in UTC such as 2026-12-01T18:00:00Z');
}

function lineIn(name: string, text: string, lengthMax: number): string {
  const line = recordLine(text.replaceAll(/\p{Bidi_Control}/gu, ''));
  if (line !== '' && line.length <= lengthMax) return line;
  throw wrong(name, text.slice(0, 80), `one line of at most ${lengthMax} characters`);
}

function nameIn(agent: string): string {
  if (AGENT_NAME.test(agent)) return agent;
  throw wrong('--agent', agent, 'up to 40 letters, digits, dots, dashes or underscores');
}

function wrong(name: string, found: string, expected: string): InputError {
  return new InputError(`${name}: found ${JSON.stringify(found)}, expected ${expected}.`, {
    nextStep: 'Correct the value. Nothing was suggested.',
  });
}
