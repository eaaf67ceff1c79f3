import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { UnreadableBudget } from '../../domain/unreadable-budget.ts';
import type { App } from '../../engine/app.ts';
import type { BudgetBook } from '../../engine/budgets/read-budgets.ts';
import { LEARNED_DAYS } from '../../language/rules/pacing/plan-pace.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { TrialBudget } from '../../language/trial/trial-account.ts';
import { changesSince, lastSet } from '../../storage/records/budgets/past-changes.ts';

export interface PastBudgets {
  readonly budgets: readonly TrialBudget[];
  readonly unreadable: readonly UnreadableBudget[];
  readonly byOthers: ReadonlyMap<CivilDate, readonly { readonly budgetId: BudgetId; readonly amount: Micros }[]>;
}

/** Also returns later changes by others, because the trial replaces only changes by pacekeeper. */
export async function pastBudgets(
  { state }: Pick<App, 'state'>,
  book: Pick<BudgetBook, 'amounts' | 'byCampaign' | 'removed' | 'unreadable'>,
  customer: CustomerId,
  { from, to }: DateRange,
  { limits }: Rule,
  settleDays: number,
): Promise<PastBudgets> {
  // Pacing needs the budgets of the weeks before the first day.
  const daysBack = Math.max(settleDays + 1 + LEARNED_DAYS, limits.cooldownDays ?? 0, limits.drift?.days ?? 0);
  const changes = await changesSince(state.db, customer, addDays(from, -daysBack));
  const ledger = await lastSet(state.db, customer);
  const campaignsOf = Map.groupBy(book.byCampaign, ([, { budgetId }]) => budgetId);
  const byOthers = new Map<CivilDate, { budgetId: BudgetId; amount: Micros }[]>();
  const budgets = [...book.amounts].map(([budgetId, amountNow]): TrialBudget => {
    const own = changes.get(budgetId) ?? [];
    const since = own.filter(({ day }) => day >= from);
    const campaigns = campaignsOf.get(budgetId) ?? [];
    for (const { day, by, to: amount } of since) {
      if (by === 'foreign' && day <= to) byOthers.set(day, [...(byOthers.get(day) ?? []), { budgetId, amount }]);
    }
    return {
      budgetId,
      // Recorded amounts are preferred: today's amount can include a change by others that is not recorded yet.
      amount: since[0]?.from ?? ledger.get(budgetId)?.to ?? amountNow,
      campaigns: campaigns.map(([id, { campaignName: name, campaignStatus: status }]) => ({ id, name, status })),
      removed: book.removed.has(budgetId),
      changes: own.filter(({ day }) => day < from),
    };
  });
  return { budgets, unreadable: [...book.unreadable.values()], byOthers };
}
