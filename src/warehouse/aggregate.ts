import type { DateRange } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Column } from '../gaql/check/column.ts';
import type { StateFile } from '../store/open-state.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from './query-table.ts';

/** A value of a column as the state file holds it. */
export type ColumnValue = bigint | number | string | null;

/** One campaign of an account over some days. */
export interface CampaignAggregate {
  readonly campaignId: bigint;
  /** Sums of the metric columns, by column name. */
  readonly metrics: ReadonlyMap<string, bigint | number>;
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
  const from = `FROM ${identifier(table.name)} ${where} GROUP BY ${CAMPAIGN_COLUMN} ORDER BY ${CAMPAIGN_COLUMN}`;
  const select = (columns: readonly string[]) =>
    state.connection
      .prepare(`SELECT ${[CAMPAIGN_COLUMN, ...columns].join(', ')} ${from}`)
      .raw()
      .all(BigInt(customer), days.from, days.to) as ColumnValue[][];

  const sums = select(metrics.flatMap(sumExpressions));
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
): { readonly rows: bigint; readonly metrics: ReadonlyMap<string, bigint | number> } {
  const metrics = metricsOf(table.columns);
  const dated = days !== undefined && table.columns.some(({ name }) => name === DATE_COLUMN);
  const where = `WHERE ${CUSTOMER_COLUMN} = ?${dated ? ` AND ${DATE_COLUMN} BETWEEN ? AND ?` : ''}`;
  const [rows, ...values] = state.connection
    .prepare(
      `SELECT ${['count(*)', ...metrics.flatMap(sumExpressions)].join(', ')} FROM ${identifier(table.name)} ${where}`,
    )
    .raw()
    .get(BigInt(customer), ...(dated && days ? [days.from, days.to] : [])) as ColumnValue[];
  return { rows: rows as bigint, metrics: readSums(metrics, values) };
}

function metricsOf(columns: readonly Column[]): Column[] {
  return columns.filter(({ role }) => role === 'metric');
}

/** Two per metric: SQLite's own sum of integers fails beyond int64, the sums of their halves stay within it. */
function sumExpressions({ name, type }: Column): [string, string] {
  const column = identifier(name);
  if (type !== 'INT64') return [`coalesce(sum(${column}), 0.0)`, '0'];
  return [`coalesce(sum(${column} >> 32), 0)`, `coalesce(sum(${column} & 4294967295), 0)`];
}

function readSums(metrics: readonly Column[], values: readonly ColumnValue[]): Map<string, bigint | number> {
  return new Map(
    metrics.map(({ name }, index) => {
      const [high, low] = [values[index * 2], values[index * 2 + 1]];
      return [name, typeof high === 'bigint' ? high * 2n ** 32n + (low as bigint) : (high as number)];
    }),
  );
}
