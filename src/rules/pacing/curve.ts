import { type CivilDate, type DateRange, daysOf, endOfGrain, monthStart, weekdayOf } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { type Rational, rational } from '../../domain/rational.ts';
import type { Curve } from './pace.ts';

/** A number of a day, such as what it cost in micros. */
export interface DayNumber {
  readonly date: CivilDate;
  readonly value: bigint;
}

/** The means of the weekdays among some days, as whole numbers of `d`-ths. */
export interface WeekdayMeans {
  /** Of all of the days; 0 without any. */
  readonly all: bigint;
  /** From Monday on; that of all where a weekday is not among the days. */
  readonly means: readonly bigint[];
  readonly d: bigint;
}

/** Of 28 days each weekday occurs one to four times: with a multiple of these counts the means are whole numbers. */
const MULTIPLE = 12n;

/** The mean of each weekday. Of at most four weeks it is exact. */
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

/** With fewer days that cost something nothing is learned. */
export const LEARNED_MIN = 14;

/** Seven weights from Monday on, whole numbers: only the proportion of one to another has a meaning. */
export interface WeekCurve {
  readonly kind: Curve['kind'];
  readonly weights: readonly bigint[];
  /** How many days a weekday curve was learned from; fewer than {@link LEARNED_MIN} made it an even one. */
  readonly learnedFrom: number | undefined;
}

const EVEN: readonly bigint[] = [1n, 1n, 1n, 1n, 1n, 1n, 1n];

/** The curve of a target whose recent days cost so much, in micros. */
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

/** The part of the month's target of some days. A learned curve counts as even: a target must not move by itself. */
export function shareOfMonth(active: DateRange, curve: Curve): Rational {
  const weights = curve.kind === 'custom' ? curve.weights.map(whole) : EVEN;
  const month = daysOf({ from: monthStart(active.from), to: endOfGrain('month', active.from) });
  return rational(weightOf(daysOf(active), { weights }), weightOf(month, { weights }) || 1n);
}

/** Weights are written with at most six decimals, as percentages with eight. */
const whole = ({ n, d }: Rational): bigint => (n * 100_000_000n) / d;

/** The mean of each weekday, of all days where it has none; never below a tenth of the mean, so that no day is starved. */
function learned(recent: readonly DayNumber[]): bigint[] {
  const { all, means } = weekdayMeansOf(recent);
  return means.map((own) => (own * 10n < all ? all / 10n : own));
}
