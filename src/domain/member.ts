import type { DateRange } from './civil-date.ts';

export type MemberGrain = 'account' | 'campaign' | 'ad_group' | 'keyword';

export interface MemberDemand {
  readonly grain: MemberGrain;
  readonly ids: readonly string[];
  /** Ranges of days, oldest first and without overlap. Days between them are not read. */
  readonly stretches: readonly DateRange[];
  readonly metrics: readonly SummedColumn[];
  /** Columns that have the same value in all rows of one member on one day. */
  readonly attributes: readonly string[];
}

export interface SummedColumn {
  /** The name of the sum. If `impressions` is undefined, also the name of the stored column. */
  readonly column: string;
  /** For DOUBLE, each row is rounded to a millionth, and the sum counts millionths. */
  readonly type: 'INT64' | 'DOUBLE';
  readonly impressions?: CountedImpressions | undefined;
}

/**
 * Names of stored columns. The sum adds up eligible impressions (impressions ÷ share). If `lost` is defined, the sum
 * adds up only the lost part of these.
 */
export interface CountedImpressions {
  readonly impressions: string;
  readonly share: string;
  readonly lost: string | undefined;
}

/** The service gives no exact shares below 0.1, and no exact lost shares above 0.9. */
export const SHARE_LEAST = 0.1;
export const LOST_MOST = 0.9;

/**
 * Returns the lost impressions of a row. If `lost` is `eligible`, returns all eligible impressions. Undefined if a
 * needed share is unknown or not exact.
 */
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
  /** In the order of `MemberDemand.ids`. All ids are above zero. */
  readonly ids: readonly bigint[];
  /** In the order of `MemberDemand.stretches`. Undefined for a date range without rows. */
  readonly stretches: readonly (MemberStretch | undefined)[];
}

export interface MemberStretch {
  /** In the order of `MemberDemand.metrics`. Exact, also beyond int64. Null if a day has rows but no value. */
  readonly sums: readonly (bigint | null)[];
  /** In the order of `MemberDemand.attributes`. Values of the newest day with rows. */
  readonly attributes: readonly ColumnValue[];
}
