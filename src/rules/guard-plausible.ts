import { formatMoney, formatMoneyRounded, type Micros } from '../domain/micros.ts';
import { compare, multiply, type Rational, rational } from '../domain/rational.ts';
import { type Refusal, refused } from './refusal.ts';

/** What an int64 of micros can hold. */
const LARGEST = rational(2n ** 63n - 1n);
/** Cents taken for units, or units for micros, are further off than this. */
const FACTOR_MAX = rational(20n);

/**
 * The guards on an amount as it is wished, before any limit holds it: NOT_POSITIVE, TOO_LARGE, UNIT_SANITY. A wish for a
 * hundred times the budget is a sign that somebody mixed up units, and a step towards it would be as wrong as all of it.
 *
 * @param target Micros, a fraction allowed.
 * @param text What would be done, as the person wrote it: "decrease budget by 15%".
 */
export function guardPlausible(target: Rational, current: Micros, currency: string, text: string): Refusal | undefined {
  const from = formatMoney(current, currency);
  const to = formatMoneyRounded(target.n / target.d, currency);
  if (target.n <= 0n) return refused('NOT_POSITIVE', `"${text}" would leave ${to} of ${from}, which is no budget.`);
  if (compare(target, LARGEST) > 0) {
    return refused('TOO_LARGE', `"${text}" would make ${from} ${to}, more than an amount can be.`);
  }
  const now = rational(current);
  const apart =
    compare(target, multiply(now, FACTOR_MAX)) > 0
      ? 'more than 20 times as much'
      : compare(multiply(target, FACTOR_MAX), now) < 0
        ? 'less than a twentieth of it'
        : undefined;
  if (apart === undefined) return undefined;
  const reason = `"${text}" would make ${from} ${to}, ${apart}: that looks like a wrong unit, so nothing is changed, whatever the limits would leave of it.`;
  return refused('UNIT_SANITY', reason);
}
