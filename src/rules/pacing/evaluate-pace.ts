import { type CivilDate, daysOf } from '../../domain/civil-date.ts';
import type { MemberDemand } from '../../domain/member.ts';
import { smallestUnit, sumOfKnown } from '../../domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../domain/rational.ts';
import type { EvaluatedAccount } from '../evaluate/evaluated-account.ts';
import { CLICKS, COST, columnOf, type RulePlan, STATUS } from '../evaluate/plan-rule.ts';
import { type Candidate, newestText } from '../evaluate/subjects.ts';
import {
  type DayNumber,
  meanOnWeekday,
  type WeekCurve,
  weekCurve,
  weekdayMeansOf,
  weightOf,
  weightOn,
} from './curve.ts';
import { type Carried, carriedOver, type OpenDay, openDays, targetOf, targetOfDays } from './month-target.ts';
import type { Pace, PaceReading, PaceState } from './pace.ts';
import { bandText, curveWords, digitsText, percentText } from './pace-words.ts';
import { Costs, type PaceScene, type ServingBudget, servingBudgets, spentBeside } from './paced-budgets.ts';
import { USED_DAYS } from './plan-pace.ts';
import { type AmountBounds, isHeldBack, lowered, type NewAmounts, raised, toLowest } from './share-amount.ts';

export interface PaceFinding {
  readonly reading: PaceReading;
  readonly fires: boolean | undefined;
}

function evaluatePace(candidate: Candidate, scene: PaceScene): PaceFinding {
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
    days: days.length,
    isFirst: plan.today === plan.month.from,
  };
  const lastDay = plan.settled.at(-1) ?? '';
  const lacksCost = spent === undefined || carried === undefined || known.length < plan.recent.length;
  const unknown =
    serving.unknown ??
    (lacksCost ? 'a required day has rows without a cost, or with a cost below zero' : undefined) ??
    (open === undefined ? 'the budget on an incomplete day is unknown' : undefined);
  const outcome = decidePace(own, month, scene, () => curveWords(curve), unknown);
  const reading: PaceReading = {
    today: plan.today,
    band: pace.band,
    month: plan.month,
    target: month.target,
    monthTarget,
    carried: carried?.amount ?? NOTHING,
    carriedMonths: carried?.months ?? 0,
    spent: month.spent,
    unsettled: month.unsettled,
    newestSettled: plan.settled.at(-1),
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

/** Forecast: open and future days cost the recent mean of their weekday, at most their budget. */
function projectedOf(
  { spent, current, beside, weights }: MonthSoFar,
  recent: readonly DayNumber[],
  curve: WeekCurve,
  rest: readonly CivilDate[],
  open: readonly OpenDay[],
): Rational {
  const ofWeekdays = weekdayMeansOf(recent);
  // Grouped by divisor, because fractions with many denominators are slow to add.
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

export interface Outcome {
  readonly state: PaceState;
  /** One sentence, built on demand: nobody reads it for most campaigns. */
  readonly why: () => string;
  readonly isBesideNumbers: boolean;
  readonly fires: boolean | undefined;
  readonly amounts: NewAmounts;
}

/** `curve` names the curve. `unknown` says why nothing can be decided. */
function decidePace(
  own: readonly ServingBudget[],
  month: MonthSoFar,
  { pace, plan, limits, account }: PaceScene,
  curve: () => string,
  unknown: string | undefined,
): Outcome {
  if (plan.standing === 'not_started') return quiet('not_started', () => `pacing starts on ${pace.starts}`);
  if (plan.standing === 'ended') return quiet('ended', () => `pacing ended on ${pace.ends}`);
  if (unknown !== undefined) return { ...quiet('unknown', () => unknown), fires: undefined };
  if (own.length === 0) return quiet('paused', () => 'is paused');
  const bounds: AmountBounds = { ...limits, unit: smallestUnit(account.currency ?? '') ?? 1n };
  const heading = headingOf(month, pace.band);
  const wanted = dayAmount(month, pace.band);
  const share = () => percentText(budgetedOf(month), month.target);
  const those = own.length > 1 ? "today's budgets come" : "today's budget comes";
  const told = () => `${those} to ${share()} of the target${curve()}; expected ${bandText(pace.band)}`;
  const fires = (state: PaceState, why: () => string, amounts: NewAmounts): Outcome => {
    return { state, why, isBesideNumbers: why !== told, fires: true, amounts };
  };
  if (heading === 'overspent' || heading === 'high') {
    const isLeft = heading === 'high' && wanted.n >= bounds.unit * BigInt(own.length) * wanted.d;
    if (isLeft) return fires('high', told, lowered(own, wanted, bounds));
    const lowest = own.map((one) => toLowest(one, bounds));
    return fires(heading, () => nothingLeft(month, account.currency), lowest);
  }
  if (heading === 'in_band') return quiet('in_band', told);
  const amounts = raised(own, wanted, bounds);
  const moves = own.some(({ budget }, index) => (amounts[index] ?? budget.amount) < budget.amount);
  if (moves) return fires('unused', () => 'some budgets are not fully spent while others are', amounts);
  if (amounts.some((amount) => amount !== undefined)) return fires('low', told, amounts);
  const part = wanted.n / (wanted.d * BigInt(own.length));
  const held = own.filter((one) => isHeldBack(one, part));
  if (held.length > 0) {
    return quiet('low', () => `${those} to ${share()} of the target, ${whyNotHigher(held, month, wanted, bounds)}`);
  }
  return quiet('unused', () => notUsed(own, month.current));
}

function whyNotHigher(
  held: readonly ServingBudget[],
  { current }: MonthSoFar,
  wanted: Rational,
  { ceiling, unit }: AmountBounds,
): string {
  const isAsHighAsMayBe = wanted.n < (current + unit) * wanted.d;
  const isNothing = ({ budget }: ServingBudget) => budget.amount <= 0n;
  const isAtCeiling = ({ budget }: ServingBudget) => ceiling !== undefined && budget.amount + unit > ceiling;
  if (isAsHighAsMayBe || !held.every((one) => isNothing(one) || isAtCeiling(one)))
    return 'the highest amount for one day of this month';
  if (held.every(isAtCeiling)) return 'but fully spent budgets are at the ceiling';
  if (held.every(isNothing)) return 'but pacekeeper does not raise a budget of 0';
  return 'but fully spent budgets are at the ceiling or at 0';
}

function notUsed(own: readonly ServingBudget[], current: bigint): string {
  const highest = own.reduce((sum, one) => sum + one.highest, 0n);
  if (highest === 0n) return 'nothing was spent in the last seven days, so a larger budget would not be spent either';
  const of = own.length > 1 ? "today's budgets" : "today's budget";
  const share = percentText(rational(highest), rational(current));
  return `each of the last seven days cost at most ${share} of ${of}, so a larger budget would not be spent`;
}

function quiet(state: PaceState, why: () => string): Outcome {
  return { state, why, isBesideNumbers: state !== 'in_band', fires: false, amounts: [] };
}

function nothingLeft(month: MonthSoFar, currency: string | undefined): string {
  const { target, spent, unsettled, beside, weights } = month;
  const digits = (amount: Rational) => digitsText(amount, currency);
  if (target.n <= 0n) return `nothing may be spent: earlier overspend exceeds the target`;
  const gone = add(spent, unsettled);
  if (compare(gone, target) >= 0) {
    const open = unsettled.n === 0n ? '' : `, and up to ${digits(unsettled)} more on incomplete days`;
    return `${digits(spent)} of ${digits(target)} is spent${open}: nothing is left for the rest of the month`;
  }
  if (weights.today === 0n) return 'the curve gives nothing to today';
  const left = `${digits(subtract(target, gone))} is left for the rest of the month`;
  return beside.n > 0n
    ? `${left}, and ${digits(beside)} a day goes to budgets shared with other campaigns`
    : `${left}, less than the smallest possible budgets`;
}

/** A month's target on one of its days. Amounts in micros, weights of the curve. */
interface MonthSoFar {
  readonly target: Rational;
  /** On earlier final days; `unsettled` is the most that the other earlier days may have cost. */
  readonly spent: Rational;
  readonly unsettled: Rational;
  readonly current: bigint;
  /** Daily spend on budgets that the rule cannot change. */
  readonly beside: Rational;
  readonly weights: { readonly today: bigint; readonly rest: bigint; readonly all: bigint };
  readonly days: number;
  readonly isFirst: boolean;
}
/** The service spends at most 30.4 daily amounts in a month, so 31 days need a little more a day. */
const DAYS_CHARGED = rational(310n, 304n);

/** The month's cost if today's amounts are spent and later days follow the curve. */
function budgetedOf(month: MonthSoFar): Rational {
  const { spent, unsettled, current, beside, weights } = month;
  const gone = add(spent, unsettled);
  const today = add(rational(current), beside);
  if (weights.today > 0n) return add(gone, multiply(today, rational(weights.rest, weights.today)));
  // A day without weight tells nothing about later days: they get what is left.
  const left = subtract(month.target, gone);
  return add(add(gone, today), left.n > 0n ? left : NOTHING);
}

function headingOf(month: MonthSoFar, { low, high }: Pace['band']): 'low' | 'in_band' | 'high' | 'overspent' {
  const { target, spent, unsettled, weights } = month;
  if (compare(add(spent, unsettled), target) >= 0) return 'overspent';
  if (weights.today === 0n) return 'high';
  const budgeted = budgetedOf(month);
  if (compare(budgeted, multiply(target, high)) > 0) return 'high';
  return compare(budgeted, multiply(target, low)) < 0 ? 'low' : 'in_band';
}

/** Today's part of the rest, at most twice its part of the target. The last day cannot make up for all. */
function dayAmount(month: MonthSoFar, { high }: Pace['band']): Rational {
  const { target, spent, unsettled, beside, weights, days, isFirst } = month;
  if (weights.today === 0n) return NOTHING;
  const part = rational(weights.today, weights.rest);
  const left = multiply(subtract(subtract(target, spent), unsettled), part);
  const wanted =
    days === 31 && isFirst ? least(multiply(left, DAYS_CHARGED), multiply(multiply(target, high), part)) : left;
  return subtract(least(wanted, multiply(target, rational(2n * weights.today, weights.all))), beside);
}

function least(a: Rational, b: Rational): Rational {
  return compare(a, b) <= 0 ? a : b;
}

export function compilePace(
  { rule, pace: plan }: RulePlan,
  demand: MemberDemand,
  account: EvaluatedAccount,
): ((candidate: Candidate) => PaceFinding) | undefined {
  const { change } = rule;
  if (change?.kind !== 'pace' || plan === undefined) return undefined;
  const { pace } = change;
  const days = daysOf(plan.month);
  const scene: PaceScene = {
    days,
    rest: days.filter((day) => day >= plan.today),
    target: targetOfDays(pace, plan.month),
    pace,
    plan,
    limits: rule.limits,
    account,
    nobody: rule.where === undefined ? 'no campaign has rows' : '"where" selects no campaign with rows',
    costs: new Costs(demand, columnOf(rule.columns, COST) ?? ''),
    clicks: new Costs(demand, columnOf(rule.columns, CLICKS) ?? ''),
    placesOfEarlier: plan.earlier.map(({ weeks }) =>
      weeks.map((week) => {
        const days = new Set(week);
        return demand.stretches.flatMap(({ from }, place) => (days.has(from) ? [place] : []));
      }),
    ),
    statusOf: (member) => newestText(member, STATUS, { demand, columns: rule.columns }),
  };
  return (candidate) => evaluatePace(candidate, scene);
}
