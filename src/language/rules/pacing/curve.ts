import {
  type CivilDate,
  type DateRange,
  daysBetween,
  daysOf,
  endOfGrain,
  monthStart,
  weekdayOf,
} from '../../../domain/civil-date.ts';
import { unreachable } from '../../../domain/errors.ts';
import { type Rational, rational } from '../../../domain/rational.ts';
import type { Curve, Pace } from './pace.ts';

export interface DayNumber {
  readonly date: CivilDate;
  readonly value: bigint;
}

export interface WeekdayMeans {
  readonly all: bigint;
  /** Starts with Monday. A weekday without days has the mean of all days. */
  readonly means: readonly bigint[];
  readonly d: bigint;
}

/** Divisible by 1 to 4, because each weekday occurs at most four times in 28 days. */
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

/** The weekday curve needs at least this many days with costs. */
export const LEARNED_MIN = 14;

export interface DayCurve {
  readonly kind: Curve['kind'];
  readonly weightOn: (day: CivilDate) => bigint;
  /** Number of days with costs. Undefined unless the curve is `weekday`. */
  readonly learnedFrom: number | undefined;
}

/** The values of `recent` are costs in micros. */
export function dayCurve(
  { curve, weights, pauses }: Pick<Pace, 'curve' | 'weights' | 'pauses'>,
  period: DateRange,
  recent: readonly DayNumber[],
): DayCurve {
  const bare = bareCurve(curve, period, recent);
  if (weights.size === 0 && pauses.length === 0) return bare;
  const extraOn = (day: CivilDate): bigint => {
    if (pauses.some(({ from, to }) => from <= day && day <= to)) return 0n;
    return whole(weights.get(day) ?? weights.get(day.slice(0, 7)) ?? rational(1n));
  };
  return { ...bare, weightOn: (day) => bare.weightOn(day) * extraOn(day) };
}

function bareCurve(curve: Curve, period: DateRange, recent: readonly DayNumber[]): DayCurve {
  const { kind } = curve;
  switch (kind) {
    case 'even':
      return { kind, weightOn: () => 1n, learnedFrom: undefined };
    case 'early':
    case 'late':
      return { kind, weightOn: (day) => slope(kind, day, period), learnedFrom: undefined };
    case 'custom': {
      const weights = curve.weights.map(whole);
      return { kind, weightOn: (day) => onWeekday(day, weights), learnedFrom: undefined };
    }
    case 'weekday': {
      const learnedFrom = recent.filter(({ value }) => value > 0n).length;
      const weights = learnedFrom < LEARNED_MIN ? undefined : learned(recent);
      return { kind, weightOn: (day) => (weights === undefined ? 1n : onWeekday(day, weights)), learnedFrom };
    }
    default:
      return unreachable(kind);
  }
}

/** One end of the period weighs three times as much as the other. */
function slope(kind: 'early' | 'late', day: CivilDate, { from, to }: DateRange): bigint {
  const steps = kind === 'early' ? daysBetween(day, to) : daysBetween(from, day);
  // A period of one day would have the weight 0.
  return BigInt(daysBetween(from, to) + 2 * steps) || 1n;
}

function onWeekday(day: CivilDate, weights: readonly bigint[]): bigint {
  return weights[weekdayOf(day) - 1] ?? 0n;
}

export function weightOf(days: readonly CivilDate[], { weightOn }: Pick<DayCurve, 'weightOn'>): bigint {
  return days.reduce((sum, day) => sum + weightOn(day), 0n);
}

/** Only custom weights change the share. A weekday curve would change the target every day. */
export function shareOfMonth(active: DateRange, curve: Curve): Rational {
  const month = { from: monthStart(active.from), to: endOfGrain('month', active.from) };
  const weights = bareCurve(curve.kind === 'custom' ? curve : { kind: 'even' }, month, []);
  return rational(weightOf(daysOf(active), weights), weightOf(daysOf(month), weights) || 1n);
}

/** Makes a weight a whole number. Percentages, as shares, have at most eight decimals. */
const whole = ({ n, d }: Rational): bigint => (n * 100_000_000n) / d;

/** Every weekday gets at least a tenth of the mean, so that no weekday gets zero. */
function learned(recent: readonly DayNumber[]): bigint[] {
  const { all, means } = weekdayMeansOf(recent);
  return means.map((own) => (own * 10n < all ? all / 10n : own));
}
