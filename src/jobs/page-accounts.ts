import type { Settings } from '../config/settings.ts';
import { addDays, type CivilDate, daysBetween, daysOf, instantText, monthStart } from '../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../domain/ids.ts';
import type { LastRead } from '../domain/last-read.ts';
import { accountToday } from '../extract/day-state.ts';
import { newestSettled, RATE_DAYS } from '../page/pacing.ts';
import type { AccountFacts, CampaignFacts, DailyBudget, DayFacts, DaySums } from '../page/report-facts.ts';
import type { PublishedAccount, PublishedFile } from '../warehouse/page-facts.ts';
import type { BudgetBooks } from './page-budgets.ts';

/** A year and a day: the months of a year, and the same day of the last one. */
const DAYS_SHOWN = 366;
/** How many accounts are shown campaign by campaign, and how many at all. */
const DETAILED_MAX = 12;
const ACCOUNTS_MAX = 200;

/** The accounts of the page: those with most clicks of late first, because amounts of two currencies do not compare. */
export function pageAccounts(
  file: PublishedFile,
  query: string,
  books: BudgetBooks,
  {
    settings,
    nowMs,
    lastReadOf,
    budgetTables,
  }: {
    readonly settings: Settings;
    readonly nowMs: number;
    readonly lastReadOf: (query: string, customer: CustomerId) => LastRead;
    readonly budgetTables: readonly string[];
  },
): { readonly accounts: AccountFacts[]; readonly leftOut: number } {
  const all = file.accounts();
  const recent = (account: PublishedAccount): bigint => {
    const since = addDays(todayOf(account, nowMs), -RATE_DAYS);
    return file.daySums(query, account.customerId, since).reduce((sum, { clicks }) => sum + (clicks ?? 0n), 0n);
  };
  const ranked = all
    .map((account) => ({ account, clicks: recent(account) }))
    .sort((one, other) => (one.clicks < other.clicks ? 1 : one.clicks > other.clicks ? -1 : 0))
    .slice(0, ACCOUNTS_MAX);
  const accounts = ranked.map(({ account }, rank) => {
    const today = todayOf(account, nowMs);
    const days = daysOfAccount(file, query, account.customerId, addDays(today, -DAYS_SHOWN), today);
    const ofAccount = settings.accounts.get(account.customerId);
    return {
      customerId: account.customerId,
      name: account.name,
      currency: account.currency ?? ofAccount?.currency,
      timeZone: account.timeZone ?? ofAccount?.timeZone,
      lastRead: {
        ...lastReadOf(query, account.customerId),
        at: file.readAt(query, account.customerId),
      },
      oldBudgets: budgetTables
        .map((table) => ({ ...lastReadOf(table, account.customerId), table }))
        .filter(({ failure }) => failure !== undefined),
      days,
      budget: books.ofAccount(account.customerId),
      campaigns:
        rank < DETAILED_MAX
          ? campaignsOf(file, query, account.customerId, days, (campaign) =>
              books.ofCampaign(account.customerId, campaign),
            )
          : undefined,
    };
  });
  return { accounts, leftOut: all.length - accounts.length };
}

function todayOf(account: PublishedAccount, nowMs: number): CivilDate {
  return account.timeZone === undefined
    ? (instantText(nowMs).slice(0, 10) as CivilDate)
    : accountToday(account.timeZone, nowMs);
}

const NOTHING: DaySums = { costMicros: 0n, clicks: 0n };
const UNKNOWN: DaySums = { costMicros: undefined, clicks: undefined };

/** From the first day that is known, without a gap: a complete day that has no rows came to nothing. */
function daysOfAccount(
  file: PublishedFile,
  query: string,
  customer: CustomerId,
  from: CivilDate,
  today: CivilDate,
): DayFacts[] {
  const states = file.dayStates(query, customer, from);
  const dates = [...states.keys()];
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return [];
  const sums = new Map(file.daySums(query, customer, from).map((day) => [day.date, day]));
  const end = last > today ? today : last;
  return (first > end ? [] : daysOf({ from: first, to: end })).map((date) => {
    const state = states.get(date) ?? 'missing';
    const read = state === 'missing' ? UNKNOWN : (sums.get(date) ?? NOTHING);
    return { date, state, costMicros: read.costMicros, clicks: read.clicks };
  });
}

function campaignsOf(
  file: PublishedFile,
  query: string,
  customer: CustomerId,
  days: readonly DayFacts[],
  budgetOf: (campaign: CampaignId) => DailyBudget | undefined,
): CampaignFacts[] {
  const until = newestSettled(days);
  if (until === undefined) return [];
  const settled = new Set(days.filter(({ state }) => state === 'settled').map(({ date }) => date));
  const from = daysBetween(monthStart(until), until) < RATE_DAYS ? addDays(until, 1 - RATE_DAYS) : monthStart(until);
  const names = file.campaignNames(customer);
  return [...file.campaignDays(query, customer, from)].map(([campaign, ofCampaign]) => ({
    campaignId: campaign,
    name: names.get(campaign),
    days: new Map(ofCampaign.filter(({ date }) => settled.has(date)).map((day) => [day.date, day])),
    budget: budgetOf(campaign),
  }));
}
