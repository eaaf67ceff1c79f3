import type Database from 'better-sqlite3';
import { type CivilDate, type DateRange, instantText } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
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
 * other totals than then. To be called in the transaction that replaces the rows.
 */
export async function recordReading(connection: Database.Database, db: StateDb, reading: Reading): Promise<void> {
  const { query, queryText, sliceId, days } = reading;
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return;
  const customer = BigInt(reading.customerId);
  const before = new Map(
    (await knownDays(db, { name: query }, reading.customerId, { from: first.date, to: last.date })).map((day) => [
      day.date,
      day,
    ]),
  );
  const known = prepared(connection, UPSERT_DAY);
  const record = prepared(connection, INSERT_READING);
  const about = { query, customer, sliceId, readAt: instantText(reading.readMs) };
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

/** The days of the range that were read, in order; with a text only those read by exactly that query. */
export async function knownDays(
  db: StateDb,
  query: { readonly name: string; readonly text?: string },
  customer: CustomerId,
  days: DateRange,
): Promise<AccountDay[]> {
  const rows = await db
    .selectFrom('account_day')
    .select(['date', 'state', 'totals', 'rows'])
    .where('query', '=', query.name)
    .where('customer_id', '=', BigInt(customer))
    .where('date', '>=', days.from)
    .where('date', '<=', days.to)
    .$if(query.text !== undefined, (select) => select.where('query_text', '=', query.text ?? ''))
    .orderBy('date')
    .execute();
  return rows.map(({ date, ...day }) => ({ ...day, date: date as CivilDate }));
}

/** Whether any day of any table was read yet. */
export async function hasReadDays(db: StateDb): Promise<boolean> {
  return (await db.selectFrom('account_day').select('date').limit(1).executeTakeFirst()) !== undefined;
}

/** Makes days missing again, which the next run reads as a hole. */
export async function forgetDays(
  db: StateDb,
  query: string,
  customer: CustomerId,
  dates: readonly string[],
): Promise<void> {
  if (dates.length === 0) return;
  await db
    .deleteFrom('account_day')
    .where('query', '=', query)
    .where('customer_id', '=', BigInt(customer))
    .where('date', 'in', dates)
    .execute();
}

/** The first day that any run was to read by exactly that query, whatever became of it, and the days that are settled. */
export function settledDays(
  connection: Database.Database,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
): { readonly firstDay: CivilDate | undefined; readonly settled: ReadonlySet<CivilDate> } {
  const about = [query.name, BigInt(customer), query.text];
  const firstDay = prepared(connection, FIRST_DAY, 'values').get(...about) as CivilDate | null;
  const settled = prepared(connection, SETTLED_DAYS, 'values').all(...about) as CivilDate[];
  return { firstDay: firstDay ?? undefined, settled: new Set(settled) };
}

const FIRST_DAY = `SELECT min(date_from) FROM slice
  WHERE query = ? AND customer_id = ? AND query_text = ? AND expected = 1`;

const SETTLED_DAYS = `SELECT date FROM account_day
  WHERE query = ? AND customer_id = ? AND query_text = ? AND state = 'settled' ORDER BY date`;

/** The days of a slice that was planned and not read, which later slices of the same question have read. */
export async function daysReadSince(
  db: StateDb,
  slice: Pick<Reading, 'query' | 'queryText' | 'customerId'> & { readonly id: bigint },
): Promise<ReadonlySet<CivilDate>> {
  const rows = await db
    .selectFrom('account_day')
    .select('date')
    .where('query', '=', slice.query)
    .where('customer_id', '=', BigInt(slice.customerId))
    .where('query_text', '=', slice.queryText)
    .where('slice_id', '>', slice.id)
    .execute();
  return new Set(rows.map(({ date }) => date as CivilDate));
}
