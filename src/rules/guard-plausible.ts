import type { Micros } from '../domain/micros.ts';
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
 * @param change As the rule's file has it: "decrease budget by 15%"; null for an amount that a person sets.
 */
export function guardPlausible(
  target: Rational,
  current: Micros,
  currency: string,
  change: string | null,
): Refusal | undefined {
  const facts = { change, from: String(current), to: String(target.n / target.d), currency };
  if (target.n <= 0n) return refused('NOT_POSITIVE', facts);
  if (compare(target, LARGEST) > 0) return refused('TOO_LARGE', facts);
  const now = rational(current);
  const isApart = compare(target, multiply(now, FACTOR_MAX)) > 0 || compare(multiply(target, FACTOR_MAX), now) < 0;
  return isApart ? refused('UNIT_SANITY', facts) : undefined;
}
