import type { CivilDate, DateRange } from '../../../domain/civil-date.ts';
import type { BudgetId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import { type Rational, rational } from '../../../domain/rational.ts';

export const ROLLOVERS = ['none', 'under', 'over', 'both'] as const;
export type Rollover = (typeof ROLLOVERS)[number];

export const NAMED_CURVES = ['even', 'weekday', 'early', 'late'] as const;

export type Curve =
  | { readonly kind: 'even' }
  /** Weights fall (`early`) or rise (`late`) linearly over the period. */
  | { readonly kind: 'early' | 'late' }
  | { readonly kind: 'weekday' }
  /** Seven weights, starting with Monday. At least one weight is positive. */
  | { readonly kind: 'custom'; readonly weights: readonly Rational[] };

export interface PaceOptions {
  readonly curve: Curve;
  /** Shares of the target. Between `low` and `high`, no budget changes. */
  readonly band: { readonly low: Rational; readonly high: Rational };
  readonly rollover: Rollover;
  readonly starts: CivilDate | undefined;
  readonly ends: CivilDate | undefined;
  /** Keys are months such as `2026-11`. The amount replaces the rule's target. */
  readonly months: ReadonlyMap<string, Micros>;
  /** Multiplied with the curve. Keys are months, or days, which replace their month's weight. */
  readonly weights: ReadonlyMap<string, Rational>;
  /** These days weigh 0. */
  readonly pauses: readonly DateRange[];
}

export interface Pace extends PaceOptions {
  readonly amount: Micros;
  /** A `flight` always has `starts` and `ends`. */
  readonly per: 'month' | 'flight';
}

/** Undefined for a monthly target. */
export function flightOf({ per, starts, ends }: Pick<Pace, 'per' | 'starts' | 'ends'>): DateRange | undefined {
  return per === 'month' || starts === undefined || ends === undefined ? undefined : { from: starts, to: ends };
}

export const DEFAULT_PACE: PaceOptions = {
  curve: { kind: 'even' },
  band: { low: rational(95n, 100n), high: rational(105n, 100n) },
  rollover: 'none',
  starts: undefined,
  ends: undefined,
  months: new Map(),
  weights: new Map(),
  pauses: [],
};

export type PaceState =
  | 'in_band'
  /** Budgets are too low for the target, and higher budgets would be spent. */
  | 'low'
  | 'high'
  | 'overspent'
  /** Budgets are too low for the target, but are not fully spent. */
  | 'unused'
  | 'paused'
  | 'not_started'
  | 'ended'
  | 'unknown';

/** Amounts are exact, in micros. */
export interface PaceReading {
  /** The currency of the target. Amounts of `budgets` are in the account's. */
  readonly currency: string | undefined;
  /** Undefined if the account is in the currency of the target. */
  readonly rate?: PaceRate | undefined;
  /** The reading of all accounts, if each one has a share of its own. */
  readonly together?: PaceReading | undefined;
  readonly today: CivilDate;
  readonly per: Pace['per'];
  readonly period: DateRange;
  readonly target: Rational;
  readonly wholeTarget: Micros;
  /** Amount from earlier months, included in `target`. Negative after overspending. */
  readonly carried: Rational;
  readonly carriedMonths: number;
  readonly spent: Rational;
  /** Assumed cost of past days without final costs. */
  readonly unsettled: Rational;
  /** The newest final day of the period. */
  readonly newestSettled: CivilDate | undefined;
  /** The part of the target that the curve gives to the days before today. */
  readonly idealToDate: Rational;
  /** Forecast if today's budgets are spent and later days follow the curve. */
  readonly budgeted: Rational;
  /** Forecast from the recent mean cost of each weekday. */
  readonly projected: Rational;
  readonly band: { readonly low: Rational; readonly high: Rational };
  /** Sum of the daily amounts of running budgets that the rule may change. */
  readonly current: bigint;
  /** The largest sum of budgets for today that keeps to the target. Undefined if the budgets and costs are not known. */
  readonly most: Rational | undefined;
  /** Sum of the daily amounts that the rule requests. Undefined if the rule requests no change. */
  readonly wanted: Rational | undefined;
  readonly state: PaceState;
  readonly why: string;
  /** True if the numbers alone do not explain the outcome. */
  readonly isBesideNumbers: boolean;
  readonly curve: { readonly kind: Curve['kind']; readonly learnedFrom: number | undefined };
  /** `cost` is undefined for incomplete days. */
  readonly days: readonly PacedDay[];
  readonly budgets: readonly PacedBudget[];
  /** Undefined if the band can be reached, or if there is no forecast. */
  readonly shortfall: PaceShortfall | undefined;
}

/** On this day, one `from`, the account's currency, was `rate` of `to`, the target's. */
export interface PaceRate {
  readonly from: string;
  readonly to: string;
  readonly rate: Rational;
  readonly date: CivilDate;
  /** From the settings. It counts until a newer one. */
  readonly isFixed?: true;
}

/** The part of the target that will probably not be spent, in micros. */
export interface PaceShortfall {
  readonly amount: bigint;
  /** `day_limit`: no day gets more than twice its share of the target. */
  readonly reason: 'ceiling' | 'unused' | 'day_limit';
}

export interface PacedDay {
  readonly date: CivilDate;
  readonly weight: Rational;
  readonly cost: Rational | undefined;
}

export interface PacedBudget {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  readonly wanted: Rational | undefined;
  readonly label: string;
}
