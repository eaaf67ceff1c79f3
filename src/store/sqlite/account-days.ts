import { type CivilDate, type DateRange, instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { type Connected, prepared } from './prepared.ts';

export interface AccountDay {
  readonly date: CivilDate;
  readonly state: 'provisional' | 'settled';
  /** JSON with int64 as text. A day without rows has zeros. */
  readonly totals: string;
  readonly rows: bigint;
}

export interface ReadDay extends AccountDay {
  /** Number of days between this day and the day of reading. */
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

/** Call this function in the transaction that stores the rows. */
export function recordReading({ connection }: Connected, reading: Reading): void {
  const { query, queryText, sliceId, days } = reading;
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) return;
  const asked = { name: query, text: queryText };
  const earlierOnes = readingsOf({ connection }, asked, reading.customerId, { from: first.date, to: last.date }).record;
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

export function settledDays(
  { connection }: Connected,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
  /** Returns false for days that were read too early to be complete. */
  isComplete: (day: CivilDate, readMs: number) => boolean = () => true,
): { readonly firstDay: CivilDate | undefined; readonly settled: ReadonlySet<CivilDate> } {
  const about = [query.name, customer, query.text];
  const firstDay = prepared(connection, FIRST_DAY, 'values').get(...about) as CivilDate | null;
  const known = prepared(connection, SETTLED_DAYS, 'columns').all(...about) as [day: CivilDate, readAt: string][];
  const settled = known.flatMap(([day, readAt]) => (isComplete(day, Date.parse(readAt)) ? day : []));
  return { firstDay: firstDay ?? undefined, settled: new Set(settled) };
}

/** True if days were recorded with another text of the query. */
export function isReadByOthers(
  { connection }: Connected,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
): boolean {
  return prepared(connection, OTHER_TEXT, 'values').get(query.name, customer, query.text) !== undefined;
}

const OTHER_TEXT = `SELECT 1 FROM account_day WHERE query = ? AND customer_id = ? AND query_text <> ? LIMIT 1`;

const FIRST_DAY = `SELECT min(date_from) FROM slice
  WHERE query = ? AND customer_id = ? AND query_text = ? AND expected = 1`;

const SETTLED_DAYS = `SELECT date, read_at FROM account_day
  WHERE query = ? AND customer_id = ? AND query_text = ? AND state = 'settled' ORDER BY date`;

export function isDayRead(
  { connection }: Connected,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
  day: CivilDate,
): boolean {
  return prepared(connection, DAY_READ, 'values').get(query.name, customer, query.text, day) !== undefined;
}

const DAY_READ = `SELECT 1 FROM account_day WHERE query = ? AND customer_id = ? AND query_text = ? AND date = ?`;

export interface ReadingOfDay {
  readonly date: CivilDate;
  readonly rows: bigint;
  /** JSON by column, with int64 as text and DOUBLE as a number. */
  readonly totals: string;
  /** In UTC. */
  readonly readAt: string;
}

export function readingsOf(
  { connection }: Connected,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
  days: DateRange,
): { readonly now: readonly ReadingOfDay[]; readonly record: readonly ReadingOfDay[] } {
  const about = [query.name, customer, query.text, days.from, days.to];
  return {
    now: prepared(connection, DAYS_NOW).all(...about) as ReadingOfDay[],
    record: prepared(connection, RECORD).all(...about) as ReadingOfDay[],
  };
}

/** Times are in UTC. */
export interface RunReadings {
  readonly firstAt: string;
  readonly lastAt: string;
}

export function runReadingsOf(
  { connection }: Connected,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
): RunReadings[] {
  const about = [query.name, customer, query.text];
  return prepared(connection, RUN_READINGS).all(...about, ...about) as RunReadings[];
}

const RUN_READINGS = `SELECT min(read_at) AS firstAt, max(read_at) AS lastAt FROM (
    SELECT run_id, read_at FROM day_reading JOIN slice ON slice.id = slice_id
    WHERE day_reading.query = ? AND day_reading.customer_id = ? AND query_text = ?
    UNION ALL
    SELECT run_id, read_at FROM account_day JOIN slice ON slice.id = slice_id
    WHERE account_day.query = ? AND account_day.customer_id = ? AND account_day.query_text = ?)
  GROUP BY run_id ORDER BY firstAt`;

const DAYS_NOW = `SELECT date, rows, totals, read_at AS readAt FROM account_day
  WHERE query = ? AND customer_id = ? AND query_text = ? AND date BETWEEN ? AND ? ORDER BY date`;

const RECORD = `SELECT date, day_reading.rows, totals, read_at AS readAt
  FROM day_reading JOIN slice ON slice.id = slice_id
  WHERE day_reading.query = ? AND day_reading.customer_id = ? AND query_text = ? AND date BETWEEN ? AND ?
  ORDER BY date, slice_id`;

export function countSettled(
  { connection }: Connected,
  {
    query,
    fingerprint,
    customerId,
  }: { readonly query: string; readonly fingerprint: string; readonly customerId: CustomerId },
  { from, to }: DateRange,
): number {
  return Number(prepared(connection, COUNT_SETTLED, 'values').get(query, customerId, from, to, fingerprint));
}

const COUNT_SETTLED = `SELECT count(*) FROM account_day
  WHERE query = ? AND customer_id = ? AND date BETWEEN ? AND ? AND state = 'settled' AND query_text = ?`;
