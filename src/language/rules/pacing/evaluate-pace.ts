import { type CivilDate, daysOf, isWholeMonth } from '../../../domain/civil-date.ts';
import type { BudgetId } from '../../../domain/ids.ts';
import type { MemberDemand } from '../../../domain/member.ts';
import { budgetUnitOf, type Micros, micros } from '../../../domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../../domain/rational.ts';
import type { EvaluatedAccount } from '../evaluate/evaluated-account.ts';
import { CLICKS, COST, columnOf, type RulePlan, STATUS, VALUE } from '../evaluate/plan-rule.ts';
import { type Candidate, newestText } from '../evaluate/subjects.ts';
import { type DayCurve, type DayNumber, dayCurve, meanOnWeekday, weekdayMeansOf, weightOf } from './curve.ts';
import { type Carried, carriedOver, type OpenDay, openDays, targetOf, targetOfDays } from './month-target.ts';
import type { Pace, PaceReading, PaceShortfall, PaceState } from './pace.ts';
import { bandText, curveWords, digitsText, percentText } from './pace-words.ts';
import {
  Costs,
  larger,
  type PaceScene,
  type Serving,
  type ServingBudget,
  servingBudgets,
  smaller,
  spentBeside,
} from './paced-budgets.ts';
import { USED_DAYS } from './plan-pace.ts';
import {
  type AmountBounds,
  boundsInUnits,
  isHeldBack,
  lowered,
  type NewAmounts,
  raised,
  toLowest,
} from './share-amount.ts';

export interface PaceFinding {
  readonly reading: PaceReading;
  readonly fires: boolean | undefined;
}

/** Facts about the campaigns that are paced together, in micros. */
export interface PacePart {
  readonly serving: Serving;
  /** True if no campaign has rows. */
  readonly isEmpty: boolean;
  /** Costs of the recent days, and of the final days of the period. */
  readonly recent: readonly DayNumber[];
  readonly spent: readonly DayNumber[];
  /** True if the cost of one of these days is unknown, which is then left out. */
  readonly lacksCost: boolean;
  readonly beside: Rational;
  readonly open: readonly OpenDay[] | undefined;
  readonly carried: Carried | undefined;
}

/** Facts of one account about a target, in micros of the account's currency. */
export interface AccountPart {
  readonly part: PacePart;
  readonly scene: PaceScene;
  /** Value of conversions divided by cost, in millionths. */
  readonly returned: bigint | undefined;
}

/** First, each account says what it knows of the targets, by name. Then it does its part of what was decided together. */
export type OfTargets =
  | { readonly kind: 'asked'; say(target: string, part: AccountPart): void }
  | { readonly kind: 'decided'; readonly parts: ReadonlyMap<string, TargetPart> };

/** `because` says why the target changes nothing now. */
export type TargetPart =
  | { readonly kind: 'paced'; readonly finding: PaceFinding }
  | { readonly kind: 'reallocated'; readonly moves: ReadonlyMap<BudgetId, Micros> }
  | { readonly kind: 'withheld'; readonly because: string };

function partOf(candidate: Candidate, scene: PaceScene): PacePart {
  const { plan, costs } = scene;
  const { members } = candidate.figures;
  const serving = servingBudgets(candidate, scene);
  const beside = spentBeside(serving.others, Math.min(plan.recent.length, USED_DAYS));
  const costsOn = (days: readonly CivilDate[]) =>
    days.flatMap((date) => {
      const value = costs.on(date, members);
      return value === undefined ? [] : [{ date, value }];
    });
  const recent = costsOn(plan.recent);
  const spent = costsOn(plan.settled);
  return {
    serving,
    isEmpty: members.length === 0,
    recent,
    spent,
    lacksCost: recent.length < plan.recent.length || spent.length < plan.settled.length,
    beside,
    open: openDays(plan, serving, scene, beside),
    carried: plan.standing === 'active' ? carriedOver(candidate, serving, scene, beside) : NONE_CARRIED,
  };
}

function returnOf({ figures: { members } }: Candidate, { values, costs, placesReturned }: PaceScene) {
  const cost = costs.in(placesReturned, members);
  const value = values.in(placesReturned, members);
  return cost === undefined || value === undefined ? undefined : (value * 1_000_000n) / (cost || 1n);
}

export function evaluatePace(part: PacePart, scene: PaceScene): PaceFinding {
  const { pace, plan, days, rest } = scene;
  const { serving, recent, open, carried, beside } = part;
  const curve = dayCurve(pace, plan.period, recent);
  const spentOn = new Map(part.spent.map(({ date, value }) => [date, value]));
  const own = serving.own.filter(({ paused }) => !paused);
  const period: PeriodSoFar = {
    target: add(scene.target, carried?.amount ?? NOTHING),
    spent: rational(part.spent.reduce((sum, { value }) => sum + value, 0n)),
    unsettled: (open ?? []).reduce((sum, { most }) => add(sum, most), NOTHING),
    current: own.reduce((sum, { budget }) => sum + budget.amount, 0n),
    beside,
    weights: { today: curve.weightOn(plan.today), rest: weightOf(rest, curve), all: weightOf(days, curve) },
    startsLongMonth: plan.today === plan.period.from && isWholeMonth(plan.period) && days.length === 31,
  };
  const lastDay = plan.settled.at(-1) ?? '';
  const lacksCost = part.lacksCost || carried === undefined;
  const unknown =
    serving.unknown ??
    (lacksCost ? 'a required day has rows without a cost, or with a cost below zero' : undefined) ??
    (open === undefined ? 'the budget on an incomplete day is unknown' : undefined);
  const outcome = decidePace(own, period, scene, () => curveWords(curve), unknown);
  const projected =
    plan.standing === 'active'
      ? projectedOf(period, recent, curve, rest, open ?? [])
      : add(period.spent, period.unsettled);
  const reading: PaceReading = {
    currency: scene.account.currency,
    today: plan.today,
    per: pace.per,
    band: pace.band,
    period: plan.period,
    target: period.target,
    wholeTarget: targetOf(pace, plan.period.from),
    carried: carried?.amount ?? NOTHING,
    carriedMonths: carried?.months ?? 0,
    spent: period.spent,
    unsettled: period.unsettled,
    newestSettled: plan.settled.at(-1),
    idealToDate: multiply(period.target, rational(period.weights.all - period.weights.rest, period.weights.all || 1n)),
    budgeted: plan.standing === 'active' ? budgetedOf(period) : add(period.spent, period.unsettled),
    projected,
    current: period.current,
    most: unknown === undefined && plan.standing === 'active' ? dayAmount(period, pace.band) : undefined,
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
      weight: rational(curve.weightOn(date)),
      cost: date <= lastDay ? rational(spentOn.get(date) ?? 0n) : undefined,
    })),
    budgets: serving.own.map((one) => {
      const { budget, label } = one;
      const wanted = outcome.amounts[own.indexOf(one)];
      const { budgetId, amount } = budget;
      return { budgetId, amount, label, wanted: wanted === undefined ? undefined : rational(wanted) };
    }),
    get shortfall() {
      return shortfallOf(own, period, scene, curve, outcome, projected);
    },
  };
  return { reading, fires: outcome.fires };
}

const NOTHING = rational(0n);
const NONE_CARRIED: Carried = { amount: NOTHING, months: 0 };

/** Each day without final costs is assumed to cost the recent mean of its weekday, at most its budget. */
function projectedOf(
  { spent, current, beside, weights }: PeriodSoFar,
  recent: readonly DayNumber[],
  curve: DayCurve,
  rest: readonly CivilDate[],
  open: readonly OpenDay[],
): Rational {
  const ofWeekdays = weekdayMeansOf(recent);
  // Adds equal denominators first, because adding different denominators is slow.
  let means = NOTHING;
  let weight = 0n;
  let full = 0n;
  for (const { date, most } of open) {
    const mean = meanOnWeekday(date, ofWeekdays);
    means = add(means, compare(mean, most) < 0 ? mean : most);
  }
  for (const day of rest) {
    const ofDay = weights.today === 0n ? 1n : curve.weightOn(day);
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
  /** Built on demand, because most explanations are never read. */
  readonly why: () => string;
  readonly isBesideNumbers: boolean;
  readonly fires: boolean | undefined;
  readonly amounts: NewAmounts;
}

function decidePace(
  own: readonly ServingBudget[],
  period: PeriodSoFar,
  { pace, plan, limits, account }: PaceScene,
  curve: () => string,
  unknown: string | undefined,
): Outcome {
  if (plan.standing === 'not_started') return quiet('not_started', () => `pacing starts on ${pace.starts}`);
  if (plan.standing === 'ended') return quiet('ended', () => `pacing ended on ${pace.ends}`);
  if (unknown !== undefined) return { ...quiet('unknown', () => unknown), fires: undefined };
  if (own.length === 0) return quiet('paused', () => 'is paused');
  const bounds = boundsInUnits(limits, budgetUnitOf(account) ?? micros(1n));
  const heading = headingOf(period, pace.band);
  const wanted = dayAmount(period, pace.band);
  const share = () => percentText(budgetedOf(period), period.target);
  const those = own.length > 1 ? "today's budgets come" : "today's budget comes";
  const told = () => `${those} to ${share()} of the target${curve()}; expected ${bandText(pace.band)}`;
  const fires = (state: PaceState, why: () => string, amounts: NewAmounts): Outcome => {
    return { state, why, isBesideNumbers: why !== told, fires: true, amounts };
  };
  if (heading === 'overspent' || heading === 'high') {
    const isLeft = heading === 'high' && wanted.n >= bounds.unit * BigInt(own.length) * wanted.d;
    if (isLeft) return fires('high', told, lowered(own, wanted, bounds));
    const lowest = own.map((one) => toLowest(one, bounds));
    return fires(heading, () => nothingLeft(period, account.currency, pace.per), lowest);
  }
  if (heading === 'in_band') return quiet('in_band', told);
  const amounts = raised(own, wanted, bounds);
  const moves = own.some(({ budget }, index) => (amounts[index] ?? budget.amount) < budget.amount);
  if (moves) return fires('unused', () => 'some budgets are not fully spent while others are', amounts);
  if (amounts.some((amount) => amount !== undefined)) return fires('low', told, amounts);
  const part = wanted.n / (wanted.d * BigInt(own.length));
  const held = own.filter((one) => isHeldBack(one, part));
  if (held.length > 0) {
    return quiet(
      'low',
      () => `${those} to ${share()} of the target, ${whyNotHigher(held, period, wanted, bounds, pace.per)}`,
    );
  }
  return quiet('unused', () => notUsed(own, period.current));
}

function whyNotHigher(
  held: readonly ServingBudget[],
  { current }: PeriodSoFar,
  wanted: Rational,
  { ceiling, unit }: AmountBounds,
  per: Pace['per'],
): string {
  const isAsHighAsMayBe = wanted.n < (current + unit) * wanted.d;
  const isNothing = ({ budget }: ServingBudget) => budget.amount <= 0n;
  const isAtCeiling = ({ budget }: ServingBudget) => ceiling !== undefined && budget.amount + unit > ceiling;
  if (isAsHighAsMayBe || !held.every((one) => isNothing(one) || isAtCeiling(one)))
    return `the highest amount for one day of this ${per}`;
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

function nothingLeft(period: PeriodSoFar, currency: string | undefined, per: Pace['per']): string {
  const { target, spent, unsettled, beside, weights } = period;
  const digits = (amount: Rational) => digitsText(amount, currency);
  if (target.n <= 0n) return `nothing may be spent: earlier overspend exceeds the target`;
  const gone = add(spent, unsettled);
  if (compare(gone, target) >= 0) {
    const open = unsettled.n === 0n ? '' : `, and up to ${digits(unsettled)} more on incomplete days`;
    return `${digits(spent)} of ${digits(target)} is spent${open}: nothing is left for the rest of the ${per}`;
  }
  if (weights.today === 0n) return 'the curve gives nothing to today';
  const left = `${digits(subtract(target, gone))} is left for the rest of the ${per}`;
  return beside.n > 0n
    ? `${left}, and ${digits(beside)} a day goes to budgets shared with other campaigns`
    : `${left}, less than the smallest possible budgets`;
}

/** Amounts are in micros. */
interface PeriodSoFar {
  readonly target: Rational;
  /** Cost of final days. `unsettled` is the assumed cost of other past days. */
  readonly spent: Rational;
  readonly unsettled: Rational;
  readonly current: bigint;
  readonly beside: Rational;
  readonly weights: { readonly today: bigint; readonly rest: bigint; readonly all: bigint };
  readonly startsLongMonth: boolean;
}
/** The service spends at most 30.4 daily amounts per month, even in a month of 31 days. */
const DAYS_CHARGED = rational(310n, 304n);

function budgetedOf(period: PeriodSoFar): Rational {
  const { spent, unsettled, current, beside, weights } = period;
  const gone = add(spent, unsettled);
  const today = add(rational(current), beside);
  if (weights.today > 0n) return add(gone, multiply(today, rational(weights.rest, weights.today)));
  // If today has weight 0, later days get the rest of the target.
  const left = subtract(period.target, gone);
  return add(add(gone, today), left.n > 0n ? left : NOTHING);
}

function headingOf(period: PeriodSoFar, { low, high }: Pace['band']): 'low' | 'in_band' | 'high' | 'overspent' {
  const { target, spent, unsettled, weights } = period;
  if (compare(add(spent, unsettled), target) >= 0) return 'overspent';
  if (weights.today === 0n) return 'high';
  const budgeted = budgetedOf(period);
  if (compare(budgeted, multiply(target, high)) > 0) return 'high';
  return compare(budgeted, multiply(target, low)) < 0 ? 'low' : 'in_band';
}

/** Returns at most twice today's share of the target. Otherwise, the last day could get the whole rest. */
function dayAmount(period: PeriodSoFar, { high }: Pace['band']): Rational {
  const { target, spent, unsettled, beside, weights, startsLongMonth } = period;
  if (weights.today === 0n) return NOTHING;
  const part = rational(weights.today, weights.rest);
  const left = multiply(subtract(subtract(target, spent), unsettled), part);
  const wanted = startsLongMonth ? least(multiply(left, DAYS_CHARGED), multiply(multiply(target, high), part)) : left;
  return subtract(least(wanted, multiply(target, rational(2n * weights.today, weights.all))), beside);
}

function shortfallOf(
  own: readonly ServingBudget[],
  { target, spent, unsettled, beside, weights }: PeriodSoFar,
  { pace, limits: { ceiling }, rest }: PaceScene,
  { weightOn }: DayCurve,
  { state, fires }: Outcome,
  projected: Rational,
): PaceShortfall | undefined {
  if (['overspent', 'paused', 'not_started', 'ended', 'unknown'].includes(state)) return undefined;
  const beyondBand = (amount: bigint, reason: PaceShortfall['reason']) =>
    compare(subtract(target, rational(amount)), multiply(target, pace.band.low)) < 0 ? { amount, reason } : undefined;
  if (state === 'unused' && fires === false) return beyondBand(floor(subtract(target, projected)), 'unused');
  // A budget that is already above the ceiling can stay there.
  const most =
    ceiling === undefined
      ? undefined
      : own.reduce((sum, { budget }) => sum + larger(budget.amount, ceiling), floor(beside));
  let left = floor(subtract(subtract(target, spent), unsettled));
  let weight = weights.rest;
  let reason: PaceShortfall['reason'] = 'day_limit';
  for (const day of rest) {
    const ofDay = weightOn(day);
    if (ofDay === 0n) continue;
    const part = smaller((left * ofDay) / weight, floor(multiply(target, rational(2n * ofDay, weights.all))));
    if (most !== undefined && most < part) reason = 'ceiling';
    left -= most === undefined ? part : smaller(part, most);
    weight -= ofDay;
  }
  return beyondBand(left, reason);
}

const floor = ({ n, d }: Rational): bigint => n / d;

function least(a: Rational, b: Rational): Rational {
  return compare(a, b) <= 0 ? a : b;
}

export function compilePace(
  { rule, pace: plan }: RulePlan,
  demand: MemberDemand,
  account: EvaluatedAccount,
  ofTargets: OfTargets | undefined,
): ((candidate: Candidate) => PaceFinding | undefined) | undefined {
  const { change, target } = rule;
  if (change?.kind !== 'pace' || plan === undefined) return undefined;
  const { pace } = change;
  if (target !== undefined && ofTargets?.kind === 'decided') {
    const decided = ofTargets.parts.get(target);
    return () => (decided?.kind === 'paced' ? decided.finding : undefined);
  }
  const days = daysOf(plan.period);
  const placesOf = (days: readonly CivilDate[]) => {
    const all = new Set(days);
    return demand.stretches.flatMap(({ from }, place) => (all.has(from) ? [place] : []));
  };
  const scene: PaceScene = {
    days,
    rest: days.filter((day) => day >= plan.today),
    target: targetOfDays(pace, plan.period),
    pace,
    plan,
    limits: rule.limits,
    account,
    nobody: rule.where === undefined ? 'no campaign has rows' : '"where" selects no campaign with rows',
    costs: new Costs(demand, columnOf(rule.columns, COST) ?? ''),
    clicks: new Costs(demand, columnOf(rule.columns, CLICKS) ?? ''),
    values: new Costs(demand, columnOf(rule.columns, VALUE) ?? ''),
    placesReturned: placesOf(plan.returned),
    placesOfEarlier: plan.earlier.map(({ weeks }) => weeks.map(placesOf)),
    statusOf: (member) => newestText(member, STATUS, { demand, columns: rule.columns }),
  };
  return (candidate) => {
    const part = partOf(candidate, scene);
    if (target === undefined) return evaluatePace(part, scene);
    if (ofTargets?.kind === 'asked') ofTargets.say(target, { part, scene, returned: returnOf(candidate, scene) });
    return undefined;
  };
}
