import { formatMoney } from '../domain/micros.ts';
import { add, formatRational, multiply, type Rational, rational, subtract } from '../domain/rational.ts';
import type { LimitName } from './decision.ts';
import { driftBase } from './drift-base.ts';
import type { Standing } from './guard-standing.ts';
import type { Limits } from './rule.ts';

/** Between which amounts a limit keeps the budget, micros, both included. */
export interface Bound {
  readonly name: LimitName;
  readonly low: Rational | undefined;
  readonly high: Rational | undefined;
  /** With its value: "step of 20%". */
  readonly text: string;
}

/** The limits of a rule on one budget, in the order step, drift, floor, ceiling. */
export function boundsOf(limits: Limits, { account, budget, currency }: Standing): Bound[] {
  const { step, drift, floor, ceiling } = limits;
  const bounds: Bound[] = [];
  if (step) {
    bounds.push({ name: 'step', ...around(rational(budget.amount), step), text: `step of ${percent(step)}` });
  }
  if (drift) {
    const base = driftBase(budget.changes, budget.amount, account.today, drift.days);
    const days = `${drift.days} ${drift.days === 1 ? 'day' : 'days'}`;
    const text = `drift of ${percent(drift.share)} over ${days} from ${formatMoney(base, currency)}`;
    bounds.push({ name: 'drift', ...around(rational(base), drift.share), text });
  }
  return [...bounds, ...floorAndCeiling(floor, ceiling, currency)];
}

export function floorAndCeiling(floor: Limits['floor'], ceiling: Limits['ceiling'], currency: string): Bound[] {
  const bounds: Bound[] = [];
  if (floor !== undefined) {
    const text = `floor of ${formatMoney(floor, currency)}`;
    bounds.push({ name: 'floor', low: rational(floor), high: undefined, text });
  }
  if (ceiling !== undefined) {
    const text = `ceiling of ${formatMoney(ceiling, currency)}`;
    bounds.push({ name: 'ceiling', low: undefined, high: rational(ceiling), text });
  }
  return bounds;
}

function around(amount: Rational, share: Rational): { low: Rational; high: Rational } {
  const distance = multiply(amount, share);
  return { low: subtract(amount, distance), high: add(amount, distance) };
}

function percent(share: Rational): string {
  return `${formatRational(multiply(share, rational(100n)), 6)}%`;
}
