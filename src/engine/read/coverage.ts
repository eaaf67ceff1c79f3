import { addDays, type CivilDate, type DateRange, daysBetween, overlapOf } from '../../domain/civil-date.ts';
import { allCompleteUntil, completeUntil, type DaysOfState } from '../../domain/complete-days.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { grouped } from '../../domain/wording.ts';
import {
  type CoveredAccount,
  coveredAccounts,
  lastReads,
  restatements,
} from '../../storage/records/runs/coverage-table.ts';
import { type AccountCoverage, daysIn, lackedBy } from '../../views/coverage.ts';
import type { QueryCoverage } from '../../views/status.ts';
import { firstOf } from '../../views/text/text-layout.ts';
import type { StateApp } from '../app.ts';
import { accountToday } from './day-state.ts';

export interface CoverageOptions {
  /** An empty list means all queries. */
  readonly queries: readonly string[];
  readonly customers: readonly CustomerId[];
  readonly from: CivilDate | undefined;
  readonly to: CivilDate | undefined;
}

type Sources = Pick<StateApp, 'state' | 'clock'>;

const ALL: CoverageOptions = { queries: [], customers: [], from: undefined, to: undefined };

export async function coverage(sources: Sources, options = ALL): Promise<AccountCoverage[]> {
  const accounts = await calendars(sources, options);
  const moved = await restatements(sources.state);
  return accounts.map((account) => {
    return { ...account, restated: moved.get(`${account.query} ${account.customerId}`) };
  });
}

type Calendar = Omit<AccountCoverage, 'restated'>;

/** With a filter, an account may have no day although it was read. */
function wasRead({ days, lastRead }: Calendar): boolean {
  return days.length > 0 || lastRead.at !== undefined;
}

export async function queryCoverage(sources: Sources): Promise<QueryCoverage[]> {
  return coverageByQuery(await calendars(sources, ALL));
}

export function coverageByQuery(accounts: readonly Calendar[]): QueryCoverage[] {
  return grouped(accounts, ({ query }) => query).map(summed);
}

function summed(accounts: readonly Calendar[]): QueryCoverage {
  const read = accounts.filter(wasRead);
  const sum = (of: (account: Calendar) => number) => read.reduce((total, account) => total + of(account), 0);
  return {
    query: accounts[0]?.query ?? '',
    accounts: accounts.length,
    neverRead: accounts.length - read.length,
    completeUntil: allCompleteUntil(read.map((account) => account.completeUntil)),
    missing: sum(lackedBy),
    provisional: sum((account) => daysIn(account, 'provisional')),
    failed: accounts.filter(({ lastRead }) => lastRead.failure !== undefined).length,
  };
}

async function calendars({ state, clock }: Sources, options: CoverageOptions): Promise<Calendar[]> {
  const all = await coveredAccounts(state);
  refuseUnknown('query', options.queries, new Set(all.map(({ query }) => query)));
  refuseUnknown('account', options.customers, new Set(all.map(({ customerId }) => customerId)));
  const isWanted = <Item>(list: readonly Item[], item: Item) => list.length === 0 || list.includes(item);
  const lastReadOf = await lastReads(state.db);
  const yesterdays = new Map<string | undefined, CivilDate>();
  const yesterdayIn = (timeZone: string | undefined): CivilDate => {
    const day = yesterdays.get(timeZone) ?? addDays(accountToday(timeZone, clock.now()), -1);
    yesterdays.set(timeZone, day);
    return day;
  };
  return all
    .filter(({ query, customerId }) => isWanted(options.queries, query) && isWanted(options.customers, customerId))
    .map((account) => {
      const { query, customerId, name, timeZone } = account;
      const yesterday = yesterdayIn(timeZone);
      const known = calendarOf(account, rangeOf(account, ALL, yesterday));
      const days = calendarOf(account, rangeOf(account, options, yesterday));
      const lastRead = lastReadOf(query, customerId);
      const { at, failure } = lastRead;
      const lastReadDay =
        at === undefined || failure !== undefined ? undefined : accountToday(timeZone, Date.parse(at));
      return { query, customerId, name, days, completeUntil: completeUntil(known), lastRead, lastReadDay };
    });
}

function rangeOf(
  { known }: CoveredAccount,
  { from, to }: Pick<CoverageOptions, 'from' | 'to'>,
  yesterday: CivilDate,
): DateRange | undefined {
  const last = known.at(-1)?.to;
  if (last === undefined) return undefined;
  const first = from ?? known[0]?.from ?? last;
  // Today counts only if it was read, because it cannot be missing yet.
  const shown = last > yesterday ? last : yesterday;
  const end = to !== undefined && to < shown ? to : shown;
  return end < first ? undefined : { from: first, to: end };
}

function calendarOf({ known }: CoveredAccount, range: DateRange | undefined): DaysOfState[] {
  if (range === undefined) return [];
  const days: DaysOfState[] = [];
  let next = range.from;
  for (const stretch of known) {
    const shown = overlapOf(stretch, range);
    if (shown === undefined) continue;
    if (daysBetween(next, shown.from) > 0) days.push({ from: next, to: addDays(shown.from, -1), state: 'missing' });
    days.push({ ...shown, state: stretch.state });
    next = addDays(shown.to, 1);
  }
  if (next <= range.to) days.push({ from: next, to: range.to, state: 'missing' });
  return days;
}

const NAMED_MAX = 10;

function refuseUnknown(what: 'query' | 'account', wanted: readonly string[], known: ReadonlySet<string>): void {
  const absent = wanted.filter((name) => !known.has(name));
  if (absent.length === 0) return;
  const there = known.size === 0 ? `No ${what} has days yet` : `Days were read for ${firstOf([...known], NAMED_MAX)}`;
  throw new InputError(`No days were read for the ${what} ${absent.join(', ')}. ${there}.`, {
    nextStep:
      what === 'query'
        ? 'Run pacekeeper extract to read missing days. Queries without days have no calendar.'
        : 'Name another account with --customer, or run pacekeeper extract first.',
  });
}
