import { type CivilDate, daysBetween } from '../domain/civil-date.ts';
import type { DayState, DaysOfState } from '../domain/complete-days.ts';
import type { CustomerId } from '../domain/ids.ts';
import { shortLine } from '../domain/outside-text.ts';
import { PAGES } from '../domain/pages.ts';
import { CUSTOMER } from '../storage/columns/budget-columns.ts';
import { type Column, count, day, instant, json, state, text } from '../storage/columns/column.ts';
import { DAY_MARKS } from '../storage/columns/state-words.ts';
import type { LastRead } from '../storage/records/runs/coverage-table.ts';
import { type Listing, part } from './kit/listing.ts';
import { onPage } from './kit/page-column.ts';
import { count as counted } from './text/text-layout.ts';

export interface AccountCoverage {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  /** Empty if the account was never read. */
  readonly days: readonly DaysOfState[];
  /** The last complete day before the first gap. */
  readonly completeUntil: CivilDate | undefined;
  readonly lastRead: LastRead;
  /** The account's day of the last read. Undefined if the newest attempt failed. */
  readonly lastReadDay: CivilDate | undefined;
  /** `lagDays` is the longest time between a day and its correction. */
  readonly restated: { readonly days: bigint; readonly lagDays: bigint } | undefined;
}

type OfTable = Pick<AccountCoverage, 'query' | 'customerId' | 'name'>;

const FAILURE_MAX = 120;
const QUERY = text('query', 'The query, which is also the name of its table.', 'query');
const NAME = text('name', "The account's name.", 'name');

const LAST_READ: Column<AccountCoverage> = instant(
  'last_read_at',
  'When it was last read.',
  ({ lastRead }) => lastRead.at,
  {
    title: 'Last read',
    only: ['people'],
  },
);
const FAILURE: Column<AccountCoverage> = text(
  'failure',
  'The error of the last attempt, if it failed.',
  ({ lastRead }) => lastRead.failure,
  {
    title: 'Last read failed',
    only: ['people'],
    long: true,
    shown: ({ lastRead: { failure } }) => failure && `last read failed: ${shortLine(failure, FAILURE_MAX)}`,
  },
);

export const COVERAGE_COLUMNS: readonly Column<AccountCoverage>[] = [
  QUERY,
  {
    ...CUSTOMER,
    wraps: true,
    shown: namedAccount,
    link: calendarPath,
  },
  NAME,
  daysColumn('settled', 'Complete'),
  daysColumn('provisional', 'Provisional'),
  { ...daysColumn('missing', 'Missing'), note: gapWords },
  {
    ...daysColumn('other_question', 'Other query'),
    shown: (row) => (daysIn(row, 'other_question') === 0 ? undefined : String(daysIn(row, 'other_question'))),
  },
  day('complete_until', 'The last day before the first missing day.', 'completeUntil', {
    title: 'Complete until',
    only: ['people'],
  }),
  json('days', 'The days by state.', ({ days }) => days.map(({ from, to, state: is }) => ({ from, to, state: is }))),
  count('restated_days', 'Days that the service corrected after they ended.', ({ restated }) => restated?.days ?? 0n),
  count('observed_lag_days', 'The longest delay of such a correction, in days.', ({ restated }) => restated?.lagDays),
  text('corrected', 'Days that the service corrected after they ended.', ({ restated }) => correctedWords(restated), {
    title: 'Late corrections',
    only: ['people'],
  }),
  LAST_READ,
  FAILURE,
];

/** For a list of several tables. */
export const TABLE_COVERAGE_COLUMNS = COVERAGE_COLUMNS.map((column) =>
  column.key === QUERY.key ? { ...column, title: 'Table' } : column,
);

const RANGE_COLUMNS: readonly Column<OfTable & DaysOfState>[] = [
  QUERY,
  CUSTOMER,
  NAME,
  state(
    'state',
    `${Object.keys(DAY_MARKS).join(', ')}. \`settled\` means complete. \`other_question\` means outdated: read before the query changed.`,
    'state',
  ),
  day('from', 'The first day.', 'from'),
  day('to', 'The last day.', 'to'),
  count('days', 'Number of days.', lengthOf),
];

function calendarPath({ query, customerId }: OfTable): string {
  return `${PAGES.coverage.path}?${new URLSearchParams({ query, customer: customerId })}`;
}

export interface Gap extends OfTable, DaysOfState {
  readonly failure: string | undefined;
  readonly isUnread: boolean;
}

export const GAP_COLUMNS: readonly Column<Gap>[] = [
  { ...QUERY, title: 'Table' },
  { ...CUSTOMER, shown: namedAccount, link: calendarPath },
  onPage.day('From', 'from'),
  onPage.day('To', 'to'),
  onPage.count('Days', lengthOf),
  onPage.state('State', 'state', {
    word: ({ state: is, isUnread }) =>
      isUnread ? ['not read yet', 'waits'] : [is === 'missing' ? 'missing' : 'outdated', 'bad'],
  }),
  onPage.text('Last read failed', 'failure', {
    long: true,
    shown: ({ failure }) => failure && shortLine(failure, FAILURE_MAX),
  }),
];

export const FAILED_READ_COLUMNS: readonly Column<AccountCoverage>[] = [
  { ...QUERY, title: 'Table' },
  { ...CUSTOMER, shown: namedAccount, link: calendarPath },
  LAST_READ,
  FAILURE,
];

/** Ranges of missing or outdated days, longest first. */
export function gapsOf(accounts: readonly AccountCoverage[]): Gap[] {
  const gaps = accounts.flatMap(({ query, customerId, name, days, lastReadDay, lastRead: { failure } }) =>
    days
      .filter(isLacking)
      .map((gap) => ({ query, customerId, name, ...gap, failure, isUnread: isUnreadYet(gap, lastReadDay) })),
  );
  return gaps.toSorted((one, other) => lengthOf(other) - lengthOf(one));
}

const GAPS_SHOWN = 3;

function gapWords({ days, lastReadDay }: AccountCoverage): string | undefined {
  const gaps = days.filter(isLacking);
  if (gaps.length === 0) return undefined;
  const shown = gaps.slice(0, GAPS_SHOWN).map((gap) => {
    const { from, to } = gap;
    return `${from === to ? from : `${from} to ${to}`}${isUnreadYet(gap, lastReadDay) ? ' (not read yet)' : ''}`;
  });
  return `${shown.join(', ')}${gaps.length > GAPS_SHOWN ? ' …' : ''}`;
}

function lengthOf({ from, to }: DaysOfState): number {
  return daysBetween(from, to) + 1;
}

function namedAccount({ name, customerId }: OfTable): string {
  return name === undefined ? customerId : `${name} (${customerId})`;
}

export const COVERAGE: Listing<readonly AccountCoverage[]> = {
  name: 'coverage',
  about: 'One row per range of days with the same state.',
  evident: ['name', 'from', 'to', 'days'],
  parts: [
    part({ only: ['json'], title: 'Accounts', columns: COVERAGE_COLUMNS, rows: (accounts) => accounts }),
    part({
      only: ['rows'],
      title: 'Days',
      columns: RANGE_COLUMNS,
      rows: (accounts) => accounts.flatMap(({ days, ...table }) => days.map((range) => ({ ...table, ...range }))),
    }),
  ],
};

function daysColumn(wanted: DayState, title: string): Column<AccountCoverage> {
  return count(wanted, `Number of days with the state ${wanted}.`, (row) => daysIn(row, wanted), { title });
}

export function daysIn({ days }: Pick<AccountCoverage, 'days'>, wanted: DayState): number {
  return days.reduce((sum, { from, to, state: is }) => sum + (is === wanted ? daysBetween(from, to) + 1 : 0), 0);
}

function isLacking({ state: is }: DaysOfState): boolean {
  return is === 'missing' || is === 'other_question';
}

/** The days ended after the last read, so nothing failed. */
function isUnreadYet({ from, state: is }: DaysOfState, lastReadDay: CivilDate | undefined): boolean {
  return is === 'missing' && lastReadDay !== undefined && from >= lastReadDay;
}

export function unreadDays({ days, lastReadDay }: AccountCoverage): number {
  return daysIn({ days: days.filter((range) => isUnreadYet(range, lastReadDay)) }, 'missing');
}

export function lackedBy(account: Pick<AccountCoverage, 'days'>): number {
  return daysIn(account, 'missing') + daysIn(account, 'other_question');
}

export function mostLackingFirst(accounts: readonly AccountCoverage[]): AccountCoverage[] {
  return accounts.toSorted((one, other) => lackedBy(other) - lackedBy(one));
}

export function correctedWords(restated: AccountCoverage['restated']): string | undefined {
  return restated && `${counted(Number(restated.days), 'day')}, up to ${counted(Number(restated.lagDays), 'day')} late`;
}
