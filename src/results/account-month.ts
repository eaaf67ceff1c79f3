import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';

/** An account's month, from complete days of the published file. Amounts are in micros. Undefined means unknown. */
export interface AccountMonth {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** The first day of the month of `completeUntil`. */
  readonly month: CivilDate | undefined;
  /** The newest complete day. */
  readonly completeUntil: CivilDate | undefined;
  readonly spent: bigint | undefined;
  /** The expected spend of the whole month. */
  readonly monthEnd: bigint | undefined;
  /** The spend of the month if every day used up today's budgets. A cap, not a plan. */
  readonly cap: bigint | undefined;
  /** The last seven complete days, and the seven before. Undefined unless all fourteen are complete. */
  readonly week: bigint | undefined;
  readonly weekBefore: bigint | undefined;
  readonly conversions: number | undefined;
  /** Cost per conversion. */
  readonly cpa: bigint | undefined;
  /** The target that is furthest off. Omits targets without a projection. */
  readonly target: MonthTarget | undefined;
  readonly moreTargets: number;
  /** The campaign that contributed most to the week's change. Undefined if no campaign is known. */
  readonly driver: string | undefined;
}

export interface MonthTarget {
  readonly rule: string;
  /** The first day of the month in which the rule was evaluated. On the first of a month, it is not the account's. */
  readonly month: CivilDate;
  readonly target: bigint;
  readonly projected: bigint;
  /** Undefined on target. */
  readonly off: 'over' | 'under' | undefined;
  /** True if the target's spend is all of the account's spend in this month. */
  readonly isWhole: boolean;
}
