import type { CivilDate } from '../domain/civil-date.ts';
import type { ColumnValue } from '../domain/member.ts';
import type { Column } from '../gaql/check/column.ts';

/** Sums by column name, exact for int64 columns. */
export type MetricSums = ReadonlyMap<string, bigint | number>;

/** Sums and ratios by name. A ratio is null if a value is unknown or the divisor is zero. */
export type Totals = ReadonlyMap<string, bigint | number | null>;

export interface SummedTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

export function metricsOf(columns: readonly Column[]): Column[] {
  return columns.filter(({ role, type }) => role === 'metric' && (type === 'INT64' || type === 'DOUBLE'));
}

export interface CampaignAggregate {
  readonly campaignId: bigint;
  readonly metrics: Totals;
  readonly attributes: ReadonlyMap<string, ColumnValue>;
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
