import type { CivilDate } from '../domain/civil-date.ts';
import { formatMoney, type Micros } from '../domain/micros.ts';
import type { Intent } from '../store/intent-table.ts';
import { type Application, applyIntent, type BudgetDeps, finish, mayHaveBeenSent, step } from './apply-intent.ts';
import type { BudgetBook } from './read-budgets.ts';

/**
 * Brings an open intent to an end, or as near to one as can be known. `book` holds the account's budgets as they are now,
 * `accountDay` is the account's today; `mayApply` is false when automation is not allowed to act.
 *
 * Sent without an answer: the target is there → confirmed; the old amount is there → the same absolute amount is sent
 * again; anything else → superseded. A budget that was declared because it cannot be read gets the same absolute amount
 * again, which changes nothing if the first one arrived. Just planned: sent, if the amount the decision was made on is
 * still there.
 */
export async function settleIntent(
  deps: BudgetDeps,
  intent: Intent,
  book: BudgetBook,
  accountDay: CivilDate,
  mayApply: boolean,
): Promise<Application> {
  const live = book.amounts.get(intent.budgetId);
  const maySent = mayHaveBeenSent(intent);
  if (book.source === 'declared' && (intent.amountSource === 'read' || live === undefined)) return leaveOpen(intent);
  if (book.source === 'declared' && maySent) {
    return mayApply ? applyIntent(deps, intent, accountDay, false) : leaveOpen(intent);
  }
  if (maySent && live === intent.to) {
    await finish(deps, intent, 'confirmed');
    return { kind: 'confirmed' };
  }
  if (live !== intent.from) return supersede(deps, intent, live);
  if (!mayApply) return expireIntent(deps, intent, 'It was never made, and automation may not apply changes.');
  return applyIntent(deps, intent, accountDay, book.source === 'read');
}

/** The budget no longer has the amount that the decision was made on: someone else changed it. */
async function supersede(deps: BudgetDeps, intent: Intent, live: Micros | undefined): Promise<Application> {
  const found = live === undefined ? 'the budget is gone' : `the budget is now ${formatMoney(live, intent.currency)}`;
  const reason = `Expected ${formatMoney(intent.from, intent.currency)}, but ${found}.`;
  await finish(deps, intent, 'superseded', 'FOREIGN_CHANGE', reason);
  return { kind: 'superseded', reason };
}

/** Ends an intent that was not carried out; the budget may get a new decision, also today. */
export async function expireIntent(
  deps: Pick<BudgetDeps, 'state' | 'clock'>,
  intent: Intent,
  reason: string,
): Promise<Application> {
  await step(deps, intent, { state: 'expired', outcome: reason });
  return { kind: 'expired', reason };
}

/** Nothing is known now that was not known before. */
function leaveOpen(intent: Intent): Application {
  const kind = mayHaveBeenSent(intent) ? 'unknown' : 'postponed';
  return { kind, reason: `Budget ${intent.budgetId} cannot be read back.` };
}
