import { unreachable } from '../../domain/errors.ts';
import type { Rational } from '../../domain/rational.ts';
import type { DayMeasure } from '../check/checked-expression.ts';

/** A metric's sums of single days, in whole parts of its unit. */
export type DayValues = readonly bigint[];

/** The mean of the days that have rows, in the unit; undefined with none. `divisor` parts make a unit. */
export function meanOf(days: DayValues, divisor: bigint): Rational | undefined {
  return days.length === 0 ? undefined : { n: sumOf(days), d: divisor * BigInt(days.length) };
}

/** How many days with rows each measure needs at least; of fewer it is unknown. Two days have a middle, and say nothing of what is usual. */
export const DAYS_LEAST: Readonly<Record<DayMeasure, number>> = { mean: 1, deviation: 2, median: 3, mad: 3 };

/** What the measure makes of the days, in the unit; undefined with too few of them. */
export function measureOf(measure: DayMeasure, days: DayValues, divisor: bigint): Rational | undefined {
  if (days.length < DAYS_LEAST[measure]) return undefined;
  switch (measure) {
    case 'mean':
      return meanOf(days, divisor);
    case 'deviation':
      return deviationOf(days, divisor);
    case 'median':
      return { n: twiceTheMedian(days), d: 2n * divisor };
    case 'mad': {
      const middle = twiceTheMedian(days);
      // Distances from a middle that may be a half are whole when both are doubled.
      const distances = days.map((day) => absolute(2n * day - middle));
      return { n: twiceTheMedian(distances), d: 4n * divisor };
    }
    default:
      return unreachable(measure);
  }
}

/** The middle value, or the sum of the two in the middle, doubled so that it is whole. */
function twiceTheMedian(values: DayValues): bigint {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0n;
  return upper + (sorted.length % 2 === 1 ? upper : (sorted[half - 1] ?? 0n));
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

const MILLION = 1_000_000n;

/**
 * The sample standard deviation, in the unit: the root of the sum of squared distances from the mean by n - 1, rounded
 * down to a millionth of the unit. Undefined with fewer than two days.
 */
export function deviationOf(days: DayValues, divisor: bigint): Rational | undefined {
  if (days.length < 2) return undefined;
  const count = BigInt(days.length);
  const sum = sumOf(days);
  const squares = days.reduce((total, day) => total + day * day, 0n);
  // n · Σx² − (Σx)² is n times the sum of squared distances: whole numbers to the end.
  const variance = { n: count * squares - sum * sum, d: count * (count - 1n) * divisor * divisor };
  return { n: rootOf((variance.n * MILLION * MILLION) / variance.d), d: MILLION };
}

const sumOf = (days: DayValues): bigint => days.reduce((total, day) => total + day, 0n);

/** The largest whole number whose square is not above `value`, by Newton's method. */
function rootOf(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
