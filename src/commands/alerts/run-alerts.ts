import { randomUUID } from 'node:crypto';
import { usableChannels } from '../../alerts/delivery-pass.ts';
import { silenceMatches } from '../../alerts/silence-matches.ts';
import { CHANNEL_NAMES, maskAddress } from '../../channels/channels.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { unknownInRoutes, unknownInSilence } from '../../engine/accounts/unknown-names.ts';
import type { App, StateApp } from '../../engine/app.ts';
import { type AlertDelivery, deliverAlerts, deliverAlertsAlone } from '../../engine/tell/deliver-alerts.ts';
import { listAlerts } from '../../engine/tell/list-alerts.ts';
import { MESSAGE_WORDS } from '../../storage/columns/state-words.ts';
import {
  acknowledgeAlerts,
  alertById,
  enqueueTest,
  firingAlerts,
  isAcknowledged,
} from '../../storage/records/alerts/alert-table.ts';
import { lostRows } from '../../storage/records/alerts/lost-rows.ts';
import { listRows } from '../../storage/records/alerts/outbox-list.ts';
import { endSilence, insertSilence, type Silence } from '../../storage/records/alerts/silence-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { ALERTS_LIST, OUTBOX_COLUMNS, type ShownRow, SILENCE_COLUMNS, scopeOf } from '../../views/alerts-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { sentWords } from '../../views/report/render-head.ts';
import { messageObject } from '../../views/report/render-json.ts';
import { messageLines } from '../../views/report/render-text.ts';
import { bullets, count, oneLine, section, type TextLayout, wrapText } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import type { ToldOptions } from '../cli/common-options.ts';
import { textLayout } from '../cli/output.ts';
import { personOf, reasonOf } from '../cli/person.ts';
import { EXIT } from '../cli/print-error.ts';
import { jsonOrText, listingIn } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import { tellFailures } from '../cli/started-by.ts';
import type { AcknowledgeOptions, ListOptions, SilenceOptions, TestOptions } from './alerts-command.ts';

export async function runList(app: CommandApp<'state'>, { all = false, format }: ListOptions): Promise<void> {
  const listed = await app.open(async (opened) => {
    for (const unknown of await unknownInRoutes(opened)) app.log.warn(unknown);
    return listAlerts(opened, all);
  });
  app.output.stdout.write(listingIn(format, ALERTS_LIST, listed, app.output));
}

export async function runDeliver(app: CommandApp<'all'>, { format }: ToldOptions): Promise<number> {
  const { output, settings, log } = app;
  const result = await app.open(deliverAlertsAlone);
  tellFailures(app, settings, log, result.failures);
  output.stdout.write(jsonOrText(format, deliveryJson(result), renderDelivery(result, textLayout(output))));
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** Works during a run, because no run lock is needed. */
export async function runSilence(app: CommandApp<'state'>, options: SilenceOptions): Promise<void> {
  const act = options.end === undefined ? begin(options, app) : end(options.end, options, app);
  const { silence, sentences } = await app.open(act);
  const shown = { ...silence, isOver: silence.endedAt !== undefined };
  app.output.stdout.write(jsonOrText(options.format, jsonObject(SILENCE_COLUMNS, shown), sentences.join('\n')));
}

type Act = (app: StateApp) => Promise<{ readonly silence: Silence; readonly sentences: readonly string[] }>;

function begin(options: SilenceOptions, process: Process): Act {
  const { customer, severity } = options;
  const rule = options.rule?.trim();
  if (rule === '') refuse('--rule is empty, expected the name of a rule.');
  if (customer === undefined && rule === undefined && severity === undefined && !options.all) {
    refuse('No alerts selected: add --rule, --customer, --severity or --all.');
  }
  const forMs = options.for ?? refuse('No duration given: add --for 2h.');
  const why = reasonOf(options) ?? refuse('No reason given: add --why "the shop is closed".');
  const createdBy = personOf(options, process);
  return async (app) => {
    const { db } = app.state;
    const nowMs = app.clock.now();
    const wanted = { customerId: customer, rule, severity, createdBy, why, expiresAtMs: nowMs + forMs };
    const silence = await insertSilence(db, wanted, nowMs);
    const firing = (await firingAlerts(db, 'condition')).filter((alert) => silenceMatches(silence, alert)).length;
    for (const unknown of await unknownInSilence(app, silence)) app.log.warn(unknown);
    const now =
      firing === 0
        ? 'No condition in its scope fires now.'
        : `It covers ${count(firing, 'condition that fires', 'conditions that fire')} now.`;
    return {
      silence,
      sentences: [`S${silence.id} silences ${scopeOf(silence)} until ${minuteText(silence.expiresAt)}.`, now],
    };
  };
}

function end(id: bigint, options: SilenceOptions, process: Process): Act {
  const by = personOf(options, process);
  return async ({ state: { db }, clock }) => {
    const silence = await endSilence(db, id, by, clock.now());
    if (silence) {
      return { silence, sentences: [`S${silence.id} has ended. It silenced ${scopeOf(silence)}.`] };
    }
    throw new InputError(`No active silence S${id}.`, {
      nextStep: 'Run pacekeeper alerts list to see the active silences.',
    });
  };
}

function refuse(problem: string): never {
  throw new InputError(problem, { nextStep: 'Run pacekeeper alerts silence --help for an example.' });
}

/** Works during a run, because no run lock is needed. */
export async function runAcknowledge(app: CommandApp<'state'>, options: AcknowledgeOptions): Promise<void> {
  const { alerts, customer: customerId, severity, rule, all } = options;
  if (alerts.length === 0 && customerId === undefined && severity === undefined && rule === undefined && !all) {
    throw new InputError('No alerts selected: add numbers such as A7, --rule, --customer, --severity or --all.', {
      nextStep: LIST_STEP,
    });
  }
  if (alerts.length > 0 && (customerId ?? severity ?? rule ?? all) !== undefined) {
    throw new InputError('Alerts are selected by number and by options: expected one of the two.', {
      nextStep: LIST_STEP,
    });
  }
  const by = personOf(options, app);
  const acknowledged = await app.open(({ state, clock }) =>
    state.db.transaction().execute(async (trx) => {
      const chosen = (await openAlerts(trx)).filter((one) => silenceMatches({ customerId, severity, rule }, one));
      const ids = alerts.length === 0 ? chosen.map(({ id }) => id) : await alertsByNumber(trx, alerts);
      await acknowledgeAlerts(trx, ids, by, clock.now());
      return new Set(ids).size;
    }),
  );
  app.output.stdout.write(`${count(acknowledged, 'alert')} acknowledged.\n`);
}

const LIST_STEP = 'Run pacekeeper alerts list to see the alerts.';

/** Conditions that people were told and nobody acknowledged, and alerts that were not delivered. */
async function openAlerts(db: StateDb) {
  const told = (await firingAlerts(db, 'condition')).filter(
    (one) => one.notified !== undefined && !isAcknowledged(one, one.notified),
  );
  return [...told, ...(await lostRows(db)).map((row) => ({ ...row, id: row.alertId }))];
}

async function alertsByNumber(db: StateDb, numbers: readonly string[]): Promise<readonly bigint[]> {
  const ids = numbers.map((text) => BigInt(/^[Aa]([1-9]\d{0,17})$/.exec(text)?.[1] ?? 0));
  const known = await Promise.all(ids.map((id) => alertById(db, id)));
  const unknown = numbers.filter((_, at) => known[at] === undefined);
  if (unknown.length === 0) return ids;
  throw new InputError(`No such alert: found ${unknown.join(', ')}, expected numbers such as A7.`, {
    nextStep: LIST_STEP,
  });
}

/** Returns 1 if any recipient could not be reached. */
export async function runTest(app: CommandApp<'all'>, options: TestOptions): Promise<number> {
  const { output } = app;
  const by = personOf(options, app);
  const tested = await app.open(async (opened) => {
    for (const unknown of await unknownInRoutes(opened)) app.log.warn(unknown);
    return testAlerts(opened, by, options);
  });
  output.stdout.write(jsonOrText(options.format, testedJson(tested), renderTested(tested, textLayout(output))));
  return tested.every(({ accepted }) => accepted) ? EXIT.done : EXIT.failed;
}

const ACCEPTED: readonly string[] = ['accepted', 'delivered'];
const ROWS_MAX = 100;

async function testAlerts(
  app: App,
  by: string,
  { to, severity }: Pick<TestOptions, 'to' | 'severity'>,
): Promise<TestedRecipient[]> {
  const { recipients } = app.alerts;
  const chosen = recipients.filter(({ name }) => to === undefined || name === to);
  if (chosen.length === 0) {
    const names = recipients.map(({ name }) => name).join(', ');
    const found =
      names === '' ? 'No alert recipient is set.' : `Unknown recipient: found ${to}, expected one of ${names}.`;
    const nextStep =
      names === ''
        ? 'Set alerts.recipients in pacekeeper.yaml, or MESSAGES_TO.'
        : 'Choose a name with --to, or add one under alerts.recipients in pacekeeper.yaml.';
    throw new InputError(found, { nextStep });
  }
  const nowMs = app.clock.now();
  // Two tests within one second need different keys.
  const unique = `${instantText(nowMs)}:${randomUUID()}`;
  const keyOf = (name: string) => `test:${name}:${unique}`;
  const usable = usableChannels(app);
  for (const { name, addresses } of chosen) {
    const own = CHANNEL_NAMES.filter((one) => addresses.has(one));
    const channel = own.find((one) => usable.includes(one)) ?? own[0];
    const recipient = channel && addresses.get(channel);
    if (channel === undefined || recipient === undefined) continue;
    const text = `Test alert by ${by}: alerts reach ${name}.`;
    await enqueueTest(app.state.db, { dedupeKey: keyOf(name), channel, recipient, severity, text }, nowMs);
  }
  await deliverAlerts(app);
  const tested: TestedRecipient[] = [];
  for (const { name } of chosen) {
    const states = ['pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown', 'withdrawn'] as const;
    const found = await listRows(app.state.db, { states, keyPrefix: keyOf(name), limit: ROWS_MAX });
    const rows = found.map((row) => ({
      ...row,
      recipient: row.recipient === undefined ? undefined : maskAddress(row.channel, row.recipient),
      why: row.error ?? (row.state === 'pending' ? 'see pacekeeper alerts list for the reason' : undefined),
    }));
    tested.push({ name, rows, accepted: rows.some(({ state }) => ACCEPTED.includes(state)) });
  }
  return tested;
}

export function renderDelivery({ messages, notes, failures }: AlertDelivery, layout: TextLayout): string {
  const blocks = [
    section('Alerts', messageLines(messages, layout), layout),
    section('Notes', bullets(notes, layout), layout),
    section('Failed', bullets(failures, layout), layout),
    `${sentWords(messages)}.`,
  ];
  return blocks.filter((text) => text !== '').join('\n\n');
}

export function deliveryJson({ messages, notes, failures }: AlertDelivery): object {
  return { messages: messages.map(messageObject), notes, failures };
}

export interface TestedRecipient {
  readonly name: string;
  readonly rows: readonly ShownRow[];
  readonly accepted: boolean;
}

export function renderTested(tested: readonly TestedRecipient[], { width }: TextLayout): string {
  const lines = tested.flatMap(({ name, rows }) =>
    rows.map(({ state, recipient, why }) =>
      wrapText(
        oneLine(`${name}: ${MESSAGE_WORDS[state][0]}, ${recipient}${why === undefined ? '' : `, ${why}`}`),
        width,
        '',
        '  ',
      ),
    ),
  );
  return lines.join('\n');
}

export function testedJson(tested: readonly TestedRecipient[]): object {
  return {
    recipients: tested.map(({ name, accepted, rows }) => ({
      name,
      accepted,
      rows: rows.map((row) => jsonObject(OUTBOX_COLUMNS, row)),
    })),
  };
}
