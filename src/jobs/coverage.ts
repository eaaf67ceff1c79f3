import type { StateApp } from '../app.ts';
import { addDays, type CivilDate, type DateRange, daysOf } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { accountToday } from '../extract/day-state.ts';
import type { AccountCoverage } from '../report/render-coverage.ts';
import { type CoveredAccount, coveredAccounts, restatements } from '../store/coverage-table.ts';

export interface CoverageOptions {
  /** Only these; empty for all. */
  readonly queries: readonly string[];
  readonly customers: readonly CustomerId[];
  /** Undefined ends: from the first day that was read, to the account's yesterday. */
  readonly from: CivilDate | undefined;
  readonly to: CivilDate | undefined;
}

/** What is known of every day: per query and account, and how far its days moved after they were over. */
export async function coverage({ state, clock }: StateApp, options: CoverageOptions): Promise<AccountCoverage[]> {
  const all = await coveredAccounts(state.db);
  refuseUnknown('query', options.queries, new Set(all.map(({ query }) => query)));
  refuseUnknown('account', options.customers, new Set(all.map(({ customerId }) => customerId)));
  const moved = await restatements(state.db);
  const isWanted = <Item>(list: readonly Item[], item: Item) => list.length === 0 || list.includes(item);
  return all
    .filter(({ query, customerId }) => isWanted(options.queries, query) && isWanted(options.customers, customerId))
    .map((account) => {
      const yesterday = addDays(accountToday(account.timeZone, clock.now()), -1);
      const { query, customerId, name } = account;
      const days = stateOfDays(account, rangeOf(account, options, yesterday));
      return { query, customerId, name, days, restated: moved.get(`${query} ${customerId}`) };
    });
}

function rangeOf({ days }: CoveredAccount, { from, to }: CoverageOptions, yesterday: CivilDate): DateRange | undefined {
  const first = from ?? days[0]?.date;
  const last = days.at(-1)?.date;
  const end = to ?? (last !== undefined && last > yesterday ? last : yesterday);
  return first === undefined || end < first ? undefined : { from: first, to: end };
}

function stateOfDays({ days }: CoveredAccount, range: DateRange | undefined): AccountCoverage['days'] {
  if (range === undefined) return [];
  const states = new Map(days.map(({ date, state }) => [date, state]));
  return daysOf(range).map((date) => ({ date, state: states.get(date) ?? 'missing' }));
}

function refuseUnknown(what: 'query' | 'account', wanted: readonly string[], known: ReadonlySet<string>): void {
  const absent = wanted.filter((name) => !known.has(name));
  if (absent.length === 0) return;
  const there = [...known].join(', ') || 'none';
  throw new InputError(`No day of the ${what} ${absent.join(', ')} was read; days were read of ${there}.`, {
    nextStep: 'A query that names no days has no calendar; run pacekeeper extract to read what is missing.',
  });
}
