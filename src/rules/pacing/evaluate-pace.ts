import type { CivilDate } from '../../domain/civil-date.ts';
import { sumOfKnown } from '../../domain/known-sum.ts';
import { add, compare, multiply, type Rational, rational } from '../../domain/rational.ts';
import { type DayNumber, meanOnWeekday, weekdayMeansOf } from '../../domain/weekday-means.ts';
import type { Candidate } from '../subjects.ts';
import { type WeekCurve, weekCurve, weightOf, weightOn } from './curve.ts';
import { budgetedOf, type MonthSoFar } from './day-amount.ts';
import { decidePace } from './decide-pace.ts';
import { type Carried, carriedOver, type OpenDay, openDays, targetOf } from './month-target.ts';
import type { PaceReading } from './pace-reading.ts';
import type { PaceScene } from './pace-scene.ts';
import { curveWords } from './pace-words.ts';
import { servingBudgets, spentBeside } from './paced-budgets.ts';
import { USED_DAYS } from './plan-pace.ts';

/** What a pacing rule says of one subject. */
export interface PaceFinding {
  readonly reading: PaceReading;
  /** Undefined where it is not known. */
  readonly fires: boolean | undefined;
}

/** Pure: how the target of a subject stands, and what its budgets should be. */
export function evaluatePace(candidate: Candidate, scene: PaceScene): PaceFinding {
  const { pace, plan, costs, days, rest } = scene;
  const { members } = candidate.figures;
  const serving = servingBudgets(candidate, scene);
  const known = plan.recent.flatMap((date) => {
    const cost = costs.on(date, members);
    return cost === undefined ? [] : [{ date, value: cost }];
  });
  const curve = weekCurve(pace.curve, known);
  const spent = sumOfKnown(plan.settled.map((day) => costs.on(day, members)));
  const monthTarget = targetOf(pace, plan.month.from);
  const beside = spentBeside(serving.others, Math.min(plan.recent.length, USED_DAYS));
  const open = openDays(plan, serving, scene, beside);
  const carried = plan.standing === 'active' ? carriedOver(candidate, serving, scene, beside) : NONE_CARRIED;
  const own = serving.own.filter(({ paused }) => !paused);
  const month: MonthSoFar = {
    target: add(scene.target, carried?.amount ?? NOTHING),
    spent: rational(spent ?? 0n),
    unsettled: (open ?? []).reduce((sum, { most }) => add(sum, most), NOTHING),
    current: own.reduce((sum, { budget }) => sum + budget.amount, 0n),
    beside,
    weights: { today: weightOn(plan.today, curve), rest: weightOf(rest, curve), all: weightOf(days, curve) },
    ...{ days: days.length, isFirst: plan.today === plan.month.from },
  };
  const lastDay = plan.settled.at(-1) ?? '';
  const unknown =
    serving.unknown ??
    (spent === undefined || carried === undefined || known.length < plan.recent.length
      ? 'a day that it needs has rows without a cost, or with one below zero'
      : open === undefined
        ? 'what a budget was on a day that is not complete is not known'
        : undefined);
  const outcome = decidePace(own, month, scene, () => curveWords(curve), unknown);
  const reading: PaceReading = {
    ...{
      today: plan.today,
      band: pace.band,
      month: plan.month,
      target: month.target,
      monthTarget,
      carried: carried?.amount ?? NOTHING,
      carriedMonths: carried?.months ?? 0,
    },
    ...{ spent: month.spent, unsettled: month.unsettled, newestSettled: plan.settled.at(-1) },
    idealToDate: multiply(month.target, rational(month.weights.all - month.weights.rest, month.weights.all || 1n)),
    budgeted: plan.standing === 'active' ? budgetedOf(month) : add(month.spent, month.unsettled),
    projected:
      plan.standing === 'active'
        ? projectedOf(month, known, curve, rest, open ?? [])
        : add(month.spent, month.unsettled),
    current: month.current,
    wanted: outcome.amounts.some((amount) => amount !== undefined)
      ? rational(own.reduce((sum, { budget }, index) => sum + (outcome.amounts[index] ?? budget.amount), 0n))
      : undefined,
    state: outcome.state,
    get why() {
      return outcome.why();
    },
    isBesideNumbers: outcome.isBesideNumbers,
    curve: { kind: curve.kind, learnedFrom: curve.learnedFrom },
    days: days.map((date) => ({
      date,
      weight: rational(weightOn(date, curve)),
      cost: date <= lastDay ? rational(costs.on(date, members) ?? 0n) : undefined,
    })),
    budgets: serving.own.map((one) => {
      const { budget, label } = one;
      const wanted = outcome.amounts[own.indexOf(one)];
      const { budgetId, amount } = budget;
      return { budgetId, amount, label, wanted: wanted === undefined ? undefined : rational(wanted) };
    }),
  };
  return { reading, fires: outcome.fires };
}

const NOTHING = rational(0n);
const NONE_CARRIED: Carried = { amount: NOTHING, months: 0 };

/** What people may expect: days that are open or to come cost what their weekday cost of late, at most what their budget is. */
function projectedOf(
  { spent, current, beside, weights }: MonthSoFar,
  recent: readonly DayNumber[],
  curve: WeekCurve,
  rest: readonly CivilDate[],
  open: readonly OpenDay[],
): Rational {
  const ofWeekdays = weekdayMeansOf(recent);
  // Added up by what they are divided by: fractions of many denominators are slow to add.
  let means = NOTHING;
  let weight = 0n;
  let full = 0n;
  for (const { date, most } of open) {
    const mean = meanOnWeekday(date, ofWeekdays);
    means = add(means, compare(mean, most) < 0 ? mean : most);
  }
  for (const day of rest) {
    const ofDay = weights.today === 0n ? 1n : weightOn(day, curve);
    const mean = meanOnWeekday(day, ofWeekdays);
    if (compare(mean, add(rational(current * ofDay, weights.today || 1n), beside)) < 0) {
      means = add(means, mean);
    } else {
      weight += ofDay;
      full += 1n;
    }
  }
  const budgets = add(rational(current * weight, weights.today || 1n), multiply(beside, rational(full)));
  return add(spent, add(means, budgets));
}
