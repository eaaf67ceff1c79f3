import type { CivilDate } from '../../domain/civil-date.ts';
import { type ColumnValue, DIVISOR_LEAST } from '../../domain/member.ts';
import {
  type Column,
  IMPRESSIONS_FIELD,
  isSummable,
  LOST_FIELDS,
  MICROS,
  RATIOS,
  SHARE_FIELD,
} from '../../language/gaql/check/column.ts';
import { countedImpressions } from './counted-impressions.ts';
import { DATE_COLUMN, identifier, storageType } from './query-table.ts';

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
  /** SQL of the weighted share of all rows, or NULL if a row has no value. Both are SQL of one row. */
  shareOf(part: string, eligible: string): string;
}

/** SQL of what {@link Totals} need, and how to read it. */
export function totalsFor(columns: readonly Column[], { sumsOf, read, shareOf }: SumDialect) {
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

export interface CampaignAggregate {
  readonly campaignId: bigint;
  /** The name on the newest day. */
  readonly name: string | null;
  readonly metrics: Totals;
}

export interface AccountTotals {
  readonly metrics: Totals;
  /** By ascending id. Empty if the table has no campaigns or no days. A renamed campaign stays one campaign. */
  readonly campaigns: readonly CampaignAggregate[];
}

export const CAMPAIGN_COLUMN = 'campaign_id';
export const NAME_COLUMN = 'campaign_name';

export function namesCampaigns({ columns }: SummedTable): boolean {
  return columns.some(({ name, type }) => name === NAME_COLUMN && storageType(type) === 'TEXT');
}

/** True if the table has what {@link AccountTotals.campaigns} needs. */
export function hasCampaignDays({ columns }: SummedTable): boolean {
  const names = new Set(columns.map(({ name }) => name));
  return names.has(CAMPAIGN_COLUMN) && names.has(DATE_COLUMN);
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
