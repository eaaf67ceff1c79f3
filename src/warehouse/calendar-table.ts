import type Database from 'better-sqlite3';
import { UNITS } from '../gaql/catalogue/units.ts';
import { ACCOUNT_DAY } from './day-tables.ts';
import { ownColumn } from './own-tables.ts';
import type { PublishedTable } from './published-table.ts';
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

const number = (format: string) => `CAST(strftime('${format}', date) AS INTEGER)`;
const month = number('%m');
const nameOf = (names: readonly string[], value: string) =>
  `CASE ${value} ${names.map((name, index) => `WHEN ${index + 1} THEN '${name}'`).join(' ')} END`;

/** Of the account days, which lie by query, in one pass. */
const SPANS = `SELECT first, last FROM temp.dated UNION ALL SELECT min(${DATE_COLUMN}), max(${DATE_COLUMN}) FROM main.${ACCOUNT_DAY.name}`;

/**
 * Every day from the first to the last one in the tables: what a chart needs to show a day without rows. Their spans must be
 * noted, and the account days filled, before it is.
 */
export const CALENDAR: PublishedTable = {
  name: 'dim_calendar',
  description: 'One row per day from the first to the last day of the tables.',
  columns: [
    ownColumn('date', 'DATE', 'The day.'),
    ownColumn('year', 'INTEGER', 'Its year.', { expression: number('%Y') }),
    ownColumn('quarter', 'INTEGER', 'Its quarter, 1 to 4.', { expression: `(${month} + 2) / 3` }),
    ownColumn('month', 'INTEGER', 'Its month, 1 to 12.', { expression: month }),
    ownColumn('month_name', 'TEXT', "The month's name.", { expression: nameOf(NAMES.month, month) }),
    ownColumn('month_start', 'DATE', "The month's first day.", { expression: "date(date, 'start of month')" }),
    ownColumn('iso_year', 'INTEGER', 'The year its week belongs to, ISO 8601.', { expression: number('%G') }),
    ownColumn('iso_week', 'INTEGER', "The week's number, ISO 8601.", { expression: number('%V') }),
    ownColumn('week_start', 'DATE', "The week's Monday.", { expression: MONDAY }),
    ownColumn('weekday', 'INTEGER', '1 (Monday) to 7 (Sunday).', { expression: number('%u') }),
    ownColumn('weekday_name', 'TEXT', "The weekday's name.", { expression: nameOf(NAMES.weekday, number('%u')) }),
    ownColumn('is_weekend', 'BOOLEAN', 'Saturday or Sunday.', {
      unit: UNITS.flag,
      expression: `${number('%u')} > 5`,
    }),
  ],
  key: ['date'],
  from: `FROM (WITH RECURSIVE day (date, last) AS (
      SELECT min(first), max(last) FROM (${SPANS}) HAVING min(first) IS NOT NULL
      UNION ALL
      SELECT date(date, '+1 day'), last FROM day WHERE date < last)
    SELECT date FROM day) ORDER BY date`,
  indexes: [],
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
