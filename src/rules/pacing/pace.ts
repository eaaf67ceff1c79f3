import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { BudgetId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { type Rational, rational } from '../../domain/rational.ts';

export const ROLLOVERS = ['none', 'under', 'over', 'both'] as const;
export type Rollover = (typeof ROLLOVERS)[number];

/** How a month's target is laid over its days. */
export type Curve =
  | { readonly kind: 'even' }
  /** As the days of the week cost of late. */
  | { readonly kind: 'weekday' }
  /** Seven weights from Monday on, none below zero and one above it. */
  | { readonly kind: 'custom'; readonly weights: readonly Rational[] };

/** How a rule keeps budgets on a month's target: the key `pace` of its file. */
export interface PaceOptions {
  readonly curve: Curve;
  /** Shares of the target between which nothing is changed. */
  readonly band: { readonly low: Rational; readonly high: Rational };
  /** What of a month's rest goes on to the next one. */
  readonly rollover: Rollover;
  /** The first day that is paced. */
  readonly starts: CivilDate | undefined;
  /** The last one. */
  readonly ends: CivilDate | undefined;
  /** Targets of single months in place of the rule's, by `2026-11`. */
  readonly months: ReadonlyMap<string, Micros>;
}

export interface Pace extends PaceOptions {
  /** The target of a month. */
  readonly amount: Micros;
}

export const DEFAULT_PACE: PaceOptions = {
  curve: { kind: 'even' },
  band: { low: rational(95n, 100n), high: rational(105n, 100n) },
  rollover: 'none',
  starts: undefined,
  ends: undefined,
  months: new Map(),
};

/** How a target stands on a day. */
export type PaceState =
  /** What today's budgets come to is close enough to the target. */
  | 'in_band'
  /** Today's budgets come to less than the target, and more would be spent. */
  | 'low'
  /** Today's budgets come to more than the target. */
  | 'high'
  /** Nothing of the target is left for the days to come. */
  | 'overspent'
  /** Today's budgets come to less than the target, and are not spent as they are. */
  | 'unused'
  | 'paused'
  | 'not_started'
  | 'ended'
  /** Something that is needed is not known; `why` says what. */
  | 'unknown';

/** What a pacing rule found for one target. Amounts are exact and in micros. */
export interface PaceReading {
  readonly today: CivilDate;
  /** The days of the month that the rule paces. */
  readonly month: DateRange;
  /** Of these days, with what was carried over. */
  readonly target: Rational;
  /** The whole month's, as the rule has it. */
  readonly monthTarget: Micros;
  /** From the months before, below zero for overspend; part of `target`. */
  readonly carried: Rational;
  /** How many months that was counted over. */
  readonly carriedMonths: number;
  /** On the complete days of the month. */
  readonly spent: Rational;
  /** What the days that are over and not settled may have cost: what their budgets were, or what is read of them where it is more. */
  readonly unsettled: Rational;
  /** Days before it may be missing; undefined before the month's first. */
  readonly newestSettled: CivilDate | undefined;
  /** What of the target belongs to the days before today, by the curve. */
  readonly idealToDate: Rational;
  /** What the month comes to if today's budgets are spent and later days follow the curve. */
  readonly budgeted: Rational;
  /** What the month is expected to cost: each day that is not complete what its weekday cost of late, at most its budget. */
  readonly projected: Rational;
  /** Shares of the target between which nothing is changed. */
  readonly band: { readonly low: Rational; readonly high: Rational };
  /** Today's amounts of the target's budgets together, without those that are paused. */
  readonly current: bigint;
  /** What they should be today, before any limit; undefined where nothing is wished for. */
  readonly wanted: Rational | undefined;
  readonly state: PaceState;
  /** One sentence for people. */
  readonly why: string;
  /** Whether the numbers above alone do not say it. */
  readonly isBesideNumbers: boolean;
  /** `learnedFrom`: how many complete days a weekday curve was learned from. */
  readonly curve: { readonly kind: 'even' | 'weekday' | 'custom'; readonly learnedFrom: number | undefined };
  /** Those of `month`. `cost` is undefined for days that are not complete. */
  readonly days: readonly PacedDay[];
  /** Those that the rule may change. `wanted` is undefined for those that stay as they are. */
  readonly budgets: readonly PacedBudget[];
}

export interface PacedDay {
  readonly date: CivilDate;
  /** By the curve; only the proportion of one to another has a meaning. */
  readonly weight: Rational;
  readonly cost: Rational | undefined;
}

export interface PacedBudget {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  readonly wanted: Rational | undefined;
  /** For people: the campaign's name, or how many share it. */
  readonly label: string;
}
