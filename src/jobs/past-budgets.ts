import type { App } from '../app.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { addDays, type CivilDate, type DateRange } from '../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import { LEARNED_DAYS } from '../rules/pacing/plan-pace.ts';
import type { Rule } from '../rules/rule.ts';
import { changesSince, lastSet } from '../store/past-changes.ts';
import type { TrialBudget } from '../trial/trial-account.ts';

/** The budgets of an account when the first of some days began, and what others did to them on these days. */
export interface PastBudgets {
  readonly budgets: readonly TrialBudget[];
  /** Those whose amounts nobody knows now. */
  readonly unreadable: readonly BudgetId[];
  readonly byOthers: ReadonlyMap<CivilDate, readonly { readonly budgetId: BudgetId; readonly amount: Micros }[]>;
}

/**
 * The budgets that there are now, with the recorded changes undone back to the first of the days. Of the changes on the
 * days themselves only those of other people are given: what rules did then, and who took it back, is for the trial to decide.
 */
export async function pastBudgets(
  { state }: Pick<App, 'state'>,
  book: Pick<BudgetBook, 'amounts' | 'byCampaign' | 'removed' | 'unreadable'>,
  customer: CustomerId,
  { from, to }: DateRange,
  { limits }: Rule,
  settleDays: number,
): Promise<PastBudgets> {
  // Pacing asks what budgets were on days that were not settled, and on the weeks before them.
  const daysBack = Math.max(settleDays + 1 + LEARNED_DAYS, limits.cooldownDays ?? 0, limits.drift?.days ?? 0);
  const changes = await changesSince(state.db, customer, addDays(from, -daysBack));
  const ledger = await lastSet(state.db, customer);
  const campaigns = new Map<BudgetId, TrialBudget['campaigns'][number][]>();
  for (const [id, { budgetId, campaignName: name, campaignStatus: status }] of book.byCampaign) {
    const own = campaigns.get(budgetId) ?? [];
    campaigns.set(budgetId, own);
    own.push({ id, name, status });
  }
  const byOthers = new Map<CivilDate, { budgetId: BudgetId; amount: Micros }[]>();
  const budgets = [...book.amounts].map(([budgetId, amountNow]): TrialBudget => {
    const own = changes.get(budgetId) ?? [];
    const since = own.filter(({ day }) => day >= from);
    for (const { day, by, to: amount } of since) {
      if (by === 'foreign' && day <= to) byOthers.set(day, [...(byOthers.get(day) ?? []), { budgetId, amount }]);
    }
    return {
      budgetId,
      // Where the ledger ends with another amount, someone changed it since, on a day that is not on record.
      amount: since[0]?.from ?? ledger.get(budgetId)?.to ?? amountNow,
      campaigns: campaigns.get(budgetId) ?? [],
      removed: book.removed.has(budgetId),
      changes: own.filter(({ day }) => day < from),
    };
  });
  return { budgets, unreadable: [...book.unreadable], byOthers };
}
