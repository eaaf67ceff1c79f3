import type { DateRange } from './civil-date.ts';

export type MemberGrain = 'account' | 'campaign' | 'ad_group' | 'keyword';

export interface MemberDemand {
  readonly grain: MemberGrain;
  readonly ids: readonly string[];
  /** Ranges of days, oldest first and without overlap. Days between them are not read. */
  readonly stretches: readonly DateRange[];
  readonly metrics: readonly SummedColumn[];
  /** Columns that are the same in all of a member's rows of a day. */
  readonly attributes: readonly string[];
}

export interface SummedColumn {
  /** The name of the sum. Without `impressions`, also the stored column to sum. */
  readonly column: string;
  /** A DOUBLE sum is in millionths, and each row is rounded to a millionth. */
  readonly type: 'INT64' | 'DOUBLE';
  readonly impressions?: CountedImpressions | undefined;
}

/** Columns to compute a row's eligible impressions (impressions ÷ share), or with `lost` the lost part of them. */
export interface CountedImpressions {
  readonly impressions: string;
  readonly share: string;
  readonly lost: string | undefined;
}

/** The service gives no exact shares below 0.1, and no exact lost shares above 0.9. */
export const SHARE_LEAST = 0.1;
export const LOST_MOST = 0.9;

/** Lost impressions of a row, or with `eligible` all eligible ones. Undefined for a row without exact shares. */
export function countImpressions(
  impressions: number | undefined,
  share: number | undefined,
  lost: number | 'eligible' | undefined,
): number | undefined {
  if (impressions === undefined || share === undefined || share < SHARE_LEAST) return undefined;
  if (lost === 'eligible') return impressions / share;
  return lost === undefined || lost > LOST_MOST ? undefined : (impressions / share) * lost;
}

/** The stored columns that a sum needs. */
export function columnsBehind({ column, impressions }: SummedColumn): readonly string[] {
  if (impressions === undefined) return [column];
  return [impressions.impressions, impressions.share, ...(impressions.lost === undefined ? [] : [impressions.lost])];
}

export type ColumnValue = bigint | number | string | null;

export interface Member {
  /** In the order of the demand's `ids`. All are above zero. */
  readonly ids: readonly bigint[];
  /** In the order of the demand's `stretches`. Undefined for a stretch without rows. */
  readonly stretches: readonly (MemberStretch | undefined)[];
}

export interface MemberStretch {
  /** In the order of the demand's `metrics`. Exact, also beyond int64. Null if the rows of a day have no value. */
  readonly sums: readonly (bigint | null)[];
  /** In the order of the demand's `attributes`. Values of the newest day with rows. */
  readonly attributes: readonly ColumnValue[];
}
