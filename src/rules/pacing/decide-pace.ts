import { smallestUnit } from '../../domain/micros.ts';
import { add, compare, type Rational, rational, subtract } from '../../domain/rational.ts';
import { budgetedOf, dayAmount, headingOf, type MonthSoFar } from './day-amount.ts';
import { bandText } from './describe-pace.ts';
import type { PaceState } from './pace-reading.ts';
import type { PaceScene } from './pace-scene.ts';
import { digitsText, percentText } from './pace-words.ts';
import type { ServingBudget } from './paced-budgets.ts';
import { type AmountBounds, isHeldBack, lowered, type NewAmounts, raised, toLowest } from './share-amount.ts';

/** What becomes of a target's budgets. */
export interface Outcome {
  readonly state: PaceState;
  /** One sentence for people, made when somebody asks: most of a thousand campaigns are never asked about. */
  readonly why: () => string;
  /** Whether the target's numbers alone do not say it. */
  readonly isBesideNumbers: boolean;
  /** Undefined where it is not known. */
  readonly fires: boolean | undefined;
  readonly amounts: NewAmounts;
}

/**
 * Pure: whether the budgets are to be changed, and to what.
 *
 * @param curve How the curve is named: ", by the weekdays of the last 28 days".
 * @param unknown Why that cannot be known.
 */
export function decidePace(
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
  const told = () => `${those} to ${share()} of the target${curve()}; ${bandText(pace.band)} is expected`;
  if (heading === 'overspent' || heading === 'high') {
    const isLeft = heading === 'high' && wanted.n >= bounds.unit * BigInt(own.length) * wanted.d;
    const lower = lowered(own, wanted, bounds);
    if (isLeft) return { state: 'high', why: told, isBesideNumbers: false, fires: true, amounts: lower };
    const why = () => nothingLeft(month, account.currency);
    return {
      state: heading,
      why,
      isBesideNumbers: true,
      fires: true,
      amounts: own.map((one) => toLowest(one, bounds)),
    };
  }
  if (heading === 'in_band') return quiet('in_band', told);
  const amounts = raised(own, wanted, bounds);
  const moves = own.some(({ budget }, index) => (amounts[index] ?? budget.amount) < budget.amount);
  if (moves) {
    return {
      state: 'unused',
      why: () => 'some budgets are not spent while others are held back',
      isBesideNumbers: true,
      fires: true,
      amounts,
    };
  }
  if (amounts.some((amount) => amount !== undefined))
    return { state: 'low', why: told, isBesideNumbers: false, fires: true, amounts };
  const part = wanted.n / (wanted.d * BigInt(own.length));
  const held = own.filter((one) => isHeldBack(one, part));
  if (held.length > 0) {
    return quiet('low', () => `${those} to ${share()} of the target, ${whyNotHigher(held, month, wanted, bounds)}`);
  }
  return quiet('unused', () => notUsed(own, month.current));
}

/** Why budgets that are spent are not raised, by what holds all of them. */
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
    return 'which is as high as a day of this month may be';
  if (held.every(isAtCeiling)) return 'and those that are spent are at the ceiling';
  if (held.every(isNothing)) return 'and a budget of nothing is not raised';
  return 'and those that are spent are at the ceiling or of nothing';
}

/** Why a larger budget would not be spent. */
function notUsed(own: readonly ServingBudget[], current: bigint): string {
  const highest = own.reduce((sum, one) => sum + one.highest, 0n);
  if (highest === 0n) return 'nothing was spent on the last seven days, so a larger budget would not be, either';
  const of = own.length > 1 ? "today's budgets" : "today's budget";
  const share = percentText(rational(highest), rational(current));
  return `no day of the last seven cost more than ${share} of ${of}, so a larger one would not be spent`;
}

function quiet(state: PaceState, why: () => string): Outcome {
  return { state, why, isBesideNumbers: state !== 'in_band', fires: false, amounts: [] };
}

/** Why nothing is left for today. */
function nothingLeft(month: MonthSoFar, currency: string | undefined): string {
  const { target, spent, unsettled, beside, weights } = month;
  const digits = (amount: Rational) => digitsText(amount, currency);
  if (target.n <= 0n) return `nothing may be spent: more than the target was overspent before`;
  const gone = add(spent, unsettled);
  if (compare(gone, target) >= 0) {
    const open = unsettled.n === 0n ? '' : ` and up to ${digits(unsettled)} may be`;
    return `${digits(spent)} is spent${open}, of ${digits(target)}: nothing is left for the rest of the month`;
  }
  if (weights.today === 0n) return 'the curve gives today nothing';
  const left = `${digits(subtract(target, gone))} is left for the rest of the month`;
  return beside.n > 0n
    ? `${left}, and ${digits(beside)} a day goes to budgets that others spend from, too`
    : `${left}, less than budgets can be`;
}
