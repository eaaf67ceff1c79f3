import type { CivilDate } from '../domain/civil-date.ts';
import { add, divide, multiply, type Rational, rational, roundHalfAway, subtract } from '../domain/rational.ts';
import type { PaceReading } from '../rules/pacing/pace-reading.ts';

/** A day of a target's month, micros; what is added up is so from the first of these days to this one. */
export interface PaceDay {
  readonly date: CivilDate;
  /** Undefined while the day is not settled. */
  readonly cost: bigint | undefined;
  /** The day's share of the target by the curve. */
  readonly ideal: bigint;
  readonly idealSum: bigint;
  readonly spentSum: bigint | undefined;
  /** From the last complete day on: what it comes to if the rest of what is expected follows the curve. */
  readonly projectedSum: bigint | undefined;
}

const ZERO = rational(0n);

/** The days of a target's month added up, for charts and their tables. */
export function paceDays({ days, target, projected }: PaceReading): PaceDay[] {
  const open = days.findIndex(({ cost }) => cost === undefined);
  const settled = open === -1 ? days.length : open;
  const ideals = shares(days, target);
  const costs = sums(days.slice(0, settled).map(({ cost }) => cost ?? ZERO));
  const spent = costs.at(-1) ?? ZERO;
  const expected = shares(days.slice(settled), subtract(projected, spent));
  return days.map(({ date, cost }, index) => {
    const [idealSum, before] = [roundHalfAway(ideals[index] ?? ZERO), roundHalfAway(ideals[index - 1] ?? ZERO)];
    const spentSum = index < settled ? costs[index] : undefined;
    const more = index < settled - 1 ? undefined : index < settled ? ZERO : expected[index - settled];
    return {
      ...{ date, cost: cost && roundHalfAway(cost), ideal: idealSum - before, idealSum },
      spentSum: spentSum && roundHalfAway(spentSum),
      // Where every day is settled nothing is left to expect.
      projectedSum: more && settled < days.length ? roundHalfAway(add(spent, more)) : undefined,
    };
  });
}

/** What an amount comes to day by day when it is given out by the days' weights, added up; evenly where none has weight. */
function shares(days: PaceReading['days'], amount: Rational): Rational[] {
  const weights = sums(days.map(({ weight }) => weight));
  const all = weights.at(-1) ?? ZERO;
  return days.map((_, index) => {
    const part = divide(weights[index] ?? ZERO, all) ?? rational(BigInt(index + 1), BigInt(days.length));
    return multiply(amount, part);
  });
}

function sums(values: readonly Rational[]): Rational[] {
  let sum = ZERO;
  return values.map((value) => {
    sum = add(sum, value);
    return sum;
  });
}
