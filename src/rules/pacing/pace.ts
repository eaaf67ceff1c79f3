import type { CivilDate } from '../../domain/civil-date.ts';
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
