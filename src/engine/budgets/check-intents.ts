import { doubtWords } from '../../domain/budget-change.ts';
import { type CivilDate, instantText, secondText } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { sentSince } from '../../storage/records/budgets/event-table.ts';
import { type Intent, type IntentStep, moveIntent } from '../../storage/records/budgets/intent-table.ts';
import { hadUntil, lastSet } from '../../storage/records/budgets/past-changes.ts';
import { commit } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import type { BudgetDeps } from './budget-deps.ts';
import { type ComparedBudgets, compareWithRecord, type Expected, writeDown } from './compare-budgets.ts';
import { moveOn } from './move-on.ts';
import type { BudgetBook } from './read-budgets.ts';

export interface Entry {
  readonly intent: Intent;
  /** True if the change was sent before, and may have been made. */
  readonly sentBefore: boolean;
  /** This run has sent the change, and the service refused it for now. So the same amount may be sent again at once. */
  readonly refusedNow?: boolean;
  /** True if a read shows that the change was not made. */
  readonly provenUnmade: boolean;
  readonly read: Readonly<Record<string, unknown>>;
}

export type Unchecked = Pick<Entry, 'intent' | 'sentBefore' | 'refusedNow'>;

/** Each change as it is now, by its id. `planned`: certainly not sent. The next run decides again. */
export type Ends = ReadonlyMap<bigint, Intent>;

export interface CheckedIntents {
  readonly goOn: readonly Entry[];
  readonly ends: Ends;
}

export interface CheckOptions {
  /** Called before each write, because midnight can pass during requests. */
  accountDay(): CivilDate;
  mayResend(intent: Intent, book: BudgetBook): boolean;
}

export async function checkIntents(
  deps: BudgetDeps,
  book: BudgetBook,
  customer: CustomerId,
  intents: readonly Unchecked[],
  options: CheckOptions,
): Promise<CheckedIntents> {
  const evidence = await gatherEvidence(deps, book, customer, intents, options.accountDay());
  const judged = intents.map((one) => judge(one, book, evidence, options));
  const goOn = judged.filter(({ conclusion }) => conclusion === undefined).map(({ entry }) => entry);
  if (goOn.length === judged.length && !goOn.some(diedBeforeAnswer)) return { goOn, ends: new Map() };
  return commit(deps, 'check', async (trx) => {
    const ready: Entry[] = [];
    const ends = new Map<bigint, Intent>();
    for (const { entry, conclusion } of judged) {
      const intent = diedBeforeAnswer(entry) ? await loseSight(trx, deps, entry) : entry.intent;
      if (conclusion === undefined) {
        ready.push({ ...entry, intent });
        continue;
      }
      ends.set(intent.id, await moveOn(trx, deps, intent, { ...conclusion, detail: { read: entry.read } }));
    }
    await writeDown(trx, customer, evidence.compared, deps);
    return { goOn: ready, ends };
  });
}

export async function endAll<One extends Pick<Unchecked, 'intent'>>(
  deps: BudgetDeps,
  entries: readonly One[],
  conclusionOf: (one: One) => IntentStep,
): Promise<Ends> {
  if (entries.length === 0) return new Map();
  return commit(deps, 'check', async (trx) => {
    const ends = new Map<bigint, Intent>();
    for (const one of entries) ends.set(one.intent.id, await moveOn(trx, deps, one.intent, conclusionOf(one)));
    return ends;
  });
}

function diedBeforeAnswer({ intent, sentBefore }: Unchecked): boolean {
  return sentBefore && intent.state === 'sending';
}

/** Marks the intent as `unknown`. The result of the check follows in the same transaction. */
function loseSight(trx: StateDb, { clock }: BudgetDeps, { intent }: Unchecked): Promise<Intent> {
  const outcome = 'The program ended before it recorded an answer.';
  return moveIntent(trx, intent, { to: 'unknown', code: 'NO_ANSWER', outcome }, clock.now());
}

/** True if the declared amount is no longer the amount at the decision, and is not the new amount either. */
function isCorrected({ budgetId, declared: before, to }: Intent, { declared }: BudgetBook): boolean {
  const now = declared.get(budgetId);
  return before !== undefined && now !== before && now !== to;
}

interface Judged {
  readonly entry: Entry;
  /** Undefined if the change may be sent. */
  readonly conclusion: IntentStep | undefined;
}

interface Evidence {
  readonly compared: ComparedBudgets;
  /** By intent id: until this UTC time, the service may show amounts from before the request. */
  readonly maybeOlder: ReadonlyMap<bigint, string>;
  /** By intent id: until this UTC time, the requested amount may come from an earlier change. */
  readonly maybeEarlierTarget: ReadonlyMap<bigint, string>;
}

async function gatherEvidence(
  { state: { db }, readLagMs }: BudgetDeps,
  book: BudgetBook,
  customer: CustomerId,
  intents: readonly Unchecked[],
  accountDay: CivilDate,
): Promise<Evidence> {
  const nowMs = Date.parse(book.readAt);
  /** Ignores a time in the future, which is left from before the clock was set back. */
  const lagged = (instant: string) => {
    const untilMs = Date.parse(instant) + readLagMs;
    return instant <= book.readAt && untilMs > nowMs ? instantText(untilMs) : undefined;
  };
  const known = await lastSet(db, customer);
  const record = new Map<BudgetId, Expected>();
  const maybeOlder = new Map<bigint, string>();
  const maybeEarlierTarget = new Map<bigint, string>();
  for (const { intent, sentBefore } of intents) {
    const { id: intentId, budgetId, from, to } = intent;
    const last = known.get(budgetId);
    const live = book.amounts.get(budgetId);
    const expect = (expected: Omit<Expected, 'intentId'>) => record.set(budgetId, { ...expected, intentId });
    if (live === undefined) continue;
    if (!sentBefore) {
      if (live !== from) expect({ to: last?.to ?? from, at: last?.at });
      continue;
    }
    if (book.source === 'declared') {
      if (isCorrected(intent, book)) expect({ to: from, at: undefined });
      continue;
    }
    const sentAt = (await sentSince(db, intentId, book.readAt)) ?? intent.createdAt;
    const older = lagged(sentAt);
    if (older !== undefined) maybeOlder.set(intentId, older);
    const until = live === to ? await hadUntil(db, customer, budgetId, to) : undefined;
    const earlier = until === undefined ? undefined : lagged(until);
    if (earlier !== undefined) maybeEarlierTarget.set(intentId, earlier);
    if (live !== to && live !== from) expect({ to: last?.to ?? from, at: sentAt });
  }
  const compared = await compareWithRecord({ db, readLagMs }, book, customer, record, accountDay);
  return { compared, maybeOlder, maybeEarlierTarget };
}

function judge(one: Unchecked, book: BudgetBook, evidence: Evidence, options: CheckOptions): Judged {
  const { intent, sentBefore, refusedNow = false } = one;
  const { id, budgetId, currency } = intent;
  const live = book.amounts.get(budgetId);
  const read = { source: book.source, amount_micros: live };
  const entry: Entry = { ...one, read, provenUnmade: book.source === 'read' && !refusedNow };
  const ending = (conclusion: IntentStep): Judged => ({ entry, conclusion });
  if (book.source === 'declared' && (intent.amountSource === 'read' || live === undefined)) {
    return ending(
      leftOpen(entry, 'NOT_READ', `The service does not show budget ${budgetId}, so the change could not be checked.`),
    );
  }
  const hidden = book.unreadable.get(budgetId);
  if (hidden !== undefined) {
    const words = hidden.total
      ? `Budget ${budgetId} is now a total budget (CUSTOM_PERIOD), which has no daily amount.`
      : `The service does not show the amount of budget ${budgetId}.`;
    return ending(leftOpen(entry, 'NOT_READ', words));
  }
  if (sentBefore && book.source === 'read' && book.amounts.size === 0) {
    const reason = `The service shows no budgets at all, so budget ${budgetId} could not be checked.`;
    return ending(leftOpen(entry, 'NOT_READ', reason));
  }
  if (book.source === 'read' && sentBefore && live === intent.to) {
    const until = evidence.maybeEarlierTarget.get(id);
    if (until === undefined) return ending({ to: 'confirmed' });
    const had = `Budget ${budgetId} shows the requested ${formatMoney(live, currency)}. It had this amount earlier, too, so this may be an old reading.`;
    return ending(leftOpen(entry, 'AMOUNT_IN_DOUBT', `${had} A read after ${secondText(until)} shows the outcome.`));
  }
  if (book.removed.has(budgetId)) return ending(superseded(intent, 'BUDGET_REMOVED', 'the budget was removed'));
  if (live === undefined) return ending(superseded(intent, 'FOREIGN_CHANGE', 'the budget no longer exists'));
  const doubt = evidence.compared.inDoubt.get(budgetId);
  if (doubt) {
    const reason = `Budget ${budgetId} ${doubtWords(doubt, currency)}.`;
    // The change was never sent, so end the intent. A later run decides again.
    if (!sentBefore) return ending(concluded('expired', 'AMOUNT_IN_DOUBT', reason));
    return ending(leftOpen(entry, 'AMOUNT_IN_DOUBT', reason));
  }
  const unread = book.source === 'declared' && sentBefore;
  const same = live === intent.from || (unread && !isCorrected(intent, book));
  if (!same) {
    return ending(superseded(intent, 'FOREIGN_CHANGE', `the budget is now ${formatMoney(live, currency)}`));
  }
  if (refusedNow) return { entry, conclusion: undefined };
  const until = evidence.maybeOlder.get(id);
  if (until !== undefined) {
    const shows = `Budget ${budgetId} still shows ${formatMoney(live, currency)}. The service may show a change late.`;
    return ending(leftOpen(entry, 'AMOUNT_IN_DOUBT', `${shows} A read after ${secondText(until)} shows the outcome.`));
  }
  if (!sentBefore || options.mayResend(intent, book)) return { entry, conclusion: undefined };
  const reason = 'It may not be sent again.';
  if (!entry.provenUnmade) return ending(leftOpen(entry, 'AUTOMATION_OFF', reason));
  return ending(concluded('rejected', 'AUTOMATION_OFF', `The change was never made. ${reason}`));
}

function superseded(intent: Intent, code: string, found: string): IntentStep {
  return concluded('superseded', code, `Expected ${formatMoney(intent.from, intent.currency)}, but ${found}.`);
}

export function concluded(
  to: 'planned' | 'unknown' | 'rejected' | 'superseded' | 'expired',
  code: string,
  reason: string,
  detail?: IntentStep['detail'],
): IntentStep {
  return { to, code, outcome: reason, ...(detail && { detail }) };
}

export function leftOpen({ sentBefore }: Pick<Entry, 'sentBefore'>, code: string, reason: string): IntentStep {
  return concluded(sentBefore ? 'unknown' : 'planned', code, reason);
}
