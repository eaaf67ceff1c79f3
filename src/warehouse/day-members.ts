import type Database from 'better-sqlite3';
import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { ColumnValue, MemberDemand } from '../domain/member.ts';
import { joinHalves, sumsOf } from './aggregate-members.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from './query-table.ts';

/** What one member had on one day. */
export interface MemberDay {
  readonly day: CivilDate;
  /** In the order of the demand's ids, all above zero. */
  readonly ids: readonly bigint[];
  /** By the demand's metrics: exact, beyond int64 too. Null when no row of the day has a value. */
  readonly sums: readonly (bigint | null)[];
  /** By the demand's attributes. */
  readonly attributes: readonly ColumnValue[];
}

/**
 * What each of the account's members had on each of the days, in one statement and day after day: what a table of many
 * days is read with that is then asked about each of them. Until the last is read the connection does nothing else.
 */
export function* dayMembers(
  connection: Database.Database,
  table: string,
  customer: CustomerId,
  demand: Omit<MemberDemand, 'stretches'>,
  days: DateRange,
): Generator<MemberDay> {
  const ids = demand.ids.map(identifier);
  const sums = demand.metrics.flatMap((metric) => sumsOf(metric, 'halves'));
  // An id that is none comes from a service gone wrong: there is nothing to decide on.
  const real = ids.map((id) => ` AND ${id} > 0`).join('');
  const columns = [DATE_COLUMN, ...ids, ...sums, ...demand.attributes.map(identifier)];
  const rows = connection.prepare(
    `SELECT ${columns.join(', ')} FROM main.${identifier(table)}
      WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ?${real}
      GROUP BY ${[DATE_COLUMN, ...ids].join(', ')} ORDER BY ${DATE_COLUMN}`,
  );
  const firstSum = 1 + ids.length;
  const firstAttribute = firstSum + sums.length;
  for (const row of rows.raw().iterate(customer, days.from, days.to) as Iterable<ColumnValue[]>) {
    yield {
      day: row[0] as CivilDate,
      ids: row.slice(1, firstSum) as bigint[],
      sums: demand.metrics.map((_, index) => {
        const [high, low] = [row[firstSum + index * 2], row[firstSum + index * 2 + 1]];
        return typeof high === 'bigint' && typeof low === 'bigint' ? joinHalves(high, low) : null;
      }),
      attributes: row.slice(firstAttribute),
    };
  }
}
