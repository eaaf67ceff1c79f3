import type { DateRange } from './civil-date.ts';

export type MemberGrain = 'account' | 'campaign' | 'ad_group' | 'keyword';

export interface MemberDemand {
  readonly grain: MemberGrain;
  readonly ids: readonly string[];
  /** The date ranges to read, oldest first and without overlap. */
  readonly stretches: readonly DateRange[];
  readonly metrics: readonly SummedColumn[];
  /** Columns with the same value in all rows of a member on the same day. */
  readonly attributes: readonly string[];
}

export interface SummedColumn {
  /** The name of the sum. Without `impressions`, also the name of the stored column. */
  readonly column: string;
  /** Sums of DOUBLE values are in millionths. */
  readonly type: 'INT64' | 'DOUBLE';
  readonly impressions?: CountedImpressions | undefined;
  readonly until?: HourBound | undefined;
}

/** Leaves out rows whose hour of the day, in the column `hours`, is `hour` or later. */
export interface HourBound {
  readonly hours: string;
  readonly hour: number;
}

/** Differs for each sum of a demand. */
export const sumName = ({ column, until }: SummedColumn): string =>
  until === undefined ? column : `${column} until ${until.hour}`;

/** A DOUBLE of a row that is not below this amount makes its sum unknown. Millionths of larger values do not fit into int64. */
export const DOUBLE_MOST = 9_000_000_000_000;

/** Less counts as zero where it divides, because rules count in millionths. */
export const DIVISOR_LEAST = 0.000_001;

/** Names of stored columns. Without `lost`, the sum counts all eligible impressions. */
export interface CountedImpressions {
  readonly impressions: string;
  readonly share: string;
  readonly lost: string | undefined;
}

/** The service sends no exact share below 0.1, and no exact lost share above 0.9. */
export const SHARE_LEAST = 0.1;
export const LOST_MOST = 0.9;

/** Returns lost impressions, or all eligible impressions. Undefined if a needed share is missing or not exact. */
export function countImpressions(
  impressions: number | undefined,
  share: number | undefined,
  lost: number | 'eligible' | undefined,
): number | undefined {
  if (impressions === undefined || share === undefined || share < SHARE_LEAST) return undefined;
  if (lost === 'eligible') return impressions / share;
  return lost === undefined || lost > LOST_MOST ? undefined : (impressions / share) * lost;
}

export function columnsBehind({ column, impressions }: SummedColumn): readonly string[] {
  if (impressions === undefined) return [column];
  return [impressions.impressions, impressions.share, ...(impressions.lost === undefined ? [] : [impressions.lost])];
}

export type ColumnValue = bigint | number | string | null;

export interface Member {
  /** In the order of `MemberDemand.ids`. */
  readonly ids: readonly bigint[];
  /** In the order of `MemberDemand.stretches`. Undefined for a date range without rows. */
  readonly stretches: readonly (MemberStretch | undefined)[];
}

export interface MemberStretch {
  /** In the order of `MemberDemand.metrics`. Null if a day has rows but no value. */
  readonly sums: readonly (bigint | null)[];
  /** Values of the newest day with rows, in the order of `MemberDemand.attributes`. */
  readonly attributes: readonly ColumnValue[];
}
