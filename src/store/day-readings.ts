import type Database from 'better-sqlite3';
import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import { prepared } from './prepared.ts';

/** What a day came to, by one reading. */
export interface ReadingOfDay {
  readonly date: CivilDate;
  readonly rows: bigint;
  /** JSON by column: int64 as text, DOUBLE as a number. */
  readonly totals: string;
  /** Instant, UTC. */
  readonly readAt: string;
}

/**
 * The days as they are now, and every reading that came to something else than the one before, in order; all of them by
 * exactly that query.
 */
export function readingsOf(
  connection: Database.Database,
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

/** When a run read days of a table, the first of them and the last. Instants, UTC. */
export interface RunReadings {
  readonly firstAt: string;
  readonly lastAt: string;
}

/** The runs that read days of the account by exactly that query, as far as is on record, in their order. */
export function runReadingsOf(
  connection: Database.Database,
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
