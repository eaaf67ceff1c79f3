import type Database from 'better-sqlite3';
import { type CivilDate, instantText } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import { readingsOf } from './day-readings.ts';
import type { StateDb } from './open-state.ts';
import { prepared } from './prepared.ts';

/** What is known of one day of a query and an account. A day of which nothing is known is missing. */
export interface AccountDay {
  readonly date: CivilDate;
  readonly state: 'provisional' | 'settled';
  /** Undefined totals cannot be: a day without rows has zeros. JSON, int64 as text. */
  readonly totals: string;
  readonly rows: bigint;
}

/** A day as a slice has just read it. */
export interface ReadDay extends AccountDay {
  /** Whole days on the account's calendar from the day to the reading. */
  readonly daysAfter: number;
}

export interface Reading {
  readonly query: string;
  readonly queryText: string;
  readonly customerId: CustomerId;
  readonly sliceId: bigint;
  readonly readMs: number;
  readonly days: readonly ReadDay[];
}

/**
 * Replaces what is known of these days, and adds to the record of readings each of them that was never read before or has
 * other totals than then, by exactly that query. To be called in the transaction that replaces the rows.
 */
export function recordReading(connection: Database.Database, reading: Reading): void {
  const { query, queryText, sliceId, days } = reading;
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return;
  const asked = { name: query, text: queryText };
  const earlierOnes = readingsOf(connection, asked, reading.customerId, { from: first.date, to: last.date }).record;
  const before = new Map(earlierOnes.map((one) => [one.date, one]));
  const known = prepared(connection, UPSERT_DAY);
  const record = prepared(connection, INSERT_READING);
  const about = { query, customer: reading.customerId, sliceId, readAt: instantText(reading.readMs) };
  for (const { date, state, rows, totals, daysAfter } of days) {
    const day = { ...about, date, rows, totals };
    known.run({ ...day, queryText, state });
    const earlier = before.get(date);
    if (earlier?.rows !== rows || earlier.totals !== totals) record.run({ ...day, daysAfter });
  }
}

const UPSERT_DAY = `INSERT INTO account_day
    (query, customer_id, date, query_text, state, rows, totals, slice_id, read_at)
  VALUES (@query, @customer, @date, @queryText, @state, @rows, @totals, @sliceId, @readAt)
  ON CONFLICT (query, customer_id, date) DO UPDATE SET query_text = excluded.query_text, state = excluded.state,
    rows = excluded.rows, totals = excluded.totals, slice_id = excluded.slice_id, read_at = excluded.read_at`;

const INSERT_READING = `INSERT INTO day_reading (query, customer_id, date, slice_id, read_at, days_after, rows, totals)
  VALUES (@query, @customer, @date, @sliceId, @readAt, @daysAfter, @rows, @totals)`;

/** Whether any day of any table was read yet. */
export async function hasReadDays(db: StateDb): Promise<boolean> {
  return (await db.selectFrom('accountDay').select('date').limit(1).executeTakeFirst()) !== undefined;
}

/** Makes days missing again, which the next run reads as a hole. */
export async function forgetDays(
  db: StateDb,
  query: string,
  customer: CustomerId,
  dates: readonly CivilDate[],
): Promise<void> {
  if (dates.length === 0) return;
  await db
    .deleteFrom('accountDay')
    .where('query', '=', query)
    .where('customerId', '=', customer)
    .where('date', 'in', dates)
    .execute();
}

/** The first day that any run was to read by exactly that query, whatever became of it, and the days that are settled. */
export function settledDays(
  connection: Database.Database,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
): { readonly firstDay: CivilDate | undefined; readonly settled: ReadonlySet<CivilDate> } {
  const about = [query.name, customer, query.text];
  const firstDay = prepared(connection, FIRST_DAY, 'values').get(...about) as CivilDate | null;
  const settled = prepared(connection, SETTLED_DAYS, 'values').all(...about) as CivilDate[];
  return { firstDay: firstDay ?? undefined, settled: new Set(settled) };
}

/** Whether days of the account were read by another text of the query, which tells nothing of what this one would have read. */
export function isReadByOthers(
  connection: Database.Database,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
): boolean {
  return prepared(connection, OTHER_TEXT, 'values').get(query.name, customer, query.text) !== undefined;
}

const OTHER_TEXT = `SELECT 1 FROM account_day WHERE query = ? AND customer_id = ? AND query_text <> ? LIMIT 1`;

const FIRST_DAY = `SELECT min(date_from) FROM slice
  WHERE query = ? AND customer_id = ? AND query_text = ? AND expected = 1`;

const SETTLED_DAYS = `SELECT date FROM account_day
  WHERE query = ? AND customer_id = ? AND query_text = ? AND state = 'settled' ORDER BY date`;

/** Whether the day was read by exactly that query, final or not. */
export function isDayRead(
  connection: Database.Database,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
  day: CivilDate,
): boolean {
  return prepared(connection, DAY_READ, 'values').get(query.name, customer, query.text, day) !== undefined;
}

const DAY_READ = `SELECT 1 FROM account_day WHERE query = ? AND customer_id = ? AND query_text = ? AND date = ?`;

/** The days of a slice that was planned and not read, which later slices of the same question have read. */
export async function daysReadSince(
  db: StateDb,
  slice: Pick<Reading, 'query' | 'queryText' | 'customerId'> & { readonly id: bigint },
): Promise<ReadonlySet<CivilDate>> {
  const rows = await db
    .selectFrom('accountDay')
    .select('date')
    .where('query', '=', slice.query)
    .where('customerId', '=', slice.customerId)
    .where('queryText', '=', slice.queryText)
    .where('sliceId', '>', slice.id)
    .execute();
  return new Set(rows.map(({ date }) => date));
}
