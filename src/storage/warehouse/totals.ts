import { type RawBuilder, sql } from 'kysely';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { type CustomerId, customerId } from '../../domain/ids.ts';
import {
  type ColumnValue,
  type CountedImpressions,
  DIVISOR_LEAST,
  DOUBLE_MOST,
  LOST_MOST,
  SHARE_LEAST,
  type SummedColumn,
} from '../../domain/member.ts';
import {
  type Column,
  IMPRESSIONS_FIELD,
  isSummable,
  LOST_FIELDS,
  MICROS,
  RATIOS,
  SHARE_FIELD,
} from '../../language/gaql/check/column.ts';
import type { StateDb } from '../records/record-store.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier, storageType } from './query-table.ts';

/** Sums by column name, exact for int64 columns. Null if a value is infinite or too large. */
export type MetricSums = ReadonlyMap<string, bigint | number | null>;

/** Sums and ratios by name. A ratio is null if a value is unknown or below zero, or if the divisor is zero. */
export type Totals = MetricSums;

export interface SummedTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

export function metricsOf(columns: readonly Column[]): Column[] {
  return columns.filter(({ role, type }) => role === 'metric' && (type === 'INT64' || type === 'DOUBLE'));
}

const namedIn = (columns: readonly Column[]) => (field: string) =>
  columns.find((column) => column.field === field)?.name;

/** How an engine sums columns exactly. `read` gets the values of `sumsOf`, in their order. */
export interface SumDialect {
  /** SQL of the sums, several for one column if it takes several to be exact. */
  sumsOf(metrics: readonly Column[]): string[];
  read(metrics: readonly Column[], values: readonly ColumnValue[]): Map<string, bigint | number | null>;
  tableOf(name: string): string;
  /** SQL of the weighted share of all rows, or NULL if a row has no value. Both are SQL of one row. */
  shareOf(part: string, eligible: string): string;
}

/** SQL of what {@link Totals} need, and how to read it. */
function totalsFor(columns: readonly Column[], { sumsOf, read, shareOf }: SumDialect) {
  const summable = metricsOf(columns).filter(isSummable);
  const sums = sumsOf(summable);
  const shares = sharesOf(columns);
  return {
    select: [...sums, ...shares.map(({ part, eligible }) => shareOf(part, eligible))],
    read(values: readonly ColumnValue[]): Totals {
      const found = read(summable, values);
      for (const [name, ratio] of ratiosOf(columns, found)) found.set(name, ratio);
      for (const [index, { name }] of shares.entries()) found.set(name, values[sums.length + index] as number | null);
      return found;
    },
  };
}

/** Impression shares are weighted by eligible impressions. `part` and `eligible` are SQL of one row. */
function sharesOf(columns: readonly Column[]): { name: string; eligible: string; part: string }[] {
  const named = namedIn(columns);
  const impressions = named(IMPRESSIONS_FIELD);
  const share = named(SHARE_FIELD);
  return [SHARE_FIELD, ...LOST_FIELDS].flatMap((field) => {
    const name = named(field);
    if (impressions === undefined || share === undefined || name === undefined) return [];
    const eligible = countedImpressions({ impressions, share, lost: undefined });
    const part =
      field === SHARE_FIELD ? identifier(impressions) : countedImpressions({ impressions, share, lost: name });
    return [{ name, eligible, part }];
  });
}

/** `cpa` is in currency units. */
function ratiosOf(columns: readonly Column[], sums: Totals): [name: string, ratio: number | null][] {
  const named = namedIn(columns);
  const amount = (name: string) => Number(sums.get(name) ?? -1) / (name.endsWith(MICROS) ? 1_000_000 : 1);
  return (['cpa', 'roas'] as const).flatMap((name) => {
    const [dividend, divisor] = RATIOS[name].map(named);
    if (dividend === undefined || divisor === undefined) return [];
    const above = amount(dividend);
    const below = amount(divisor);
    return [[name, above >= 0 && below >= DIVISOR_LEAST ? above / below : null]];
  });
}

export interface AccountTotals {
  readonly metrics: Totals;
  /** By ascending id. Empty if the table has no campaigns or no days. A renamed campaign stays one campaign. */
  readonly campaigns: readonly {
    readonly campaignId: bigint;
    /** The name on the newest day. */
    readonly name: string | null;
    readonly metrics: Totals;
  }[];
}

const CAMPAIGN_COLUMN = 'campaign_id';
const NAME_COLUMN = 'campaign_name';

export const named = (expressions: readonly string[]) => expressions.map((text, index) => `${text} AS value_${index}`);

/** Two statements for all accounts. Citus refuses GROUPING SETS. Omits accounts without rows. */
export async function accountTotals(
  db: StateDb,
  dialect: SumDialect,
  table: SummedTable,
  customers: readonly CustomerId[],
  days: DateRange | undefined,
): Promise<Map<CustomerId, AccountTotals>> {
  const { select: totals, read } = totalsFor(table.columns, dialect);
  const types = new Map(table.columns.map(({ name, type }) => [name, storageType(type)]));
  const range = hasDays(table) ? days : undefined;
  const within = range ? sql`AND ${sql.raw(DATE_COLUMN)} BETWEEN ${range.from} AND ${range.to}` : sql``;
  const from = sql`FROM ${sql.raw(dialect.tableOf(table.name))} WHERE customer_id IN (${sql.join(customers)}) ${within}`;
  const select = (columns: readonly string[]) => sql.raw([CUSTOMER_COLUMN, ...columns, ...named(totals)].join(', '));
  const sums = await rowsOf<[bigint, ...ColumnValue[]]>(db, sql`SELECT ${select([])} ${from} GROUP BY customer_id`);
  // Unlike an aggregate with ORDER BY, this sorts no rows.
  const newest = `nullif(substr(max(concat(${DATE_COLUMN}, ${NAME_COLUMN})), ${'YYYY-MM-DD'.length + 1}), '')`;
  const columns = [CAMPAIGN_COLUMN, `${types.get(NAME_COLUMN) === 'TEXT' ? newest : 'NULL'} AS name`];
  const ofCampaigns = sql`SELECT ${select(columns)} ${from} AND campaign_id IS NOT NULL
    GROUP BY customer_id, campaign_id ORDER BY campaign_id`;
  const byCampaign = range !== undefined && types.has(CAMPAIGN_COLUMN);
  const found = byCampaign ? await rowsOf<[bigint, bigint, string | null, ...ColumnValue[]]>(db, ofCampaigns) : [];
  const campaigns = Map.groupBy(found, ([customer]) => customer);
  return new Map(
    sums.map(([customer, ...values]) => {
      const own = campaigns.get(customer) ?? [];
      const byId = own.map(([, campaignId, name, ...parts]) => ({ campaignId, name, metrics: read(parts) }));
      return [customerId(String(customer)), { metrics: read(values), campaigns: byId }];
    }),
  );
}

/** Rows as arrays, in the order of the selected columns, whose names must differ. */
async function rowsOf<Row extends readonly unknown[]>(db: StateDb, query: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await query.execute(db.withoutPlugins());
  return rows.map((row) => Object.values(row as object) as readonly unknown[] as Row);
}

export interface DayTotals {
  /** Text from the service, not yet checked to be a date. */
  readonly date: string;
  readonly rows: bigint;
  readonly metrics: MetricSums;
}

export interface MemberDay {
  readonly day: CivilDate;
  readonly ids: readonly bigint[];
  /** Exact even beyond int64. Null if the sum is unknown. */
  readonly sums: readonly (bigint | null)[];
  readonly attributes: readonly ColumnValue[];
}

/** The same formula as `countImpressions`, as SQL. NULL stands for undefined. */
export function countedImpressions({ impressions, share, lost }: CountedImpressions): string {
  const shown = identifier(impressions);
  const of = identifier(share);
  const exact = [`${of} >= ${SHARE_LEAST}`, ...(lost === undefined ? [] : [`${identifier(lost)} <= ${LOST_MOST}`])];
  const times = lost === undefined ? '' : ` * ${identifier(lost)}`;
  return `CASE WHEN ${exact.join(' AND ')} THEN 1.0 * ${shown} / ${of}${times} END`;
}

/** SQL of what a row adds to a sum. Rows of later hours add zero. */
export function summedValue({ column, impressions, until }: SummedColumn): string {
  const stored = impressions === undefined ? identifier(column) : countedImpressions(impressions);
  if (until === undefined) return stored;
  return `CASE WHEN ${identifier(until.hours)} < ${until.hour} THEN ${stored} ELSE 0 END`;
}

/** SQL of a DOUBLE, or NULL if it is infinite or too large for a sum, such as 1e400. Adding such values can be an error. */
export function usableDouble(stored: string): string {
  return `CASE WHEN abs(${stored}) < ${DOUBLE_MOST} THEN ${stored} END`;
}

/** SQL of a sum, or NULL if one of the values is unusable, because a partial sum would be wrong. */
export function sumOfUsable(sum: string, stored: string): string {
  return `CASE WHEN count(${usableDouble(stored)}) = count(${stored}) THEN ${sum} END`;
}
