import type { ColumnValue } from '../domain/member.ts';
import type { Column } from '../gaql/check/column.ts';
import { identifier } from './query-table.ts';

/** Sums of the metric columns, by column name: exact for int64 columns, whatever they come to. */
export type MetricSums = ReadonlyMap<string, bigint | number>;

export function metricsOf(columns: readonly Column[]): Column[] {
  return columns.filter(({ role, type }) => role === 'metric' && (type === 'INT64' || type === 'DOUBLE'));
}

/** Two per metric: SQLite's own sum of integers fails beyond int64, the sums of their halves stay within it. */
export function sumExpressions(metrics: readonly Column[]): string[] {
  return metrics.flatMap(({ name, type }) => {
    const column = identifier(name);
    if (type !== 'INT64') return [`coalesce(sum(${column}), 0.0)`, '0'];
    return [`coalesce(sum(${column} >> 32), 0)`, `coalesce(sum(${column} & 4294967295), 0)`];
  });
}

/** What a row of {@link sumExpressions} says. */
export function readSums(metrics: readonly Column[], values: readonly ColumnValue[]): Map<string, bigint | number> {
  return new Map(
    metrics.map(({ name }, index) => {
      const [high, low] = [values[index * 2], values[index * 2 + 1]];
      return [name, typeof high === 'bigint' ? high * 2n ** 32n + (low as bigint) : (high as number)];
    }),
  );
}
