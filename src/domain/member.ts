import type { DateRange } from './civil-date.ts';

/** What rows of a table are brought together by. */
export type MemberGrain = 'account' | 'campaign' | 'ad_group' | 'keyword';

/** What is asked of a query's table: sums of an account's rows, by member and stretch of days. */
export interface MemberDemand {
  readonly grain: MemberGrain;
  /** The columns whose ids tell the members apart; none where the account is the only one. */
  readonly ids: readonly string[];
  /** Oldest first, without overlap; days between them are not read. */
  readonly stretches: readonly DateRange[];
  readonly metrics: readonly SummedColumn[];
  /** Columns that are the same in all of a member's rows of a day. */
  readonly attributes: readonly string[];
}

export interface SummedColumn {
  readonly column: string;
  /** A sum of DOUBLE comes in millionths, each row's value rounded to one. */
  readonly type: 'INT64' | 'DOUBLE';
}

/** A value of a column as the state file holds it. */
export type ColumnValue = bigint | number | string | null;

/** What a table holds of one member: a campaign, an ad group, a keyword, the account. */
export interface Member {
  /** In the order of the demand's ids, all above zero. */
  readonly ids: readonly bigint[];
  /** By the demand's stretches; undefined where it has no row. */
  readonly stretches: readonly (MemberStretch | undefined)[];
}

export interface MemberStretch {
  /** By the demand's metrics: exact, beyond int64 too. Null when the rows of a day have no value. */
  readonly sums: readonly (bigint | null)[];
  /** By the demand's attributes, as the newest day that has rows has them. */
  readonly attributes: readonly ColumnValue[];
}
