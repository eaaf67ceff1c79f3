import { type DateRange, overlapOf } from '../../domain/civil-date.ts';
import type { CampaignSums, PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { spendOfCampaigns, type WantedSpend } from '../../storage/warehouse/publish/published-selects.ts';
import { descending } from '../../views/report/movers.ts';
import type { AccountFacts, DaySums, RangeCampaign, ReportRange } from '../../views/report/report-facts.ts';
import type { ReportFilter } from './report-filter.ts';

const TOP_MAX = 25;

export async function topCampaigns(
  file: PublishedData | undefined,
  query: string | undefined,
  accounts: readonly AccountFacts[],
  { customers, campaigns }: ReportFilter,
  range: DateRange,
  byValue: boolean,
): Promise<Pick<ReportRange, 'top' | 'topSql'>> {
  if (file === undefined || query === undefined) return { top: [], topSql: undefined };
  const results = (await file.resultsIn(query)).filter((name) => byValue || name === 'conversions');
  const wanted = { query, range, customers, campaigns, results };
  const topSql = spendOfCampaigns(wanted);
  const sums = await file.campaignSums(wanted);
  const converted = results.length > 0 ? await convertedSums(file, wanted, accounts) : sums;
  const isOneCurrency = new Set(accounts.map(({ currency }) => currency)).size < 2;
  const weight = ({ costMicros, clicks }: DaySums) => (isOneCurrency ? costMicros : clicks) ?? -1n;
  const top = sums.toSorted((one, other) => descending(weight(one), weight(other))).slice(0, TOP_MAX);
  const names = await file.campaigns(top.map(({ campaignId }) => campaignId));
  const key = ({ customerId, campaignId }: Pick<RangeCampaign, 'customerId' | 'campaignId'>) =>
    `${customerId} ${campaignId}`;
  const nameOf = new Map(names.map((one) => [key(one), one.name]));
  const convertedOf = new Map(converted.map((one) => [key(one), one]));
  return {
    top: top.map((one) => ({ ...one, name: nameOf.get(key(one)), converted: convertedOf.get(key(one)) })),
    topSql,
  };
}

/** Without the days whose conversions are still arriving. */
async function convertedSums(
  file: PublishedData,
  wanted: WantedSpend,
  accounts: readonly AccountFacts[],
): Promise<CampaignSums[]> {
  const sums: CampaignSums[] = [];
  const { from } = wanted.range;
  for (const [until, own] of Map.groupBy(accounts, ({ lag }) => lag?.completeUntil)) {
    const range = until === undefined || until < from ? undefined : overlapOf(wanted.range, { from, to: until });
    if (range === undefined) continue;
    sums.push(...(await file.campaignSums({ ...wanted, range, customers: own.map(({ customerId }) => customerId) })));
  }
  return sums;
}
