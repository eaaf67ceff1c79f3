import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { BudgetId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { type Rational, rational } from '../../domain/rational.ts';

export const ROLLOVERS = ['none', 'under', 'over', 'both'] as const;
export type Rollover = (typeof ROLLOVERS)[number];

export const NAMED_CURVES = ['even', 'weekday', 'early', 'late'] as const;

export type Curve =
  | { readonly kind: 'even' }
  /** The weights rise or fall linearly over the paced days of a month, or over the days of a flight. */
  | { readonly kind: 'early' | 'late' }
  /** The weights come from the recent costs of each weekday. */
  | { readonly kind: 'weekday' }
  /** Seven weights, starting with Monday. No weight is negative, and at least one is positive. */
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
}

export interface Pace extends PaceOptions {
  readonly amount: Micros;
  /** For a `flight`, the amount covers all days from `starts` to `ends`, and both are defined. */
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
};

export type PaceState =
  | 'in_band'
  /** Today's budgets are too low for the target, and larger ones would be spent. */
  | 'low'
  | 'high'
  | 'overspent'
  /** Today's budgets are too low for the target, but are not fully spent. */
  | 'unused'
  | 'paused'
  | 'not_started'
  | 'ended'
  | 'unknown';

/** Amounts are exact, in micros. */
export interface PaceReading {
  readonly today: CivilDate;
  readonly per: Pace['per'];
  /** The paced days of a month, or the flight. */
  readonly period: DateRange;
  /** Target for the paced days, including `carried`. */
  readonly target: Rational;
  /** Target for the whole month or flight, as in the rule. */
  readonly wholeTarget: Micros;
  /** Amount from earlier months, included in `target`. Negative after overspending. */
  readonly carried: Rational;
  readonly carriedMonths: number;
  readonly spent: Rational;
  /** Highest possible cost of past days without final costs: their budgets, or the costs so far if higher. */
  readonly unsettled: Rational;
  /** The period's newest final day. Undefined before the first one. Earlier days are not always final. */
  readonly newestSettled: CivilDate | undefined;
  /** The part of the target that the curve gives to the days before today. */
  readonly idealToDate: Rational;
  /** The period's cost if today's budgets are spent and later days follow the curve. */
  readonly budgeted: Rational;
  /** Forecast: each incomplete day costs the recent mean of its weekday, at most its budget. */
  readonly projected: Rational;
  readonly band: { readonly low: Rational; readonly high: Rational };
  /** Sum of the current daily amounts of the budgets that the rule may change, without paused ones. */
  readonly current: bigint;
  /** The sum that the rule requests, before limits. Undefined if it requests no change. */
  readonly wanted: Rational | undefined;
  readonly state: PaceState;
  readonly why: string;
  /** True if the numbers alone do not explain the outcome. */
  readonly isBesideNumbers: boolean;
  /** `learnedFrom` counts the complete days behind a weekday curve. */
  readonly curve: { readonly kind: Curve['kind']; readonly learnedFrom: number | undefined };
  /** Days of `period`. `cost` is undefined for incomplete days. */
  readonly days: readonly PacedDay[];
  /** Budgets that the rule may change. `wanted` is undefined for a budget that stays the same. */
  readonly budgets: readonly PacedBudget[];
  /** Undefined if the target can be met within the band. */
  readonly shortfall: PaceShortfall | undefined;
}

/** The part of the target that cannot be spent by the period's end, in micros. */
export interface PaceShortfall {
  readonly amount: bigint;
  /** `unused`: recent costs are below the budgets. `day_limit`: no day gets more than twice its share. */
  readonly reason: 'ceiling' | 'unused' | 'day_limit';
}

export interface PacedDay {
  readonly date: CivilDate;
  /** The day's weight in the curve. Only the proportions between days matter. */
  readonly weight: Rational;
  readonly cost: Rational | undefined;
}

export interface PacedBudget {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  readonly wanted: Rational | undefined;
  /** The campaign's name, or the number of campaigns that share the budget. */
  readonly label: string;
}
