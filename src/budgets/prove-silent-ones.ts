import { ApiError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { formatMoney } from '../domain/micros.ts';
import { withoutFullStop } from '../domain/sentence-end.ts';
import { malformed } from '../http/classify-failure.ts';
import type { Intent } from '../store/intent-table.ts';
import { hadUntil } from '../store/past-changes.ts';
import type { BudgetDeps } from './budget-deps.ts';
import type { Entry } from './move-intents.ts';
import { readBudgets } from './read-budgets.ts';
import type { Outcomes } from './send-operations.ts';

/** The budget had the target a short time ago, so that a reading may show it from then. */
async function mayBeOld({ state, clock, readLagMs }: BudgetDeps, intent: Intent): Promise<boolean> {
  const until = await hadUntil(state.db, intent.customerId, intent.budgetId, intent.to);
  return until !== undefined && Date.parse(until) + readLagMs > clock.now();
}

/**
 * A success that does not name the budget is believed where the budget cannot be read and never could, because then the
 * status is all there is; elsewhere the budget itself has to show the amount.
 */
export async function proveSilentOnes(
  deps: BudgetDeps,
  customer: CustomerId,
  entries: readonly Entry[],
  outcomes: Outcomes,
): Promise<Outcomes> {
  const silent = entries.filter(({ intent }) => {
    const outcome = outcomes.get(intent.budgetId);
    return outcome?.kind === 'accepted' && !outcome.named;
  });
  if (silent.length === 0) return outcomes;
  const proven = new Map(outcomes);
  const says = 'The change was answered with a success that names no budget, and';
  const doubt = (words: string) => ({ kind: 'failed', error: malformed('WRONG_ANSWER', words, false) }) as const;
  try {
    const book = await readBudgets({ ads: deps.ads, db: deps.state.db }, customer, deps.declared(customer));
    for (const { intent } of silent) {
      const live = book.amounts.get(intent.budgetId);
      const believed =
        book.source === 'declared'
          ? intent.amountSource === 'declared'
          : live === intent.to && !(await mayBeOld(deps, intent));
      const found = book.source === 'declared' || live === undefined ? 'no amount' : formatMoney(live, intent.currency);
      if (!believed) proven.set(intent.budgetId, doubt(`${says} the budget shows ${found}`));
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const words = `${says} the budgets could not be read: ${withoutFullStop(error.message)}`;
    for (const { intent } of silent) proven.set(intent.budgetId, doubt(words));
  }
  return proven;
}
