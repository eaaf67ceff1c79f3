import type { CivilDate } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { StillArriving } from '../../domain/still-arriving.ts';

/** Amounts are in micros. Undefined means unknown. */
export interface AccountMonth {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** The first day of the month. */
  readonly month: CivilDate | undefined;
  readonly completeUntil: CivilDate | undefined;
  /** Number of days of the month until then that are not complete. No amount includes them. */
  readonly lackedDays: number;
  readonly spent: bigint | undefined;
  /** The expected spend of the full month. */
  readonly monthEnd: bigint | undefined;
  /** The month's spend if every day used up today's budgets. */
  readonly cap: bigint | undefined;
  /** The spend of the last seven complete days. */
  readonly week: bigint | undefined;
  readonly weekBefore: bigint | undefined;
  readonly conversions: number | undefined;
  /** Some of the conversions. CPA and ROAS leave them out, and their days. */
  readonly arriving: StillArriving | undefined;
  readonly cpa: bigint | undefined;
  /** In currency units. Like `roas`, undefined unless a rule decides by it. */
  readonly conversionsValue?: number | undefined;
  readonly roas?: number | undefined;
  /** The target that differs most from its amount in percent. A target with `off` is preferred. */
  readonly target: MonthTarget | undefined;
  readonly moreTargets: number;
  /** Names of the targets of several accounts that the account is a member of. */
  readonly memberOf: readonly string[];
  /** The campaign that contributed most to the change between the two weeks. */
  readonly driver: string | undefined;
}

export interface MonthTarget {
  readonly rule: string;
  /** The first day of the month in which the rule was evaluated. */
  readonly month: CivilDate;
  readonly target: bigint;
  readonly projected: bigint;
  /** Undefined if the expected spend is neither too high nor too low. */
  readonly off: 'over' | 'under' | undefined;
  /** True if the whole target is already spent. */
  readonly isSpent: boolean;
  /** True if the target has the same spend as the account, so it covers the whole account. */
  readonly isWhole: boolean;
  /** Names of its campaigns, or of groups that share a budget. */
  readonly covers: readonly string[];
}
