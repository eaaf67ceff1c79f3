import type { BudgetSubject } from '../../domain/budget-change.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { StateApp } from '../../engine/app.ts';
import { withPublished } from '../../engine/with-published.ts';
import type { PublishedBudget, PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { storedQueries } from '../../storage/warehouse/query-table.ts';
import { firstOf } from '../../views/text/text-layout.ts';

interface OnBudget extends Omit<BudgetSubject, 'budgetId'> {
  readonly customerId: CustomerId;
  readonly budgetId?: BudgetId | undefined;
}

/** Names a budget without a campaign of its own: its name at the service, else the names of its campaigns. */
export type NameBudget = <Row extends OnBudget>(row: Row) => Row;

const CAMPAIGNS_MAX = 2;

export async function budgetNames(
  file: PublishedData | undefined,
  listed: readonly PublishedBudget[],
): Promise<NameBudget> {
  const names = new Map<string, string>();
  const shared = new Map<string, readonly CampaignId[]>();
  for (const [key, rows] of Map.groupBy(listed, ({ customerId, budgetId }) => `${customerId} ${budgetId}`)) {
    const own = rows.findLast(({ name }) => name)?.name;
    const campaigns = [...new Set(rows.flatMap(({ campaignId }) => campaignId ?? []))];
    if (own !== undefined) names.set(key, own);
    else if (campaigns.length > 1) shared.set(key, campaigns);
  }
  const found = shared.size === 0 ? [] : ((await file?.campaigns([...shared.values()].flat())) ?? []);
  const nameOf = new Map(found.map(({ campaignId, name }) => [campaignId, name]));
  for (const [key, campaigns] of shared) {
    const all = campaigns.map((id) => nameOf.get(id) ?? `campaign ${id}`);
    names.set(key, firstOf(all, CAMPAIGNS_MAX));
  }
  return (row) =>
    row.campaignId === undefined && row.campaignName === undefined
      ? { ...row, campaignName: names.get(`${row.customerId} ${row.budgetId}`) }
      : row;
}

/** From the published file. Without it, budgets have no names. */
export async function namesOfBudgets(app: StateApp): Promise<NameBudget> {
  const queries = await storedQueries(app.state.db);
  return withPublished(app, async (file) => budgetNames(file, (await file?.budgets(queries)) ?? []));
}
