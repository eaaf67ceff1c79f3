import type { Settings } from '../../config/settings.ts';
import {
  addDays,
  type CivilDate,
  civilDateAt,
  type DateRange,
  daysBetween,
  daysOf,
  monthStart,
} from '../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import type { conversionLags } from '../../engine/read/conversion-lag.ts';
import { accountToday } from '../../engine/read/day-state.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import type { LastRead } from '../../storage/records/runs/coverage-table.ts';
import { mostClicked } from '../../storage/warehouse/publish/campaign-day.ts';
import type { PublishedAccount, PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { columnOfField, hasDays, type StoredQuery } from '../../storage/warehouse/query-table.ts';
import { comparedRange, PREVIOUS } from '../../views/report/comparison.ts';
import { descending } from '../../views/report/movers.ts';
import { newestSettled, RATE_DAYS } from '../../views/report/pace.ts';
import type { AccountFacts, CampaignFacts, DayFacts, DaySums, ReportFacts } from '../../views/report/report-facts.ts';
import type { BudgetBooks } from './page-budgets.ts';
import type { ReportFilter } from './report-filter.ts';

/** One year plus one day, to compare with the same date a year ago. */
const DAYS_SHOWN = 366;
const DETAILED_MAX = 12;
const ACCOUNTS_MAX = 200;

/** Sorted by recent clicks, because amounts in different currencies cannot be compared. */
export async function pageAccounts(
  file: PublishedData,
  query: string,
  books: BudgetBooks,
  {
    settings,
    nowMs,
    lastReadOf,
    lagsOf,
    budgetTables,
    filter = {},
    range,
    byValue,
  }: {
    readonly settings: Settings;
    readonly nowMs: number;
    readonly lastReadOf: (query: string, customer: CustomerId) => LastRead;
    readonly lagsOf: (accounts: Parameters<typeof conversionLags>[3]) => ReturnType<typeof conversionLags>;
    readonly budgetTables: readonly string[];
    readonly filter?: Partial<ReportFilter> | undefined;
    readonly range?: DateRange | undefined;
    /** True if people need the conversion values of days. */
    readonly byValue: boolean;
  },
): Promise<{ readonly accounts: AccountFacts[]; readonly leftOut: number }> {
  const { customers = [], campaigns = [], comparison = PREVIOUS } = filter;
  const named = campaigns.length > 0 ? await file.campaigns(campaigns) : [];
  const withCampaign = new Set(named.map((one) => one.customerId));
  const all = (await file.accounts())
    .filter(({ customerId }) => customers.length === 0 || customers.includes(customerId))
    .filter(({ customerId }) => campaigns.length === 0 || withCampaign.has(customerId));
  const clicks = await file.clicksSince(query, addDays(dayOf(nowMs), -RATE_DAYS));
  const clicksOf = ({ customerId }: PublishedAccount) => clicks.get(customerId) ?? 0n;
  const ranked = all.toSorted((one, other) => descending(clicksOf(one), clicksOf(other))).slice(0, ACCOUNTS_MAX);
  const accounts: AccountFacts[] = [];
  const read: Parameters<typeof lagsOf>[0][number][] = [];
  for (const [rank, account] of ranked.entries()) {
    const { customerId, name } = account;
    const ofAccount = settings.accounts.get(customerId);
    const timeZone = account.timeZone ?? ofAccount?.timeZone;
    const today = todayOf(account, nowMs);
    const year = addDays(today, -DAYS_SHOWN);
    const needed = range === undefined ? [] : [range.from, comparedRange(comparison, range)?.from ?? year];
    const from = [...needed, year].sort()[0] ?? year;
    const states = await file.dayStates(query, customerId, from);
    const days = await daysOfAccount(file, query, customerId, { from, to: today, states, byValue }, campaigns);
    read.push({ customerId, timeZone, days: [...states.values()] });
    accounts.push({
      customerId,
      name,
      currency: account.currency ?? ofAccount?.currency,
      timeZone,
      lastRead: { ...lastReadOf(query, customerId), at: await file.readAt(query, customerId) },
      oldBudgets: budgetTables
        .map((table) => ({ ...lastReadOf(table, customerId), table }))
        .filter(({ failure }) => failure !== undefined),
      days,
      budget: campaigns.length > 0 ? books.ofCampaigns(customerId, campaigns) : books.ofAccount(customerId),
      campaigns:
        rank < DETAILED_MAX
          ? (await campaignsOf(file, query, customerId, days, books)).filter(
              ({ campaignId }) => campaigns.length === 0 || campaigns.some((one) => one === campaignId),
            )
          : undefined,
    });
  }
  const hasResults = byValue || (await file.resultsIn(query)).includes('conversions');
  const lags = hasResults ? await lagsOf(read) : new Map();
  return {
    accounts: accounts.map((account) => ({ ...account, lag: lags.get(account.customerId) })),
    leftOut: all.length - accounts.length,
  };
}

function todayOf(account: PublishedAccount, nowMs: number): CivilDate {
  return account.timeZone === undefined ? dayOf(nowMs) : accountToday(account.timeZone, nowMs);
}

function dayOf(nowMs: number): CivilDate {
  return civilDateAt(nowMs, 'UTC');
}

const MISSING = { state: 'missing' } as const;
const UNKNOWN: DaySums = { costMicros: undefined, clicks: undefined };

/** A complete day without rows counts as zero. */
async function daysOfAccount(
  file: PublishedData,
  query: string,
  customer: CustomerId,
  {
    from,
    to: today,
    states,
    byValue,
  }: DateRange & { readonly states: Awaited<ReturnType<PublishedData['dayStates']>>; readonly byValue: boolean },
  campaigns: readonly CampaignId[],
): Promise<DayFacts[]> {
  const dates = [...states.keys()];
  const first = dates[0];
  const last = dates.at(-1);
  if (first === undefined || last === undefined) return [];
  const read =
    campaigns.length === 0
      ? await file.daySums(query, customer, from)
      : await file.daysOfCampaigns(query, customer, campaigns, from, today);
  const sums = new Map(read.map((day) => [day.date, day]));
  const none = (result: 'conversions' | 'conversionsValue') =>
    read.some((day) => day[result] !== undefined) ? 0 : undefined;
  const nothing: DaySums = {
    costMicros: 0n,
    clicks: 0n,
    conversions: none('conversions'),
    conversionsValue: none('conversionsValue'),
  };
  const end = last > today ? today : last;
  return (first > end ? [] : daysOf({ from: first, to: end })).map((date) => {
    const { state } = states.get(date) ?? MISSING;
    const sum: DaySums = state === 'missing' ? UNKNOWN : (sums.get(date) ?? nothing);
    const { costMicros, clicks, conversions, conversionsValue } = sum;
    return { date, state, costMicros, clicks, conversions, conversionsValue: byValue ? conversionsValue : undefined };
  });
}

async function campaignsOf(
  file: PublishedData,
  query: string,
  customer: CustomerId,
  days: readonly DayFacts[],
  books: BudgetBooks,
): Promise<CampaignFacts[]> {
  const until = newestSettled(days);
  if (until === undefined) return [];
  const from = daysBetween(monthStart(until), until) < RATE_DAYS ? addDays(until, 1 - RATE_DAYS) : monthStart(until);
  const names = await file.campaignNames(customer);
  const lost = await file.lostToBudget(query, customer, monthStart(until));
  return [...(await file.campaignDays(query, customer, { from, to: until }))].map(([campaign, ofCampaign]) => ({
    campaignId: campaign,
    name: names.get(campaign),
    days: ofCampaign,
    budget: books.ofCampaign(customer, campaign),
    lostToBudget: lost.get(campaign),
  }));
}

/** The query whose days the published `v_campaign_day` shows, too. */
export async function chooseTable(
  file: PublishedData,
  db: StateDb,
  queries: readonly StoredQuery[],
  nowMs: number,
): Promise<string | undefined> {
  const candidates: StoredQuery[] = [];
  for (const query of queries) if (await file.hasDays(query.name)) candidates.push(query);
  return (await mostClicked(db, candidates, nowMs))?.name;
}

const NEEDED = ['campaign.id', 'segments.date', 'metrics.clicks', 'metrics.cost_micros'] as const;

export function nearestTable(queries: readonly StoredQuery[]): ReportFacts['nearest'] {
  const [nearest] = queries
    .filter(hasDays)
    .map((query) => ({
      query: query.name,
      lacks: NEEDED.filter((field) => columnOfField(query, field) === undefined),
    }))
    .sort((one, other) => one.lacks.length - other.lacks.length);
  return nearest;
}

export function budgetTables(queries: readonly StoredQuery[]): ReportFacts['budgetTables'] {
  const has = (query: StoredQuery, field: string) => columnOfField(query, field) !== undefined;
  const listing = queries.filter(
    (query) => !hasDays(query) && has(query, 'campaign_budget.id') && has(query, 'campaign_budget.amount_micros'),
  );
  const linking = listing.filter((query) => has(query, 'campaign.id'));
  return { budgets: listing.map(({ name }) => name), campaigns: linking.map(({ name }) => name) };
}
