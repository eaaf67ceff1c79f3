import { unreachable } from '../../../domain/errors.ts';
import type { ColumnValue, Member, MemberDemand, MemberStretch } from '../../../domain/member.ts';
import type { Rational } from '../../../domain/rational.ts';
import type { DayMeasure, MetricUse } from '../check/checked-expression.ts';

/** One sum per day, as a whole number of small units such as micros. */
type DayValues = readonly bigint[];

/** `divisor` is the number of small units in one unit of the metric. */
export function meanOf(days: DayValues, divisor: bigint): Rational | undefined {
  return days.length === 0 ? undefined : { n: sumOf(days), d: divisor * BigInt(days.length) };
}

/** Minimum number of days with rows. */
export const DAYS_LEAST: Readonly<Record<DayMeasure, number>> = { mean: 1, deviation: 2, median: 3, mad: 3 };

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
      // The days are doubled too, because `middle` is twice the median.
      const distances = days.map((day) => absolute(2n * day - middle));
      return { n: twiceTheMedian(distances), d: 4n * divisor };
    }
    default:
      return unreachable(measure);
  }
}

function twiceTheMedian(values: DayValues): bigint {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0n;
  return upper + (sorted.length % 2 === 1 ? upper : (sorted[half - 1] ?? 0n));
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

const MILLION = 1_000_000n;

/** Sample standard deviation (n - 1), rounded down to a millionth of the unit. */
export function deviationOf(days: DayValues, divisor: bigint): Rational | undefined {
  if (days.length < 2) return undefined;
  const count = BigInt(days.length);
  const sum = sumOf(days);
  const squares = days.reduce((total, day) => total + day * day, 0n);
  // n · Σx² − (Σx)² is n times the sum of squared distances from the mean, without fractions.
  const variance = { n: count * squares - sum * sum, d: count * (count - 1n) * divisor * divisor };
  return { n: rootOf((variance.n * MILLION * MILLION) / variance.d), d: MILLION };
}

const sumOf = (days: DayValues): bigint => days.reduce((total, day) => total + day, 0n);

/** Square root by Newton's method, rounded down. */
function rootOf(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

export interface MetricPlace {
  readonly measure: MetricUse['measure'];
  readonly metric: number;
  readonly divisor: bigint;
  /** Indexes into `MemberDemand.stretches`. */
  readonly stretches: readonly number[];
  readonly isRange: boolean;
}

/** Prefix sums, so that the sum of adjacent ranges is one subtraction. */
interface Running {
  readonly totals: readonly bigint[];
  readonly held: readonly number[];
  readonly unknown: readonly number[];
}

export class Figures {
  readonly members: readonly Member[];
  /** In currency units. Undefined if unknown. */
  readonly budget: Rational | undefined;
  readonly #stretches: readonly (MemberStretch | undefined)[];
  readonly #running: Running[] = [];
  readonly #values: (Rational | undefined)[] = [];

  constructor(demand: MemberDemand, members: readonly Member[], budget: Rational | undefined) {
    this.members = members;
    this.budget = budget;
    const [only] = members;
    this.#stretches =
      only !== undefined && members.length === 1
        ? only.stretches
        : demand.stretches.map((_, stretch) => together(members.flatMap((member) => member.stretches[stretch] ?? [])));
  }

  metric(slot: number, place: MetricPlace): Rational | undefined {
    const known = this.#values[slot];
    if (known !== undefined || slot in this.#values) return known;
    const value = this.#compute(place);
    this.#values[slot] = value;
    return value;
  }

  hasRows(stretches: readonly number[]): boolean {
    return stretches.some((stretch) => this.#stretches[stretch] !== undefined);
  }

  countStretches(stretches: readonly number[]): number {
    return stretches.filter((stretch) => this.#stretches[stretch] !== undefined).length;
  }

  /** Null if no member has a value, or if the values differ. */
  attribute(attribute: number, newestFirst: readonly number[]): ColumnValue {
    let found: ColumnValue | undefined;
    for (const { stretches } of this.members) {
      const newest = newestFirst.find((stretch) => stretches[stretch] !== undefined);
      if (newest === undefined) continue;
      const value = stretches[newest]?.attributes[attribute] ?? null;
      if (found !== undefined && found !== value) return null;
      found = value;
    }
    return found ?? null;
  }

  #compute({ measure, metric, divisor, stretches, isRange }: MetricPlace): Rational | undefined {
    const first = stretches[0];
    const last = stretches.at(-1);
    if (first === undefined || last === undefined) return undefined;
    if (isRange) {
      const { totals, held, unknown } = this.#runningOf(metric);
      const rows = (held[last + 1] ?? 0) - (held[first] ?? 0);
      if (rows === 0 || unknown[last + 1] !== unknown[first]) return undefined;
      return { n: (totals[last + 1] ?? 0n) - (totals[first] ?? 0n), d: divisor };
    }
    const days: DayValues = stretches.flatMap((stretch) => this.#stretches[stretch]?.sums[metric] ?? []);
    // If a day has rows without a value, the result is unknown.
    if (days.length < this.countStretches(stretches)) return undefined;
    return measureOf(measure === 'sum' ? 'mean' : measure, days, divisor);
  }

  #runningOf(metric: number): Running {
    const known = this.#running[metric];
    if (known !== undefined) return known;
    const totals = [0n];
    const held = [0];
    const unknown = [0];
    this.#stretches.forEach((stretch, index) => {
      const sum = stretch?.sums[metric] ?? 0n;
      totals.push((totals[index] ?? 0n) + sum);
      held.push((held[index] ?? 0) + (stretch === undefined ? 0 : 1));
      unknown.push((unknown[index] ?? 0) + (stretch?.sums[metric] === null ? 1 : 0));
    });
    const running = { totals, held, unknown };
    this.#running[metric] = running;
    return running;
  }
}

function together(parts: readonly MemberStretch[]): MemberStretch | undefined {
  const [first, ...rest] = parts;
  if (first === undefined) return undefined;
  const sums = [...first.sums];
  for (const part of rest) {
    part.sums.forEach((sum, metric) => {
      const before = sums[metric] ?? null;
      sums[metric] = before === null || sum === null ? null : before + sum;
    });
  }
  return { sums, attributes: first.attributes };
}
