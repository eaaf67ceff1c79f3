import { type CivilDate, type DateRange, daysOf, endOfGrain, monthStart, weekdayOf } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { type Rational, rational } from '../../domain/rational.ts';
import type { Curve } from './pace.ts';

export interface DayNumber {
  readonly date: CivilDate;
  readonly value: bigint;
}

/** Mean of each weekday, in whole `d`-ths. */
export interface WeekdayMeans {
  readonly all: bigint;
  /** From Monday. A weekday without days has the mean of all. */
  readonly means: readonly bigint[];
  readonly d: bigint;
}

/** Within 28 days each weekday occurs one to four times. A multiple of these counts keeps the means whole. */
const MULTIPLE = 12n;

export function weekdayMeansOf(days: readonly DayNumber[]): WeekdayMeans {
  const week = [1, 2, 3, 4, 5, 6, 7].map(() => ({ sum: 0n, count: 0n }));
  for (const { date, value } of days) {
    const day = week[weekdayOf(date) - 1];
    if (day === undefined) continue;
    day.sum += value;
    day.count += 1n;
  }
  const total = week.reduce((sum, day) => sum + day.sum, 0n);
  const all = (total * MULTIPLE) / (BigInt(days.length) || 1n);
  return { all, means: week.map(({ sum, count }) => (count === 0n ? all : (sum * MULTIPLE) / count)), d: MULTIPLE };
}

export function meanOnWeekday(day: CivilDate, { means, d }: WeekdayMeans): Rational {
  return { n: means[weekdayOf(day) - 1] ?? 0n, d };
}

/** Fewer days with costs teach nothing. */
export const LEARNED_MIN = 14;

/** Seven whole weights from Monday. Only their proportions matter. */
export interface WeekCurve {
  readonly kind: Curve['kind'];
  readonly weights: readonly bigint[];
  /** Days behind a weekday curve. Fewer than {@link LEARNED_MIN} give an even one. */
  readonly learnedFrom: number | undefined;
}

const EVEN: readonly bigint[] = [1n, 1n, 1n, 1n, 1n, 1n, 1n];

/** `recent` costs are in micros. */
export function weekCurve(curve: Curve, recent: readonly DayNumber[]): WeekCurve {
  switch (curve.kind) {
    case 'even':
      return { kind: 'even', weights: EVEN, learnedFrom: undefined };
    case 'custom':
      return { kind: 'custom', weights: curve.weights.map(whole), learnedFrom: undefined };
    case 'weekday': {
      const learnedFrom = recent.filter(({ value }) => value > 0n).length;
      return { kind: 'weekday', weights: learnedFrom < LEARNED_MIN ? EVEN : learned(recent), learnedFrom };
    }
    default:
      return unreachable(curve);
  }
}

export function weightOn(date: CivilDate, { weights }: Pick<WeekCurve, 'weights'>): bigint {
  return weights[weekdayOf(date) - 1] ?? 0n;
}

export function weightOf(days: readonly CivilDate[], curve: Pick<WeekCurve, 'weights'>): bigint {
  return days.reduce((sum, date) => sum + weightOn(date, curve), 0n);
}

/** Treats a learned curve as even: a target must not move by itself. */
export function shareOfMonth(active: DateRange, curve: Curve): Rational {
  const weights = curve.kind === 'custom' ? curve.weights.map(whole) : EVEN;
  const month = daysOf({ from: monthStart(active.from), to: endOfGrain('month', active.from) });
  return rational(weightOf(daysOf(active), { weights }), weightOf(month, { weights }) || 1n);
}

/** Weights have at most six decimals, percentages eight. */
const whole = ({ n, d }: Rational): bigint => (n * 100_000_000n) / d;

/** Mean of each weekday, or of all days without one. At least a tenth of the mean, so that no day starves. */
function learned(recent: readonly DayNumber[]): bigint[] {
  const { all, means } = weekdayMeansOf(recent);
  return means.map((own) => (own * 10n < all ? all / 10n : own));
}
