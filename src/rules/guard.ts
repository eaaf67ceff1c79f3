import { formatMoney, type Micros, roundDownToUnit, roundUpToUnit, smallestUnit } from '../domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../domain/rational.ts';
import type { Rule } from './rule.ts';

export type GuardedTarget =
  | { readonly kind: 'target'; readonly to: Micros; readonly limitedBy: 'step' | 'floor' | 'ceiling' | undefined }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly reason: string };

export type RefusalCode =
  | 'BUDGET_NOT_KNOWN'
  | 'CURRENCY_NOT_KNOWN'
  | 'AT_FLOOR'
  | 'AT_CEILING'
  | 'NO_CHANGE'
  | 'NOT_POSITIVE'
  | 'TOO_LARGE'
  | 'OUTSIDE_LIMITS'
  | 'ALREADY_DECIDED_TODAY'
  | 'OUTCOME_OPEN'
  | 'DECIDED_BY_OTHER';

/** What an int64 of micros can hold. */
const LARGEST = rational(2n ** 63n - 1n);

/**
 * The amount a rule's change leads to, held by the rule's limits and rounded to the currency's smallest unit, always
 * towards the current amount: rounding never carries a change past a limit.
 */
export function guardTarget(rule: Rule, current: Micros, currency: string): GuardedTarget {
  const unit = smallestUnit(currency);
  if (unit === undefined) return refused('CURRENCY_NOT_KNOWN', `The smallest unit of ${currency} is not known.`);
  if (current <= 0n) return refused('BUDGET_NOT_KNOWN', `The budget shows ${formatMoney(current, currency)}.`);
  const { floor, ceiling, step } = rule.limits;
  const increases = rule.change.direction === 'increase';
  const money = (amount: Micros) => formatMoney(amount, currency);
  if (!increases && floor !== undefined && current <= floor) {
    return refused('AT_FLOOR', `The budget is at ${money(current)}, and the floor is ${money(floor)}.`);
  }
  if (increases && ceiling !== undefined && current >= ceiling) {
    return refused('AT_CEILING', `The budget is at ${money(current)}, and the ceiling is ${money(ceiling)}.`);
  }
  const from = rational(current);
  const wished =
    rule.change.by.kind === 'share' ? multiply(from, rule.change.by.share) : rational(rule.change.by.amount);
  const largest = step && multiply(from, step);
  const delta = largest && compare(wished, largest) > 0 ? largest : wished;
  let target: Rational = increases ? add(from, delta) : subtract(from, delta);
  let limitedBy: 'step' | 'floor' | 'ceiling' | undefined = delta === wished ? undefined : 'step';
  const [bound, name] = increases ? [ceiling, 'ceiling' as const] : [floor, 'floor' as const];
  if (bound !== undefined && compare(target, rational(bound)) === (increases ? 1 : -1)) {
    target = rational(bound);
    limitedBy = name;
  }
  if (compare(target, LARGEST) > 0)
    return refused('TOO_LARGE', `"${rule.change.text}" of ${money(current)} is too large.`);
  const to = increases ? roundDownToUnit(target, unit) : roundUpToUnit(target, unit);
  if (to <= 0n) return refused('NOT_POSITIVE', `"${rule.change.text}" would leave ${money(to)} of ${money(current)}.`);
  // The rounding may have passed an amount that was itself no multiple of the unit.
  if (increases ? to <= current : to >= current) {
    return refused(
      'NO_CHANGE',
      `"${rule.change.text}" of ${money(current)} is less than ${money(unit)}, the smallest change.`,
    );
  }
  if ((floor !== undefined && to < floor) || (ceiling !== undefined && to > ceiling)) {
    const limits = [floor && `the floor of ${money(floor)}`, ceiling && `the ceiling of ${money(ceiling)}`];
    const outside = to < (floor ?? 0n) ? limits[0] : limits[1];
    return refused('OUTSIDE_LIMITS', `${money(to)} would still be outside ${outside}: set the budget by hand first.`);
  }
  return { kind: 'target', to, limitedBy };
}

export function refused(code: RefusalCode, reason: string): Extract<GuardedTarget, { kind: 'refused' }> {
  return { kind: 'refused', code, reason };
}
