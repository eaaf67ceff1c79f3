import type { DateRange } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { StateDb } from '../../records/record-store.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import {
  type DayTotals,
  metricsOf,
  named,
  type SumDialect,
  type SummedTable,
  sumOfUsable,
  usableDouble,
} from '../totals.ts';
import { ask } from './ask.ts';
import { tableOf } from './query-tables.ts';

/** An integer sum is a numeric here, so no sum overflows. In SQLite (`sqlite/totals.ts`) it would be an error. */
export const SUMS: SumDialect = {
  sumsOf: (metrics) =>
    metrics.map(({ name, type }) => {
      const column = identifier(name);
      if (type === 'INT64') return `coalesce(sum(${column}), 0)`;
      return sumOfUsable(`pacekeeper.float_sum(${usableDouble(column)})`, column);
    }),
  read: (metrics, values) =>
    new Map(metrics.map(({ name }, index) => [name, (values[index] ?? null) as bigint | number | null])),
  tableOf,
  shareOf: (part, eligible) =>
    `CASE WHEN count(${eligible}) = count(*) THEN pacekeeper.float_sum(${part}) / nullif(pacekeeper.float_sum(${eligible}), 0) END`,
};

export async function totalsByDay(
  db: StateDb,
  { name, columns }: SummedTable,
  customer: CustomerId,
  days: DateRange,
): Promise<DayTotals[]> {
  const metrics = metricsOf(columns);
  const rows = await ask<[string, bigint, ...(bigint | number | null)[]]>(
    db,
    `SELECT ${[DATE_COLUMN, 'count(*) AS rows', ...named(SUMS.sumsOf(metrics))].join(', ')} FROM ${tableOf(name)}
    WHERE ${CUSTOMER_COLUMN} = $1 AND ${DATE_COLUMN} BETWEEN $2 AND $3 GROUP BY ${DATE_COLUMN} ORDER BY ${DATE_COLUMN}`,
    [customer, days.from, days.to],
  );
  return rows.map(([date, count, ...values]) => ({
    date,
    rows: count,
    metrics: SUMS.read(metrics, values),
  }));
}
