import { agentOf, isLargerStep, isMade } from '../../domain/budget-change.ts';
import type { ChosenChange } from '../../domain/chosen-change.ts';
import { instantText } from '../../domain/civil-date.ts';
import { budgetUnitOf, formatMoney, formatMoneyChange, type Micros, parseAmount } from '../../domain/micros.ts';
import { PAGES } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { isOpen } from '../../engine/budgets/budget-deps.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { accountNames, type ShownProposal } from '../../storage/columns/budget-columns.ts';
import { type Intent, intentById } from '../../storage/records/budgets/intent-table.ts';
import { type Proposal, proposalByCode } from '../../storage/records/budgets/proposal-table.ts';
import { type Account, allAccounts } from '../../storage/records/runs/account-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { account, budgetName, facts, instant, line as oneLine } from '../../views/html/parts.ts';
import { namesOfBudgets } from '../report/budget-names.ts';
import { type AskedAct, type Change, chosenIn, type LineNow } from './acts.ts';
import { lineAmounts, lineName, type Total, totalFigure, totalOf } from './plan-lines.ts';

type Decision = AskedAct & { readonly act: 'approve' | 'reject' };

type PlanEffect =
  | {
      readonly change: Change;
      readonly body: Html;
      readonly command: readonly string[];
      readonly lines: readonly LineNow[];
    }
  | { readonly reason: string; readonly way?: AskedAct | undefined; readonly lines: readonly LineNow[] };

interface Line {
  readonly chosen: ChosenChange;
  /** Undefined for an unknown code. */
  readonly proposal: ShownProposal | undefined;
  /** The amount that a person would approve, if it is not the proposed one. */
  readonly step?: Micros;
  /** The change that an approval made. */
  readonly intent: Intent | undefined;
  /** Why the line cannot be decided. */
  readonly problem: string | undefined;
}

/** Adds the names of the account and of a shared budget. */
export async function naming(app: StateApp) {
  const ofAccount = accountNames(await allAccounts(app.state.db));
  const ofBudget = await namesOfBudgets(app);
  return <Row extends Intent | Proposal>(row: Row) => ofAccount(ofBudget(row));
}

/** The effect of a decision about one proposal or several. If one line cannot be decided, the person looks again. */
export async function planEffect(app: StateApp, asked: Decision): Promise<PlanEffect> {
  const name = await naming(app);
  const accounts = await allAccounts(app.state.db);
  const chosen = chosenIn(asked);
  const lines = await Promise.all(
    chosen.map(async (one, index): Promise<Line> => {
      const isTwice = chosen.findIndex(({ code }) => code === one.code) < index;
      const { proposal, ...found } = await lineOf(app, accounts, asked.act, one);
      const problem = isTwice ? `${one.code} is chosen twice.` : found.problem;
      return { ...found, proposal: proposal && redactTexts(name(proposal), app.settings), problem };
    }),
  );
  const now = lines.map(lineNow);
  const gone = lines.flatMap(({ problem }) => problem ?? []);
  if (lines.length === 0) return { reason: 'No change is chosen.', lines: now };
  if (gone.length === 0) return { ...possible(asked.act, lines), lines: now };
  const left = asked.on.split(' ').filter((_, index) => lines[index]?.problem === undefined);
  const way = lines.length === 1 ? now[0]?.way : left.length > 0 ? { ...asked, on: left.join(' ') } : undefined;
  return { reason: gone.join(' '), way, lines: now };
}

async function lineOf(
  { state: { db }, clock }: StateApp,
  accounts: readonly Account[],
  act: Decision['act'],
  chosen: ChosenChange,
): Promise<Line> {
  const { code, amount } = chosen;
  const proposal = await proposalByCode(db, code);
  const line: Line = { chosen, proposal, intent: undefined, problem: undefined };
  if (proposal === undefined) return { ...line, problem: `No proposal has the code ${code}.` };
  const { state, decidedBy, intentId, expiresAt } = proposal;
  if (state !== 'open') {
    const intent = intentId === undefined ? undefined : await intentById(db, intentId);
    return { ...line, intent, problem: `Proposal ${code} is ${state}${decidedBy && `, by ${oneLine(decidedBy)}`}.` };
  }
  if (expiresAt <= instantText(clock.now())) return { ...line, problem: `Proposal ${code} has expired.` };
  if (act === 'reject' || amount === undefined) return line;
  const { budgetUnitMicros } = accounts.find(({ customerId }) => customerId === proposal.customerId) ?? {};
  const step = smallerStep(proposal, amount, budgetUnitMicros);
  return typeof step === 'string' ? { ...line, problem: step } : { ...line, step };
}

/** Text says why the amount is no smaller step. The command checks it again, beside all guards. */
function smallerStep({ code, from, to, currency }: Proposal, typed: string, budgetUnit: Micros | undefined) {
  const amount = parseAmount(typed);
  if (amount === undefined) return `The amount for ${code} is "${oneLine(typed)}", expected one such as 60.00.`;
  const money = (value: bigint) => formatMoney(value, currency);
  if (amount === from || isLargerStep(from, to, amount)) {
    return `${money(amount)} is no smaller step for ${code}. It is ${money(from)} now, and ${money(to)} is proposed.`;
  }
  const unit = budgetUnitOf({ currency, budgetUnit });
  if (unit === undefined || amount % unit === 0n) return amount;
  return `${money(amount)} for ${code} is no multiple of ${money(unit)}, the smallest step.`;
}

/** How a line stands. After an act, this is its outcome. */
function lineNow({ chosen: { code }, proposal, intent, problem }: Line): LineNow {
  const words = problem ?? 'Nothing was changed. It still awaits approval.';
  if (proposal === undefined) return { code, words };
  const { customerId, budgetId, decidedBy } = proposal;
  const about = { code, name: budgetName(proposal), customerId, budgetId, words };
  if (intent === undefined) return about;
  const change = `B${intent.id}, ${formatMoneyChange(intent.from, intent.to, intent.currency)}`;
  if (isOpen(intent)) return { ...about, words: `In doubt: ${change}. The next run finds the outcome.` };
  if (!isMade(intent)) return { ...about, words: `Not made: ${change}. ${intent.outcome ?? ''}` };
  return { ...about, words: `Made by ${decidedBy}: ${change}.`, way: { act: 'undo', on: `B${intent.id}` } };
}

function possible(act: Decision['act'], chosen: readonly Line[]) {
  const lines = chosen.flatMap(({ proposal, step }) => (proposal ? [{ ...proposal, to: step ?? proposal.to }] : []));
  const words = chosen.map(({ chosen: { code, amount }, proposal, step }) =>
    step === undefined || step === proposal?.to ? code : `${code}=${amount}`,
  );
  const [first, ...others] = lines;
  const shown = first && others.length === 0 ? ofOne(act, first, chosen[0]?.proposal?.to) : ofMany(act, lines);
  return { ...shown, command: ['budgets', act, ...words] };
}

function ofOne(act: Decision['act'], line: ShownProposal, proposed: Micros | undefined) {
  const { customerId, accountName, from, to, currency, rule, reason, expiresAt } = line;
  const promise =
    act === 'approve'
      ? `Sets the daily budget if it is still ${formatMoney(from, currency)}. All guards check the change again.`
      : 'No rule changes this budget today.';
  const body = html`<p>${promise}</p>
${facts([
  ['Account', account(customerId, accountName)],
  [agentOf(rule) === undefined ? 'Rule' : 'Agent', agentOf(rule) ?? rule],
  ['Proposed', to === proposed ? undefined : `${formatMoney(proposed ?? to, currency)}, a larger step`],
  ['Reason', oneLine(reason)],
  ['Expires', instant(expiresAt)],
])}`;
  const words = act === 'approve' ? madeWords(line) : `keeps ${keptWords(line)}`;
  return { change: { name: budgetName(line), words }, body };
}

function ofMany(act: Decision['act'], lines: readonly ShownProposal[]) {
  const promise =
    act === 'approve'
      ? 'Sets each daily budget if it still has the amount before. All guards check each change again.'
      : 'No rule changes these budgets today.';
  const total = totalOf(lines);
  const words = total && (act === 'approve' ? `: ${madeWords(total)}` : ` keep ${keptWords(total)}`);
  const distinct = (values: readonly string[]) => [...new Set(values)].slice(0, NAMED_MAX).join(', ');
  const body = html`<p>${promise}</p>${total && totalFigure(total)}
<ul class="asked">${lines.map((one) => html`<li><span class="name">${lineName(one, PAGES.inbox.path)}</span>${lineAmounts(one)}</li>`)}</ul>
${facts([
  ['Rule', distinct(lines.map(({ rule }) => rule))],
  ['Expires', instant(lines.map(({ expiresAt }) => expiresAt).sort()[0])],
])}`;
  return { change: { words: `${lines.length} budgets${words ?? '.'}` }, body };
}

const NAMED_MAX = 3;

export const madeWords = ({ from, to, currency }: Total) =>
  `${formatMoney(from, currency)} to ${formatMoney(to, currency)} a day.`;
const keptWords = ({ from, to, currency }: Total) =>
  `${formatMoney(from, currency)} a day, not ${formatMoney(to, currency)}.`;
