import { add, exactText, multiply, type Rational, rational, subtract } from '../domain/rational.ts';
import { driftBase } from './drift-base.ts';
import type { Standing } from './guard-standing.ts';
import type { LimitFacts } from './refusal.ts';
import type { Limits } from './rule.ts';

/** Between which amounts a limit keeps the budget, micros, both included. */
export interface Bound {
  readonly limit: LimitFacts;
  readonly low: Rational | undefined;
  readonly high: Rational | undefined;
}

/** The limits of a rule on one budget, in the order step, drift, floor, ceiling. */
export function boundsOf(limits: Limits, { account, budget }: Standing): Bound[] {
  const { step, drift, floor, ceiling } = limits;
  const bounds: Bound[] = [];
  if (step) {
    bounds.push({ limit: { name: 'step', share: exactText(step) }, ...around(rational(budget.amount), step) });
  }
  if (drift) {
    const base = driftBase(budget.changes, budget.amount, account.today, drift.days);
    const limit = { name: 'drift', share: exactText(drift.share), days: drift.days, base: String(base) } as const;
    bounds.push({ limit, ...around(rational(base), drift.share) });
  }
  return [...bounds, ...floorAndCeiling(floor, ceiling)];
}

export function floorAndCeiling(floor: Limits['floor'], ceiling: Limits['ceiling']): Bound[] {
  const bounds: Bound[] = [];
  if (floor !== undefined) {
    bounds.push({ limit: { name: 'floor', amount: String(floor) }, low: rational(floor), high: undefined });
  }
  if (ceiling !== undefined) {
    bounds.push({ limit: { name: 'ceiling', amount: String(ceiling) }, low: undefined, high: rational(ceiling) });
  }
  return bounds;
}

function around(amount: Rational, share: Rational): { low: Rational; high: Rational } {
  const distance = multiply(amount, share);
  return { low: subtract(amount, distance), high: add(amount, distance) };
}
