import type { DateRange } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { ColumnValue } from '../../../domain/member.ts';
import type { StateFile } from '../../records/sqlite/open-state.ts';
import { prepared } from '../../records/sqlite/prepared.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';
import {
  type AccountTotals,
  type DayTotals,
  metricsOf,
  type SumDialect,
  type SummedTable,
  sumOfUsable,
  accountTotals as totalsOf,
  usableDouble,
} from '../totals.ts';

/** An integer sum beyond int64 is an error in SQLite, so the high and the low half are summed separately. */
const SUMS: SumDialect = {
  sumsOf: (metrics) =>
    metrics.flatMap(({ name, type }) => {
      const column = identifier(name);
      if (type !== 'INT64') return [sumOfUsable(`coalesce(sum(${usableDouble(column)}), 0.0)`, column), '0'];
      return [`coalesce(sum(${column} >> 32), 0)`, `coalesce(sum(${column} & 4294967295), 0)`];
    }),
  read: (metrics, values) =>
    new Map(
      metrics.map(({ name }, index) => {
        const high = values[index * 2];
        const low = values[index * 2 + 1];
        return [name, typeof high === 'bigint' ? high * 2n ** 32n + (low as bigint) : (high as number | null)];
      }),
    ),
  tableOf: (name) => `main.${identifier(name)}`,
  shareOf: (part, eligible) => `iif(count(${eligible}) = count(*), sum(${part}) / sum(${eligible}), NULL)`,
};

/** One account at a time. SQLite sorts the rows of a GROUP BY, and many rows on the disk. */
export async function accountTotals(
  { db }: StateFile,
  table: SummedTable,
  customers: readonly CustomerId[],
  days: DateRange | undefined,
): Promise<ReadonlyMap<CustomerId, AccountTotals>> {
  const found: (readonly [CustomerId, AccountTotals])[] = [];
  for (const customer of customers) found.push(...(await totalsOf(db, SUMS, table, [customer], days)));
  return new Map(found);
}

export function totalsByDay(
  connection: StateFile['connection'],
  table: SummedTable,
  customer: CustomerId,
  days: DateRange,
): DayTotals[] {
  const metrics = metricsOf(table.columns);
  const sql = `SELECT ${[DATE_COLUMN, 'count(*)', ...SUMS.sumsOf(metrics)].join(', ')} FROM main.${identifier(table.name)}
        WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ? GROUP BY ${DATE_COLUMN} ORDER BY ${DATE_COLUMN}`;
  const rows = prepared(connection, sql, 'columns').all(customer, days.from, days.to) as [
    string,
    bigint,
    ...ColumnValue[],
  ][];
  return rows.map(([date, count, ...values]) => ({ date, rows: count, metrics: SUMS.read(metrics, values) }));
}
