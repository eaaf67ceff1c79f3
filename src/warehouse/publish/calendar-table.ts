import { CURRENCY, CUSTOMER } from '../../views/budget-columns.ts';
import { bySql, count, day, flag, instant, json, money, number, state, text } from '../../views/kit/column.ts';
import type { PublishedView } from '../../views/kit/published-view.ts';
import { DATE_COLUMN } from '../query-table.ts';

const QUERY = text('query', 'The query; its table has the same name.');
const COMPLETE = 'settled';
const DATE = day('date', "The day on the account's calendar.");

/** Days without a record are missing. The recursion walks the few gaps, not all days. */
export const ACCOUNT_DAY: PublishedView = {
  name: 'account_day',
  description: 'One row per account, query and day, with its completeness, from the first day read until yesterday.',
  columns: [
    QUERY,
    CUSTOMER,
    DATE,
    state('state', `${COMPLETE} (complete, final), provisional (read, may still change) or missing (never read).`),
    count('rows', 'Rows of that day; NULL if the day is missing.'),
    instant('read_at', 'When the day was last read.'),
  ],
  key: ['query', 'customer_id', 'date'],
  from: `FROM (
    WITH RECURSIVE known AS (
      SELECT query, customer_id, date,
        lead(date) OVER (PARTITION BY query, customer_id ORDER BY date) AS next FROM state.account_day),
    missing (query, customer_id, date, last) AS (
      SELECT query, customer_id, date(date, '+1 day'), coalesce(date(next, '-1 day'), yesterday)
      FROM known LEFT JOIN temp.account_yesterday USING (customer_id)
      WHERE date(date, '+1 day') < coalesce(next, date(yesterday, '+1 day'))
      UNION ALL
      SELECT query, customer_id, date(date, '+1 day'), last FROM missing WHERE date < last)
    SELECT query, customer_id, date, state, rows, read_at FROM state.account_day
    UNION ALL
    SELECT query, customer_id, date, 'missing', NULL, NULL FROM missing)
    ORDER BY query, customer_id, date`,
  indexes: [{ name: 'ix_account_day_by_state', columns: ['state', 'date'] }],
};

const TOTAL = (metric: string) => `CAST(totals ->> '$.${metric}' AS INTEGER)`;
const NUMBER = 'row_number() OVER (PARTITION BY query, customer_id, date ORDER BY slice_id)';

/** Differences between readings show how much the service restated. */
export const DAY_READING: PublishedView = {
  name: 'day_reading',
  description: 'The sums of a day at its first reading, and at each later reading that changed them.',
  columns: [
    QUERY,
    CUSTOMER,
    DATE,
    bySql(count('reading', '1 for the first reading, 2 for the first with other sums, and so on.'), NUMBER),
    instant('read_at', 'When the day was read.'),
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
  from: 'FROM state.day_reading LEFT JOIN state.account USING (customer_id) ORDER BY query, customer_id, date, slice_id',
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

/** One pass over the account days, which are ordered by query. */
const SPANS = `SELECT first, last FROM temp.dated UNION ALL SELECT min(${DATE_COLUMN}), max(${DATE_COLUMN}) FROM main.${ACCOUNT_DAY.name}`;

/** Lets charts show days without rows. Fill account days and spans (`noteDated`) first. */
export const CALENDAR: PublishedView = {
  name: 'dim_calendar',
  description: 'One row per day from the first to the last day of the tables.',
  columns: [
    day('date', 'The day.'),
    bySql(number('year', 'Its year.'), numberOf('%Y')),
    bySql(number('quarter', 'Its quarter, 1 to 4.'), `(${MONTH} + 2) / 3`),
    bySql(number('month', 'Its month, 1 to 12.'), MONTH),
    bySql(text('month_name', "The month's name."), nameOf(NAMES.month, MONTH)),
    bySql(day('month_start', "The month's first day."), "date(date, 'start of month')"),
    bySql(number('iso_year', 'Year of its week, ISO 8601.'), numberOf('%G')),
    bySql(number('iso_week', "The week's number, ISO 8601."), numberOf('%V')),
    bySql(day('week_start', "The week's Monday."), MONDAY),
    bySql(number('weekday', '1 (Monday) to 7 (Sunday).'), WEEKDAY),
    bySql(text('weekday_name', "The weekday's name."), nameOf(NAMES.weekday, WEEKDAY)),
    bySql(flag('is_weekend', 'Saturday or Sunday.'), `${WEEKDAY} > 5`),
  ],
  key: ['date'],
  from: `FROM (WITH RECURSIVE day (date, last) AS (
      SELECT min(first), max(last) FROM (${SPANS}) HAVING min(first) IS NOT NULL
      UNION ALL
      SELECT date(date, '+1 day'), last FROM day WHERE date < last)
    SELECT date FROM day) ORDER BY date`,
};
