import type { DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { ColumnValue } from '../../domain/member.ts';
import type { Column } from '../../gaql/check/column.ts';
import type { StateFile } from '../../store/sqlite/open-state.ts';
import { prepared } from '../../store/sqlite/prepared.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';

/** Sums of the metric columns, by column name: exact for int64 columns, whatever they come to. */
export type MetricSums = ReadonlyMap<string, bigint | number>;

export function metricsOf(columns: readonly Column[]): Column[] {
  return columns.filter(({ role, type }) => role === 'metric' && (type === 'INT64' || type === 'DOUBLE'));
}

/** Two per metric: SQLite's own sum of integers fails beyond int64, the sums of their halves stay within it. */
function sumExpressions(metrics: readonly Column[]): string[] {
  return metrics.flatMap(({ name, type }) => {
    const column = identifier(name);
    if (type !== 'INT64') return [`coalesce(sum(${column}), 0.0)`, '0'];
    return [`coalesce(sum(${column} >> 32), 0)`, `coalesce(sum(${column} & 4294967295), 0)`];
  });
}

/** What a row of {@link sumExpressions} says. */
function readSums(metrics: readonly Column[], values: readonly ColumnValue[]): Map<string, bigint | number> {
  return new Map(
    metrics.map(({ name }, index) => {
      const high = values[index * 2];
      const low = values[index * 2 + 1];
      return [name, typeof high === 'bigint' ? high * 2n ** 32n + (low as bigint) : (high as number)];
    }),
  );
}

/** One campaign of an account over some days. */
export interface CampaignAggregate {
  readonly campaignId: bigint;
  readonly metrics: MetricSums;
  /** The attribute columns as the newest of the days has them. */
  readonly attributes: ReadonlyMap<string, ColumnValue>;
}

const CAMPAIGN_COLUMN = 'campaign_id';

/**
 * Sums per campaign, grouped by id and by nothing else: a campaign that was renamed meanwhile stays one. Rows without a
 * campaign id are left out. Needs the columns campaign_id and date.
 */
export function aggregateCampaigns(
  state: StateFile,
  table: { readonly name: string; readonly columns: readonly Column[] },
  customer: CustomerId,
  days: DateRange,
): CampaignAggregate[] {
  const metrics = metricsOf(table.columns);
  const attributes = table.columns.filter(({ role }) => role === 'attribute').map(({ name }) => name);
  const where = `WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ? AND ${CAMPAIGN_COLUMN} IS NOT NULL`;
  const from = `FROM main.${identifier(table.name)} ${where} GROUP BY ${CAMPAIGN_COLUMN} ORDER BY ${CAMPAIGN_COLUMN}`;
  const select = (columns: readonly string[]) =>
    state.connection
      .prepare(`SELECT ${[CAMPAIGN_COLUMN, ...columns].join(', ')} ${from}`)
      .raw()
      .all(customer, days.from, days.to) as ColumnValue[][];

  const sums = select(sumExpressions(metrics));
  // SQLite takes bare columns from the row that holds the maximum: the newest day.
  const newest = select([`max(${DATE_COLUMN})`, ...attributes.map(identifier)]);
  return sums.map(([campaignId, ...values], index) => ({
    campaignId: campaignId as bigint,
    metrics: readSums(metrics, values),
    attributes: new Map(attributes.map((name, column) => [name, newest[index]?.[column + 2] ?? null])),
  }));
}

/** Row count and metric sums of an account's rows in a query's table, over the days or, without days, over all. */
export function totalsOf(
  state: StateFile,
  table: { readonly name: string; readonly columns: readonly Column[] },
  customer: CustomerId,
  days: DateRange | undefined,
): { readonly rows: bigint; readonly metrics: MetricSums } {
  const metrics = metricsOf(table.columns);
  const dated = days !== undefined && table.columns.some(({ name }) => name === DATE_COLUMN);
  const where = `WHERE ${CUSTOMER_COLUMN} = ?${dated ? ` AND ${DATE_COLUMN} BETWEEN ? AND ?` : ''}`;
  const [rows, ...values] = state.connection
    .prepare(
      `SELECT ${['count(*)', ...sumExpressions(metrics)].join(', ')} FROM main.${identifier(table.name)} ${where}`,
    )
    .raw()
    .get(customer, ...(dated && days ? [days.from, days.to] : [])) as ColumnValue[];
  return { rows: rows as bigint, metrics: readSums(metrics, values) };
}

/** One day of an account in a query's table. */
export interface DayTotals {
  /** As the service wrote it: whether it is a day of the calendar is for the caller to judge. */
  readonly date: string;
  readonly rows: bigint;
  readonly metrics: MetricSums;
}

/** The totals of each of the days that has rows, in order. */
export function totalsByDay(
  connection: StateFile['connection'],
  table: { readonly name: string; readonly columns: readonly Column[] },
  customer: CustomerId,
  days: DateRange,
): DayTotals[] {
  const metrics = metricsOf(table.columns);
  const sql = `SELECT ${[DATE_COLUMN, 'count(*)', ...sumExpressions(metrics)].join(', ')} FROM main.${identifier(table.name)}
        WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ? GROUP BY ${DATE_COLUMN} ORDER BY ${DATE_COLUMN}`;
  const rows = prepared(connection, sql, 'columns').all(customer, days.from, days.to) as [
    string,
    bigint,
    ...ColumnValue[],
  ][];
  return rows.map(([date, count, ...values]) => ({ date, rows: count, metrics: readSums(metrics, values) }));
}
