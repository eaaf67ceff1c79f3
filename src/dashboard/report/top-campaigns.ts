import { type CivilDate, type DateRange, overlapOf } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { CampaignSums, PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { spendOfCampaigns, type WantedSpend } from '../../storage/warehouse/publish/published-selects.ts';
import { rangeText } from '../../views/html/wording.ts';
import { type Comparison, lengthOf } from '../../views/report/comparison.ts';
import { descending } from '../../views/report/movers.ts';
import { rangeFigures } from '../../views/report/range-figures.ts';
import type { AccountFacts, DaySums, PeriodSums, RangeCampaign, ReportRange } from '../../views/report/report-facts.ts';
import type { ReportFilter } from './report-filter.ts';

const TOP_MAX = 25;

export async function topCampaigns(
  file: PublishedData | undefined,
  query: string | undefined,
  accounts: readonly AccountFacts[],
  { customers, campaigns, comparison }: ReportFilter,
  range: DateRange,
  byValue: boolean,
): Promise<Pick<ReportRange, 'top' | 'topSql'>> {
  if (file === undefined || query === undefined) return { top: [], topSql: undefined };
  const results = (await file.resultsIn(query)).filter((name) => byValue || name === 'conversions');
  const wanted = { query, range, customers, campaigns, results };
  const topSql = spendOfCampaigns(wanted);
  const sums = await file.campaignSums(wanted);
  const isOneCurrency = new Set(accounts.map(({ currency }) => currency)).size < 2;
  const weight = ({ costMicros, clicks }: DaySums) => (isOneCurrency ? costMicros : clicks) ?? -1n;
  const top = sums.toSorted((one, other) => descending(weight(one), weight(other))).slice(0, TOP_MAX);
  const names = await file.campaigns(top.map(({ campaignId }) => campaignId));
  const nameOf = new Map(names.map((one) => [keyOf(one), one.name]));
  const lags = new Map(accounts.map(({ customerId, lag }) => [customerId, beforeArriving(range, lag?.completeUntil)]));
  const converted = results.length > 0 ? await sumsOfRanges(file, wanted, lags) : sumsByCampaign(sums, range);
  const compared = await comparedSums(file, wanted, accounts, comparison);
  return {
    top: top.map((one) => {
      const key = keyOf(one);
      return { ...one, name: nameOf.get(key), converted: converted.get(key), ...compared(key) };
    }),
    topSql,
  };
}

function beforeArriving({ from, to }: DateRange, until: CivilDate | undefined): DateRange | undefined {
  return until === undefined ? undefined : overlapOf({ from, to }, { from, to: until });
}

/** Only of accounts whose compared days are all complete. A campaign without rows on these days is unknown. */
async function comparedSums(
  file: PublishedData,
  wanted: WantedSpend,
  accounts: readonly AccountFacts[],
  comparison: Comparison | undefined,
): Promise<(key: string) => Pick<RangeCampaign, 'before' | 'convertedBefore'>> {
  if (comparison === undefined) return () => ({ before: undefined, convertedBefore: undefined });
  const figures = accounts.map((one) => ({
    customerId: one.customerId,
    own: rangeFigures(one.days, wanted.range, one.lag, comparison),
  }));
  const before = figures.map(({ customerId, own }) => [customerId, own?.before && own.against] as const);
  const arrived = figures.map(({ customerId, own }) => {
    return [customerId, own?.converted?.before && own.converted.against] as const;
  });
  const all = await sumsOfRanges(file, wanted, new Map(before));
  const converted = await sumsOfRanges(file, wanted, new Map(arrived));
  return (key) => ({ before: all.get(key), convertedBefore: converted.get(key) });
}

/** Sums of campaigns over the complete days of a range for each account. */
export async function sumsOfRanges(
  file: PublishedData,
  wanted: WantedSpend,
  ranges: ReadonlyMap<CustomerId, DateRange | undefined>,
): Promise<ReadonlyMap<string, PeriodSums>> {
  const found = new Map<string, PeriodSums>();
  for (const own of Map.groupBy(ranges, ([, range]) => range && rangeText(range)).values()) {
    const range = own[0]?.[1];
    if (range === undefined) continue;
    const customers = own.map(([customer]) => customer);
    const sums = await file.campaignSums({ ...wanted, range, customers });
    for (const [key, one] of sumsByCampaign(sums, range)) found.set(key, one);
  }
  return found;
}

function sumsByCampaign(sums: readonly CampaignSums[], range: DateRange): ReadonlyMap<string, PeriodSums> {
  return new Map(sums.map((one) => [keyOf(one), { ...one, days: lengthOf(range) }]));
}

export const keyOf = ({ customerId, campaignId }: Pick<CampaignSums, 'customerId' | 'campaignId'>) =>
  `${customerId} ${campaignId}`;
