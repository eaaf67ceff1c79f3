import { WEEKDAYS } from '../../../domain/civil-date.ts';
import { type Diagnostic, finding, type Span } from '../../../domain/diagnostic.ts';
import { MICROS_PER_UNIT } from '../../../domain/micros.ts';
import {
  add,
  compare,
  divide,
  formatPercent,
  formatRational,
  multiply,
  type Rational,
  rational,
  subtract,
} from '../../../domain/rational.ts';
import { FACTOR_MAX, LARGEST } from '../decide/guard.ts';
import { withParts } from '../evaluate/collect-values.ts';
import { compileValue } from '../evaluate/evaluate-condition.ts';
import type { BudgetChange, Limits } from '../rule.ts';
import type { CheckedValue } from './checked-expression.ts';

type Warning = readonly [message: string, hint: string];

/** Warns of changes that the guards refuse or limit, whatever the budgets are. */
export function warnOfChange(change: BudgetChange, limits: Limits, span: Span): Diagnostic[] {
  const warning = warningOf(change, limits);
  return warning === undefined ? [] : [finding('UNLIKELY_CHANGE', span, ...warning, 'warning')];
}

function warningOf(change: BudgetChange, limits: Limits): Warning | undefined {
  if (change.kind === 'pace' || change.kind === 'reallocate') return undefined;
  if (change.kind === 'to') {
    const { value } = change;
    if (value.kind === 'by_weekday') return warningOfWeekdays(value.values, limits);
    const isOfBudget = withParts(value).some(({ kind }) => kind === 'budget');
    const once = whenBudgetIs(ONE, value);
    if (once === undefined) return undefined;
    if (!isOfBudget) return warningOfAmount(once, limits);
    const twice = whenBudgetIs(rational(2n), value);
    const isFactor = twice !== undefined && compare(twice, multiply(once, rational(2n))) === 0;
    return isFactor ? warningOfFactor(once, limits) : undefined;
  }
  const { by, direction } = change;
  if (by.kind === 'share') return warningOfFactor((direction === 'increase' ? add : subtract)(ONE, by.share), limits);
  const { ceiling } = limits;
  if (ceiling === undefined || by.amount < ceiling) return undefined;
  return direction === 'increase'
    ? atLimit('ceiling', inUnits(ceiling))
    : [`A budget up to the ceiling of ${words(inUnits(ceiling))} would leave nothing (NOT_POSITIVE).`, SMALLER];
}

const ONE = rational(1n);
const SMALLER = 'Write a smaller change.';
const OF_UNIT = 'Write the amount in currency units, such as 60.';
/** In currency units. Only budgets up to 20 times as much could get a smaller amount. */
const LIKELY_MIN = rational(1n, 20n);

const words = (amount: Rational): string => formatRational(amount, 6);

const inUnits = (amount: bigint): Rational => rational(amount, MICROS_PER_UNIT);

/** Undefined unless the value depends on nothing but the budget. */
function whenBudgetIs(budget: Rational, tree: CheckedValue): Rational | undefined {
  const isFixed = withParts(tree).every(({ kind }) => ['number', 'arithmetic', 'negation', 'budget'].includes(kind));
  if (!isFixed) return undefined;
  const none = () => () => undefined;
  const source = {
    metric: none,
    attribute: none,
    clock: () => undefined,
    labelled: () => () => 'unknown' as const,
    isOpen: () => false,
    budget: () => () => budget,
  };
  const value = compileValue<undefined>(tree, source)(undefined);
  return typeof value === 'object' ? value : undefined;
}

function warningOfWeekdays(values: readonly CheckedValue[], limits: Limits): Warning | undefined {
  const { cooldownDays = 0, step } = limits;
  const amounts = values.map((value) => whenBudgetIs(ONE, value));
  for (const [place, amount] of amounts.entries()) {
    const own = amount && warningOfAmount(amount, limits);
    if (own !== undefined) return own;
    const before = amounts.at(place - 1);
    if (amount === undefined || before === undefined || compare(amount, before) === 0) continue;
    if (cooldownDays > 1) {
      const message = `The amount changes by weekday, but the cooldown allows a change only every ${cooldownDays} days.`;
      return [message, 'Remove the cooldown.'];
    }
    const share = divide(subtract(amount, before), before) ?? ONE;
    if (step !== undefined && compare(share.n < 0n ? multiply(share, rational(-1n)) : share, step) > 0) {
      const names = `${WEEKDAYS.at(place - 1)} to ${WEEKDAYS[place]}`;
      const message = `From ${names}, the amount changes by more than the step of ${formatPercent(step, 6)}.`;
      return [message, 'Write a larger step, or remove it.'];
    }
  }
  return undefined;
}

function warningOfFactor(factor: Rational, { step, drift }: Limits): Warning | undefined {
  if (factor.n <= 0n) return ['The change is always refused (NOT_POSITIVE): it leaves no budget.', SMALLER];
  const times = compare(factor, ONE) < 0 ? (divide(ONE, factor) ?? ONE) : factor;
  if (compare(times, FACTOR_MAX) > 0) {
    const found = `multiplied or divided by ${words(times)}, expected at most ${words(FACTOR_MAX)}`;
    return [`The change is always refused (UNIT_SANITY): the budget is ${found}.`, SMALLER];
  }
  const difference = subtract(factor, ONE);
  if (difference.n === 0n)
    return ['The change is always refused (NO_CHANGE): the budget stays.', 'Write another amount.'];
  const share = difference.n < 0n ? multiply(difference, rational(-1n)) : difference;
  for (const [name, most] of [
    ['step', step],
    ['drift', drift?.share],
  ] as const) {
    // A limit of 0% is an error of its own.
    if (most === undefined || most.n === 0n || compare(share, most) <= 0) continue;
    const message = `The change of ${formatPercent(share, 6)} always ends at the ${name} of ${formatPercent(most, 6)}.`;
    return [message, `Write a larger ${name}, or a smaller change.`];
  }
  return undefined;
}

function warningOfAmount(amount: Rational, { floor, ceiling }: Limits): Warning | undefined {
  if (amount.n <= 0n) return undefined;
  const money = words(amount);
  if (compare(multiply(amount, rational(MICROS_PER_UNIT)), LARGEST) > 0) {
    return [`${money} is always refused (TOO_LARGE): the service has no such amount.`, SMALLER];
  }
  for (const [name, limit] of [
    ['ceiling', ceiling],
    ['floor', floor],
  ] as const) {
    if (limit === undefined) continue;
    const edge = inUnits(limit);
    const [high, low] = name === 'ceiling' ? [amount, edge] : [edge, amount];
    if (compare(high, low) <= 0) continue;
    if (compare(high, multiply(low, FACTOR_MAX)) <= 0) return atLimit(name, edge);
    const apart = `more than ${words(FACTOR_MAX)} times ${name === 'ceiling' ? 'above' : 'below'}`;
    return [`${money} is always refused (UNIT_SANITY): it is ${apart} the ${name} of ${words(edge)}.`, OF_UNIT];
  }
  if (compare(amount, LIKELY_MIN) >= 0) return undefined;
  const most = words(multiply(amount, FACTOR_MAX));
  return [
    `${money} is refused for budgets above ${most} (UNIT_SANITY), which is ${words(FACTOR_MAX)} times as much.`,
    OF_UNIT,
  ];
}

function atLimit(name: 'floor' | 'ceiling', edge: Rational): Warning {
  return [`The change always ends at the ${name} of ${words(edge)}.`, `Write another amount or ${name}.`];
}
