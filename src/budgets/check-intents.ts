import type { CivilDate } from '../domain/civil-date.ts';
import { formatMoney } from '../domain/micros.ts';
import { type ForeignChange, recordForeignChange } from '../store/foreign-change-table.ts';
import { type Intent, moveIntent } from '../store/intent-table.ts';
import type { StateDb } from '../store/open-state.ts';
import { type Application, type BudgetDeps, commit } from './budget-deps.ts';
import { type Conclusion, type Entry, leftOpen, moveOn } from './move-intents.ts';
import type { BudgetBook } from './read-budgets.ts';

/** An intent to be compared with its budget. */
export type Unchecked = Pick<Entry, 'intent' | 'sentBefore'>;

export interface CheckOptions {
  /** The account's today, asked anew for each thing that is written down: midnight may come while the service is asked. */
  accountDay(): CivilDate;
  /** Whether an intent that was sent before without an answer may be sent again. */
  mayResend(intent: Intent): boolean;
}

/**
 * Compares intents with the account's budgets as they are now, and commits what that ends. Returns those that may be
 * sent; what became of the others is added to `ends`.
 */
export async function checkIntents(
  deps: BudgetDeps,
  book: BudgetBook,
  intents: readonly Unchecked[],
  ends: Map<bigint, Application>,
  options: CheckOptions,
): Promise<readonly Entry[]> {
  const judged = intents.map((one) => judge(one, book, options));
  const goOn = judged.filter(({ conclusion }) => conclusion === undefined).map(({ entry }) => entry);
  if (goOn.length === judged.length && !goOn.some(diedBeforeAnswer)) return goOn;
  return commit(deps, 'check', async (trx) => {
    const ready: Entry[] = [];
    for (const { entry, conclusion, foreign } of judged) {
      const intent = diedBeforeAnswer(entry) ? await loseSight(trx, deps, entry) : entry.intent;
      if (conclusion === undefined) {
        ready.push({ ...entry, intent });
        continue;
      }
      await moveOn(trx, deps, intent, { ...conclusion.step, detail: { read: entry.read } });
      if (foreign) await recordForeignChange(trx, foreign, deps.clock.now());
      ends.set(intent.id, conclusion.application);
    }
    return ready;
  });
}

/** Leaves intents as they are, because their budgets could not be read or are not to be; why is written down. */
export async function leaveAsTheyAre(
  deps: BudgetDeps,
  intents: readonly Unchecked[],
  ends: Map<bigint, Application>,
  { code, reason }: { readonly code: 'NOT_READ' | 'STOPPED'; readonly reason: string },
): Promise<void> {
  if (intents.length === 0) return;
  await commit(deps, 'check', async (trx) => {
    for (const one of intents) {
      const { step, application } = leftOpen(one, code, reason);
      await moveOn(trx, deps, one.intent, step);
      ends.set(one.intent.id, application);
    }
  });
}

function diedBeforeAnswer({ intent, sentBefore }: Unchecked): boolean {
  return sentBefore && intent.state === 'sending';
}

/** No alert yet: what the reading tells comes in the same transaction. */
function loseSight(trx: StateDb, { clock }: BudgetDeps, { intent }: Unchecked): Promise<Intent> {
  const outcome = 'The program ended before an answer was written down.';
  return moveIntent(trx, intent, { to: 'unknown', code: 'NO_ANSWER', outcome }, clock.now());
}

interface Judged {
  readonly entry: Entry;
  /** What the reading ends; undefined for an intent that may be sent. */
  readonly conclusion: Conclusion | undefined;
  readonly foreign?: ForeignChange;
}

/**
 * Sent without an answer: the target is there → confirmed; the old amount is there → may be sent again; anything else →
 * superseded. A budget that cannot be read gets the same absolute amount again, unless a person has corrected its
 * declaration meanwhile. Not sent yet: may be sent if the amount the decision was made on is still there.
 */
function judge(one: Unchecked, book: BudgetBook, options: CheckOptions): Judged {
  const { intent, sentBefore } = one;
  const { budgetId } = intent;
  const live = book.amounts.get(budgetId);
  const read = { source: book.source, amount_micros: live };
  const entry: Entry = { ...one, read, provenUnmade: book.source === 'read' };
  const ending = (conclusion: Conclusion): Judged => ({ entry, conclusion });
  if (book.source === 'declared' && (intent.amountSource === 'read' || live === undefined)) {
    return ending(leftOpen(entry, 'NOT_READ', `Budget ${budgetId} cannot be read back.`));
  }
  if (book.unreadable.has(budgetId)) {
    return ending(leftOpen(entry, 'NOT_READ', `The service does not show the amount of budget ${budgetId}.`));
  }
  if (sentBefore && book.source === 'read' && book.amounts.size === 0) {
    const reason = `The service shows no budget at all, which tells nothing of budget ${budgetId}.`;
    return ending(leftOpen(entry, 'NOT_READ', reason));
  }
  if (book.source === 'read' && sentBefore && live === intent.to) {
    return ending({ step: { to: 'confirmed' }, application: { kind: 'confirmed' } });
  }
  if (book.removed.has(budgetId)) return ending(superseded(intent, 'BUDGET_REMOVED', 'the budget was removed'));
  const declared = book.declared.get(budgetId);
  const corrected = intent.declared !== undefined && declared !== intent.declared && declared !== intent.to;
  const unread = book.source === 'declared' && sentBefore;
  const same = live === intent.from || (unread && !corrected);
  if (!same) {
    const found = live === undefined ? 'the budget is gone' : `the budget is now ${formatMoney(live, intent.currency)}`;
    const conclusion = superseded(intent, 'FOREIGN_CHANGE', found);
    if (live === undefined) return { entry, conclusion };
    const { customerId, from: expected, id: intentId } = intent;
    const about = { customerId, budgetId, accountDay: options.accountDay(), declared, intentId };
    return { entry, conclusion, foreign: { ...about, expected, found: live } };
  }
  if (!sentBefore || options.mayResend(intent)) return { entry, conclusion: undefined };
  const reason = 'Its rule may not make it any more.';
  if (!entry.provenUnmade) return ending(leftOpen(entry, 'AUTOMATION_OFF', reason));
  const words = `It was never made. ${reason}`;
  const step = { to: 'rejected', code: 'AUTOMATION_OFF', outcome: words } as const;
  return ending({ step, application: { kind: 'rejected', reason: words } });
}

function superseded(intent: Intent, code: string, found: string): Conclusion {
  const reason = `Expected ${formatMoney(intent.from, intent.currency)}, but ${found}.`;
  return { step: { to: 'superseded', code, outcome: reason }, application: { kind: 'superseded', reason } };
}
