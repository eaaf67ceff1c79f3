import type { DateRange } from './civil-date.ts';

export type MemberGrain = 'account' | 'campaign' | 'ad_group' | 'keyword';

export interface MemberDemand {
  readonly grain: MemberGrain;
  readonly ids: readonly string[];
  /** Oldest first, without overlap. Days between them are not read. */
  readonly stretches: readonly DateRange[];
  readonly metrics: readonly SummedColumn[];
  /** Columns that are the same in all of a member's rows of a day. */
  readonly attributes: readonly string[];
}

export interface SummedColumn {
  /** Names the sum; the stored column unless `impressions` says otherwise. */
  readonly column: string;
  /** A DOUBLE sum is in millionths, each row rounded to one. */
  readonly type: 'INT64' | 'DOUBLE';
  readonly impressions?: CountedImpressions | undefined;
}

/** The columns behind a row's eligible impressions, impressions ÷ share, or behind the part of them that was lost. */
export interface CountedImpressions {
  readonly impressions: string;
  readonly share: string;
  readonly lost: string | undefined;
}

/** The service gives no exact share below a tenth, nor a lost one above nine tenths. */
export const SHARE_LEAST = 0.1;
export const LOST_MOST = 0.9;

/** Undefined for a row without exact shares. With `eligible` instead of a lost share: all of them. */
export function countImpressions(
  impressions: number | undefined,
  share: number | undefined,
  lost: number | 'eligible' | undefined,
): number | undefined {
  if (impressions === undefined || share === undefined || share < SHARE_LEAST) return undefined;
  if (lost === 'eligible') return impressions / share;
  return lost === undefined || lost > LOST_MOST ? undefined : (impressions / share) * lost;
}

/** The stored columns behind a sum. */
export function columnsBehind({ column, impressions }: SummedColumn): readonly string[] {
  if (impressions === undefined) return [column];
  return [impressions.impressions, impressions.share, ...(impressions.lost === undefined ? [] : [impressions.lost])];
}

export type ColumnValue = bigint | number | string | null;

export interface Member {
  /** In the order of the demand's ids, all above zero. */
  readonly ids: readonly bigint[];
  /** In the order of the demand's stretches. Undefined without rows. */
  readonly stretches: readonly (MemberStretch | undefined)[];
}

export interface MemberStretch {
  /** In the order of the demand's metrics. Exact, also beyond int64. Null when the rows of a day have no value. */
  readonly sums: readonly (bigint | null)[];
  /** In the order of the demand's attributes, from the newest day with rows. */
  readonly attributes: readonly ColumnValue[];
}
