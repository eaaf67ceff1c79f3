import { parseCampaignStatus } from '../../domain/campaign-status.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { micros } from '../../domain/micros.ts';
import type { StateApp } from '../../engine/app.ts';
import { expectedAmounts } from '../../engine/budgets/compare-budgets.ts';
import type { BudgetBook } from '../../engine/budgets/read-budgets.ts';
import { NOTHING_ELSEWHERE, type ReadRecorded } from '../../engine/evaluate/evaluate-rules.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { storedQueries } from '../../storage/warehouse/query-table.ts';
import { booksOf, decidedBudgets } from '../report/gather-report.ts';

/** Budgets as they were last read or changed. A page asks no service. Labels are not on record. */
export async function recordedBudgets(
  { state, settings, clock }: StateApp,
  file: PublishedData | undefined,
): Promise<(customer: CustomerId) => ReturnType<ReadRecorded>> {
  const queries = await storedQueries(state.db);
  const books = await booksOf({ state, settings }, file, queries, await decidedBudgets(settings, state));
  const standings = Map.groupBy(books.all(), ({ customerId }) => customerId);
  const ids = [...standings.values()].flat().flatMap(({ campaigns }) => campaigns);
  const named = new Map(
    ((await file?.campaigns(ids)) ?? []).map((one) => [`${one.customerId} ${one.campaignId}`, one]),
  );
  const readAt = instantText(clock.now());
  return async (customerId) => {
    const own = standings.get(customerId) ?? [];
    const source = own.some(({ table }) => table !== undefined) ? 'read' : 'declared';
    const recorded = await expectedAmounts(state.db, customerId);
    const amounts = new Map(
      own.map(({ budgetId, amount }) => [budgetId, recorded.get(budgetId)?.to ?? micros(amount)]),
    );
    const byCampaign = new Map<CampaignId, NonNullable<ReturnType<BudgetBook['byCampaign']['get']>>>();
    for (const { budgetId, amount: listed, campaigns } of own) {
      const amount = amounts.get(budgetId) ?? micros(listed);
      for (const campaign of campaigns) {
        const { name: campaignName, status } = named.get(`${customerId} ${campaign}`) ?? {};
        const campaignStatus = parseCampaignStatus(status);
        byCampaign.set(campaign, { budgetId, amount, source, campaignName, campaignStatus });
      }
    }
    const said = [...(settings.budgets.get(customerId) ?? [])].map(([id, { amount }]) => [id, amount] as const);
    const none = { unreadable: new Map(), removed: new Set<never>() };
    const book: BudgetBook = { source, readAt, byCampaign, amounts, ...none, declared: new Map(said) };
    return { book, labels: undefined, elsewhere: NOTHING_ELSEWHERE };
  };
}
