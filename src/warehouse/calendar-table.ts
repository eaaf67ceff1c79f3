import type Database from 'better-sqlite3';
import { bySql, day, flag, number, text } from '../views/column.ts';
import type { PublishedView } from '../views/published-view.ts';
import { ACCOUNT_DAY } from './day-tables.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from './query-table.ts';

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

/** The Monday on or before `date`. */
export const MONDAY = "date(date, '-6 days', 'weekday 1')";

const numberOf = (format: string) => `CAST(strftime('${format}', date) AS INTEGER)`;
const MONTH = numberOf('%m');
const WEEKDAY = numberOf('%u');
const nameOf = (names: readonly string[], value: string) =>
  `CASE ${value} ${names.map((name, index) => `WHEN ${index + 1} THEN '${name}'`).join(' ')} END`;

/** Of the account days, which lie by query, in one pass. */
const SPANS = `SELECT first, last FROM temp.dated UNION ALL SELECT min(${DATE_COLUMN}), max(${DATE_COLUMN}) FROM main.${ACCOUNT_DAY.name}`;

/**
 * Every day from the first to the last one in the tables: what a chart needs to show a day without rows. Their spans must be
 * noted, and the account days filled, before it is.
 */
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
    bySql(number('iso_year', 'The year its week belongs to, ISO 8601.'), numberOf('%G')),
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

/**
 * Notes first and last day of each table, one after the other because SQLite joins 500 SELECTs at most: by going through its
 * accounts, whose days lie in order, instead of through all its rows.
 */
export function noteDated(file: Database.Database, dated: readonly string[]): void {
  file.exec('CREATE TEMP TABLE dated (first TEXT, last TEXT)');
  for (const name of dated) {
    const table = `main.${identifier(name)}`;
    const end = (extreme: string) =>
      `(SELECT ${extreme}(${DATE_COLUMN}) FROM ${table} WHERE ${CUSTOMER_COLUMN} = account.id)`;
    file.exec(`INSERT INTO temp.dated SELECT min(${end('min')}), max(${end('max')}) FROM (
      WITH RECURSIVE account (id) AS (
        SELECT min(${CUSTOMER_COLUMN}) FROM ${table}
        UNION ALL
        SELECT (SELECT min(${CUSTOMER_COLUMN}) FROM ${table} WHERE ${CUSTOMER_COLUMN} > account.id)
        FROM account WHERE account.id IS NOT NULL)
      SELECT id FROM account) AS account`);
  }
}
