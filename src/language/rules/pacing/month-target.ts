import type { CivilDate } from '../../../domain/civil-date.ts';
import type { Member } from '../../../domain/member.ts';
import { add, compare, divide, multiply, type Rational, rational, subtract } from '../../../domain/rational.ts';
import type { Candidate } from '../evaluate/subjects.ts';
import { shareOfMonth } from './curve.ts';
import type { Pace } from './pace.ts';
import { larger, type PaceScene, type Serving } from './paced-budgets.ts';
import type { DaysGone, PacePlan } from './plan-pace.ts';

const NOTHING = rational(0n);

export function targetOf({ amount, months }: Pace, day: string): Pace['amount'] {
  return months.get(day.slice(0, 7)) ?? amount;
}

/** The target of a flight, or of a month in `months`, is never reduced. */
export function targetOfDays(pace: Pace, range: PacePlan['period']): Rational {
  const own = pace.per === 'flight' ? pace.amount : pace.months.get(range.from.slice(0, 7));
  return own === undefined ? multiply(rational(pace.amount), shareOfMonth(range, pace.curve)) : rational(own);
}

export interface OpenDay {
  readonly date: CivilDate;
  readonly most: Rational;
}

/** Assumes that each budget was fully spent, unless the cost is already higher. */
export function openDays(
  { open }: DaysGone,
  { own, others }: Serving,
  { account, costs }: PaceScene,
  beside: Rational,
): readonly OpenDay[] | undefined {
  const days: OpenDay[] = [];
  for (const date of open) {
    let most = 0n;
    for (const { budget, members } of own) {
      const amount = account.highestOn(budget.budgetId, date);
      if (amount === undefined) return undefined;
      most += larger(amount, costs.on(date, members) ?? 0n);
    }
    const read = rational(others.reduce((sum, { members }) => sum + (costs.on(date, members) ?? 0n), 0n));
    days.push({ date, most: add(rational(most), compare(read, beside) > 0 ? read : beside) });
  }
  return days;
}

export interface Carried {
  readonly amount: Rational;
  readonly months: number;
}

/** The first earlier month counts from its first week with rows. Rollover `under` carries at most one month's target. */
export function carriedOver(
  { figures: { members } }: Candidate,
  serving: Serving,
  scene: PaceScene,
  beside: Rational,
): Carried | undefined {
  const { pace, plan, costs, placesOfEarlier } = scene;
  let amount = NOTHING;
  let months = 0;
  for (const [index, month] of plan.earlier.entries()) {
    const weeks = placesOfEarlier[index] ?? [];
    const first = months > 0 ? 0 : weeks.findIndex((places) => haveRows(members, places));
    const from = first < 0 ? undefined : (month.weeks[first]?.[0] ?? month.range.from);
    if (from === undefined) continue;
    months += 1;
    const cost = costs.in(weeks.flat(), members);
    const open = openDays(month, serving, scene, beside);
    if (cost === undefined || open === undefined) return undefined;
    const gone = open.reduce((sum, { most }) => add(sum, most), rational(cost));
    amount = subtract(add(amount, targetFrom(from, month.range, pace)), gone);
    const { rollover } = pace;
    if ((rollover === 'under' && amount.n < 0n) || (rollover === 'over' && amount.n > 0n)) amount = NOTHING;
    const most = rational(targetOf(pace, month.range.from));
    if (pace.rollover === 'under' && compare(amount, most) > 0) amount = most;
  }
  return { amount, months };
}

function targetFrom(from: CivilDate, range: PacePlan['period'], pace: Pace): Rational {
  const whole = targetOfDays(pace, range);
  if (from === range.from) return whole;
  const part = divide(shareOfMonth({ from, to: range.to }, pace.curve), shareOfMonth(range, pace.curve));
  return part === undefined ? NOTHING : multiply(whole, part);
}

function haveRows(members: readonly Member[], places: readonly number[]): boolean {
  return members.some(({ stretches }) => places.some((place) => stretches[place] !== undefined));
}
