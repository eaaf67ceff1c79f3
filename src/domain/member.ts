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
  readonly column: string;
  /** A DOUBLE sum is in millionths, each row rounded to one. */
  readonly type: 'INT64' | 'DOUBLE';
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
