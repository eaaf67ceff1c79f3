import { addDays, type CivilDate, civilDateAt, isTimeZone } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { CURRENCY, CUSTOMER } from '../../columns/budget-columns.ts';
import { bySql, count, day, flag, instant, json, money, number, state, text } from '../../columns/column.ts';
import type { PublishedView } from '../../columns/published-view.ts';
import { DATE_COLUMN } from '../query-table.ts';

const QUERY = text('query', 'The query; its table has the same name.');
const COMPLETE = 'settled';
const DATE = day('date', "The day on the account's calendar.");

export const ACCOUNT_DAY = 'account_day';
export const IS_COMPLETE = flag('complete', 'Whether the day is complete: its figures are final.');
export const HAS_CONVERSIONS = flag(
  'conversions_complete',
  "Whether the day is complete, and was read after the account's conversion window (conversion_window in the settings).",
);

/** When the conversions of a day are complete: so many days after it, at `closesAt` in the account's time zone. */
export interface ConversionWindows {
  readonly closesAt: string;
  readonly days: number;
  readonly ofAccounts: ReadonlyMap<CustomerId, number>;
}

/** SQL of the days of an account. */
export function conversionDays({ days, ofAccounts }: ConversionWindows): string {
  const own = Array.from(ofAccounts, ([customer, ofAccount]) => `WHEN ${customer} THEN ${ofAccount}`);
  return own.length === 0 ? String(days) : `CASE customer_id ${own.join(' ')} ELSE ${days} END`;
}

/** The records do not list missing days. `readLate` is SQL of whether the conversions of a read day were complete. */
export const accountDay = (readLate: string): PublishedView => ({
  name: ACCOUNT_DAY,
  group: 'calendar',
  references: { customer_id: 'account (customer_id)', date: 'dim_calendar (date)' },
  description: 'One row per query, account and day, with its completeness, from the first day read until yesterday.',
  columns: [
    QUERY,
    CUSTOMER,
    DATE,
    state('state', `${COMPLETE} (complete, final), provisional (read, may still change) or missing (never read).`),
    count('rows', 'Rows of that day; NULL if the day is missing.'),
    instant('read_at', 'Time of the last reading.'),
    bySql(IS_COMPLETE, `state = '${COMPLETE}'`),
    bySql(HAS_CONVERSIONS, `CASE WHEN state = '${COMPLETE}' THEN ${readLate} ELSE false END`),
  ],
  key: ['query', 'customer_id', 'date'],
  from: ({ records, missingDays }) => `FROM (
    SELECT query, customer_id, date, state, rows, read_at FROM ${records}.account_day
    UNION ALL
    SELECT query, customer_id, date, 'missing', NULL, NULL FROM (${missingDays}) AS missing) AS each_day
    LEFT JOIN ${records}.account USING (customer_id)`,
  indexes: [{ name: 'ix_account_day_by_state', columns: ['state', 'date'] }],
});

const TOTAL = (metric: string) => `CAST(totals ->> '$.${metric}' AS bigint)`;
const NUMBER = 'row_number() OVER (PARTITION BY query, customer_id, date ORDER BY slice_id)';

/** Several rows of a day show how the service corrected its numbers. */
export const DAY_READING: PublishedView = {
  name: 'day_reading',
  group: 'calendar',
  references: { customer_id: 'account (customer_id)' },
  description: 'The sums of a day: one row for its first reading, and one for each later reading with other sums.',
  columns: [
    QUERY,
    CUSTOMER,
    DATE,
    bySql(
      count(
        'reading',
        'Number of the row within the day. The first reading has 1, the next reading with other sums has 2, and so on.',
      ),
      NUMBER,
    ),
    instant('read_at', 'Time of the reading.'),
    count('days_after', "Days of the account's calendar between the day and the reading.", undefined, { unit: 'days' }),
    count('rows', 'Rows of that day.'),
    bySql(
      count('impressions', 'Impressions of the day; NULL if the query does not select them.'),
      TOTAL('impressions'),
    ),
    bySql(count('clicks', 'Clicks of the day; NULL if the query does not select them.'), TOTAL('clicks')),
    bySql(money('cost_micros', 'Cost of the day; NULL if the query does not select it.'), TOTAL('cost_micros')),
    bySql(CURRENCY, 'account.currency'),
    json('totals', 'Sums of all metrics of the query: a JSON object by column.'),
  ],
  key: ['query', 'customer_id', 'date', 'reading'],
  from: ({ records }) => `FROM ${records}.day_reading LEFT JOIN ${records}.account USING (customer_id)`,
  order: 'query, customer_id, date, slice_id',
};

const NAMES = {
  month: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  weekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
};

export const MONDAY = "date(date, '-6 days', 'weekday 1')";

const numberOf = (format: string) => `CAST(strftime('${format}', date) AS INTEGER)`;
const MONTH = numberOf('%m');
const WEEKDAY = numberOf('%u');
const nameOf = (names: readonly string[], value: string) =>
  `CASE ${value} ${names.map((name, index) => `WHEN ${index + 1} THEN '${name}'`).join(' ')} END`;

/** `spans` is SQL of the first and last day of each table. Fill `account_day` before you fill this table. */
export const calendar = (spans: string): PublishedView => ({
  name: 'dim_calendar',
  group: 'calendar',
  description: 'One row per day from the first to the last day of the tables.',
  columns: [
    day('date', 'The day.'),
    bySql(number('year', 'Year.'), numberOf('%Y')),
    bySql(number('quarter', 'Quarter, 1 to 4.'), `(${MONTH} + 2) / 3`),
    bySql(number('month', 'Month, 1 to 12.'), MONTH),
    bySql(text('month_name', 'Name of the month.'), nameOf(NAMES.month, MONTH)),
    bySql(day('month_start', 'First day of the month.'), "date(date, 'start of month')"),
    bySql(number('iso_year', 'Year of the week, ISO 8601.'), numberOf('%G')),
    bySql(number('iso_week', 'Number of the week, ISO 8601.'), numberOf('%V')),
    bySql(day('week_start', 'Monday of the week.'), MONDAY),
    bySql(number('weekday', 'Weekday, 1 (Monday) to 7 (Sunday).'), WEEKDAY),
    bySql(text('weekday_name', 'Name of the weekday.'), nameOf(NAMES.weekday, WEEKDAY)),
    bySql(flag('is_weekend', 'Whether the day is a Saturday or Sunday.'), `${WEEKDAY} > 5`),
  ],
  key: ['date'],
  from: ({ published }) => `FROM (WITH RECURSIVE day (date, last) AS (
      SELECT min(first), max(last) FROM (
        ${spans}
        UNION ALL
        SELECT min(${DATE_COLUMN}), max(${DATE_COLUMN}) FROM ${published}.${ACCOUNT_DAY}) AS span
      HAVING min(first) IS NOT NULL
      UNION ALL
      SELECT date(date, '+1 day'), last FROM day WHERE date < last)
    SELECT date FROM day) AS each_day`,
});

export type AccountZone = readonly [customerId: bigint, timeZone: string | null];

/** The last ended day of each account whose time zone is known. */
export function yesterdays(accounts: readonly AccountZone[], nowMs: number): [customerId: bigint, day: CivilDate][] {
  return accounts.flatMap(([customerId, zone]) =>
    zone !== null && isTimeZone(zone) ? [[customerId, addDays(civilDateAt(nowMs, zone), -1)]] : [],
  );
}
