import type { BudgetBook } from '../budgets/read-budgets.ts';
import { subjectOf } from '../domain/budget-subject.ts';
import { notServing } from '../rules/guard-serving.ts';
import { type Refusal, refused } from '../rules/refusal.ts';
import type { Rule } from '../rules/rule.ts';
import type { DecidedChange } from '../store/decided-change.ts';

/**
 * Why a change that was decided before may not be made for its campaign now; undefined where it may. The campaign spends from
 * another budget, so that other campaigns would get the change, or none of those that the rule decided for runs.
 */
export function notServedNow(
  rule: Rule | undefined,
  { budgetId, campaignId }: Pick<DecidedChange, 'budgetId' | 'campaignId'>,
  { byCampaign }: Pick<BudgetBook, 'byCampaign'>,
): Refusal | undefined {
  const spending = [...byCampaign].filter(([, one]) => one.budgetId === budgetId);
  const own = campaignId === undefined ? spending : spending.filter(([id]) => id === campaignId);
  if (campaignId !== undefined && own.length === 0) {
    return refused('NOT_SERVING', { campaignId, budgetId });
  }
  const campaigns = own.map(([id, { campaignName, campaignStatus }]) => ({
    label: subjectOf({ campaignId: id, campaignName, budgetId }, 'with id'),
    status: campaignStatus,
  }));
  return rule && notServing(rule, campaigns);
}
