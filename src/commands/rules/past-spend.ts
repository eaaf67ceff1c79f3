import type { CivilDate } from '../../domain/civil-date.ts';
import { type BudgetId, campaignId } from '../../domain/ids.ts';
import type { PastSpend } from '../../language/results/report-result.ts';
import { COST } from '../../language/rules/evaluate/plan-rule.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { TrialAccount } from '../../language/trial/trial-account.ts';
import type { Store } from '../../storage/warehouse/store.ts';

type Amounts = ReturnType<TrialAccount['amountsBeside']>;

/**
 * Compares the recorded costs with the budgets of the trial, per budget and complete day. Recorded costs do not react.
 * So both results are bounds. A lower budget saves at most its reduction, and a higher budget adds at most its raise.
 * Undefined if the table has no cost per campaign.
 */
export async function pastSpend(
  { warehouse }: Store,
  rule: Rule,
  account: TrialAccount,
  amounts: ReadonlyMap<CivilDate, Amounts>,
  settled: ReadonlySet<CivilDate>,
): Promise<PastSpend | undefined> {
  const columnOf = (field: string) => rule.columns.find((column) => column.field === field)?.name;
  const campaign = columnOf('campaign.id');
  const cost = columnOf(COST);
  const [from, ...others] = amounts.keys();
  if (rule.change === undefined || campaign === undefined || cost === undefined || from === undefined) return undefined;
  const demand = {
    grain: 'campaign',
    ids: [campaign],
    metrics: [{ column: cost, type: 'INT64' }],
    attributes: [],
  } as const;
  const budgets = account.byCampaign();
  const costs = new Map<CivilDate, Map<BudgetId, bigint>>();
  let spent = 0n;
  const days = { from, to: others.at(-1) ?? from };
  for (const { day, ids, sums } of await warehouse.dayMembers(rule.from, account.customerId, demand, days)) {
    if (!settled.has(day)) continue;
    const own = sums[0] ?? 0n;
    spent += own;
    const budgetId = budgets.get(campaignId(String(ids[0])))?.budgetId;
    if (budgetId === undefined || !amounts.get(day)?.has(budgetId)) continue;
    const ofDay = costs.get(day) ?? new Map<BudgetId, bigint>();
    costs.set(day, ofDay.set(budgetId, (ofDay.get(budgetId) ?? 0n) + own));
  }
  let saved = 0n;
  let added = 0n;
  for (const [day, ofDay] of costs) {
    for (const [budgetId, own] of ofDay) {
      const amount = amounts.get(day)?.get(budgetId);
      if (amount === undefined) continue;
      if (amount.with > amount.without) added += own >= amount.without ? amount.with - amount.without : 0n;
      else if (own > amount.with) saved += least(own, amount.without) - amount.with;
    }
  }
  return { spent, saved, added };
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
