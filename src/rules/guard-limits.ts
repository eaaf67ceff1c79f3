import { type Micros, roundDownToUnit, roundUpToUnit } from '../domain/micros.ts';
import { compare, type Rational, rational } from '../domain/rational.ts';
import type { Standing } from './guard-standing.ts';
import type { Bound } from './limit-bounds.ts';
import { type LimitFacts, type Refusal, type RefusalFacts, refused } from './refusal.ts';

/** The amount that the limits leave of a wish. */
export interface Held {
  readonly kind: 'held';
  readonly to: Micros;
  /** The limit that holds it; undefined when it is the wish itself, rounded. */
  readonly bound: Bound | undefined;
}

/**
 * Holds a wish within the limits and rounds it to the currency's smallest unit, always towards the current amount: no
 * limit is passed by rounding, and no change goes further than it was wished. Refuses with AT_DRIFT,
 * AT_FLOOR or AT_CEILING where the budget already is at the limit in the wished direction, NO_CHANGE where less than the
 * smallest unit is left, OUTSIDE_LIMITS where the amount would still be on the wrong side of another limit.
 *
 * @param wished Micros, above zero and within int64, a fraction allowed.
 * @param change As the rule's file has it.
 */
export function holdTarget(
  wished: Rational,
  standing: Standing,
  bounds: readonly Bound[],
  change: string,
): Held | Refusal {
  const { currency, unit } = standing;
  const { amount } = standing.budget;
  const current = rational(amount);
  const direction = compare(wished, current);
  const about = { change, amount: String(amount), currency };
  if (direction === 0) return refused('NO_CHANGE', { ...about, unit: null, limit: null });

  let target = wished;
  let holding: Bound | undefined;
  for (const bound of bounds) {
    const edge = direction > 0 ? bound.high : bound.low;
    if (edge === undefined) continue;
    if (bound.limit.name !== 'step' && compare(edge, current) !== direction) {
      return refused(AT[bound.limit.name], atLimit(bound.limit, edge, standing));
    }
    if (compare(target, edge) === direction) {
      target = edge;
      holding = bound;
    }
  }

  const to = direction > 0 ? roundDownToUnit(target, unit) : roundUpBelow(target, amount, unit);
  if (to === undefined || compare(rational(to), current) !== direction) {
    return refused('NO_CHANGE', { ...about, unit: String(unit), limit: holding?.limit ?? null });
  }
  return outsideOf(to, bounds, currency) ?? { kind: 'held', to, bound: holding };
}

/** OUTSIDE_LIMITS for an amount that is beyond one of the limits. */
export function outsideOf(to: Micros, bounds: readonly Bound[], currency: string): Refusal | undefined {
  for (const { low, high, limit } of bounds) {
    const side =
      low && compare(rational(to), low) < 0 ? 'below' : high && compare(rational(to), high) > 0 ? 'above' : undefined;
    if (side !== undefined) return refused('OUTSIDE_LIMITS', { to: String(to), currency, side, limit });
  }
  return undefined;
}

/** A step is measured from the current amount, so the budget never is at its end. */
const AT = { drift: 'AT_DRIFT', floor: 'AT_FLOOR', ceiling: 'AT_CEILING' } as const;

function atLimit(limit: LimitFacts, edge: Rational, { budget, currency }: Standing): RefusalFacts['AT_FLOOR'] {
  const { budgetId, amount } = budget;
  return { budgetId, amount: String(amount), limit, end: String(edge.n / edge.d), currency };
}

/** Undefined when there is no multiple of the unit from `target` to below `amount`; the next one may be no int64. */
function roundUpBelow(target: Rational, amount: Micros, unit: Micros): Micros | undefined {
  const highest = roundDownToUnit(rational(amount), unit);
  return compare(target, rational(highest)) > 0 ? undefined : roundUpToUnit(target, unit);
}
