import { add, compare, multiply, type Rational, rational, subtract } from '../../domain/rational.ts';
import type { Pace } from './pace.ts';

/** A month's target on a day of it. Amounts in micros, weights by the curve. */
export interface MonthSoFar {
  readonly target: Rational;
  /** On the days before, as far as they are settled; and what the others may have cost. */
  readonly spent: Rational;
  readonly unsettled: Rational;
  /** Today's amounts. */
  readonly current: bigint;
  /** What is spent each day on budgets that are not the target's own to change. */
  readonly beside: Rational;
  readonly weights: { readonly today: bigint; readonly rest: bigint; readonly all: bigint };
  /** How many days are paced, and whether today is the first of them. */
  readonly days: number;
  readonly isFirst: boolean;
}

const NOTHING = rational(0n);
/** The service spends at most 30.4 times a daily amount in a month, so a month of 31 days needs a little more a day. */
const DAYS_CHARGED = rational(310n, 304n);

/** What the month comes to if today's amounts are spent and later days follow the curve. */
export function budgetedOf(month: MonthSoFar, current: bigint = month.current): Rational {
  const { spent, unsettled, beside, weights } = month;
  const gone = add(spent, unsettled);
  const today = add(rational(current), beside);
  if (weights.today > 0n) return add(gone, multiply(today, rational(weights.rest, weights.today)));
  // A day without a weight says nothing of the others: they get what is left.
  const left = subtract(month.target, gone);
  return add(add(gone, today), left.n > 0n ? left : NOTHING);
}

/** Where the month is heading by the band of the pace. */
export function headingOf(month: MonthSoFar, { low, high }: Pace['band']): 'low' | 'in_band' | 'high' | 'overspent' {
  const { target, spent, unsettled, weights } = month;
  if (compare(add(spent, unsettled), target) >= 0) return 'overspent';
  if (weights.today === 0n) return 'high';
  const budgeted = budgetedOf(month);
  if (compare(budgeted, multiply(target, high)) > 0) return 'high';
  return compare(budgeted, multiply(target, low)) < 0 ? 'low' : 'in_band';
}

/**
 * What today's amounts should be: today's part of what is left. Never more than twice the part that a day like today has of
 * the whole target, which is as far as the service itself would go: what was missed is not made up for on the last day.
 */
export function dayAmount(month: MonthSoFar, { high }: Pace['band']): Rational {
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
