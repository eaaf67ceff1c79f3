import type { Rational } from '../domain/rational.ts';

/** A metric's sums of single days, in whole parts of its unit. */
export type DayValues = readonly bigint[];

/** The mean of the days that have rows, in the unit; undefined with none. `divisor` parts make a unit. */
export function meanOf(days: DayValues, divisor: bigint): Rational | undefined {
  return days.length === 0 ? undefined : { n: sumOf(days), d: divisor * BigInt(days.length) };
}

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
