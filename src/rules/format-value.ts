import { unreachable } from '../domain/errors.ts';
import { formatDigitsRounded, formatMoneyRounded } from '../domain/micros.ts';
import { formatRational, type Rational } from '../domain/rational.ts';
import type { CheckedValue } from './checked-expression.ts';

/** What a number stands for, which says how a person reads it. */
export type Meaning = 'money' | 'count' | 'share' | 'number';

/** An amount of money stays one when it is multiplied or divided by a plain number; like by like is a share. */
export function meaningOf(tree: CheckedValue): Meaning {
  switch (tree.kind) {
    case 'metric':
      if (tree.metric.inMicros) return 'money';
      return tree.metric.type === 'INT64' && tree.metric.measure === 'sum' ? 'count' : 'number';
    case 'attribute':
      return tree.inMicros ? 'money' : 'count';
    case 'budget':
      return 'money';
    case 'number':
    case 'text':
      return 'number';
    case 'negation':
      return meaningOf(tree.operand);
    case 'coalesce':
      return tree.values.map(meaningOf).find((meaning) => meaning !== 'number') ?? 'number';
    case 'arithmetic': {
      const [left, right] = [meaningOf(tree.left), meaningOf(tree.right)];
      if (tree.sign === '/') {
        if (left === right && left !== 'number') return 'share';
        return left === 'money' ? 'money' : 'number';
      }
      if (left === 'money' || right === 'money') return 'money';
      return left === right ? left : 'number';
    }
    default:
      return unreachable(tree);
  }
}

/** An amount in currency units: "1,322.50", with the currency's decimals and without its code. */
export function formatAmount(value: Rational, currency: string | undefined): string {
  return formatDigitsRounded(microsOf(value), currency);
}

/** The same with the code: "1,322.50 EUR". */
export function formatAmountIn(value: Rational, currency: string | undefined): string {
  return formatMoneyRounded(microsOf(value), currency);
}

/** "1,250", "81.25", "0.0123": small ones with four decimals, or a rate would be 0.01 or 0.02. */
export function formatNumber(value: Rational): string {
  const isSmall = value.n < value.d && -value.n < value.d;
  return formatDecimal(value, isSmall ? 4 : 2);
}

/** At most that many decimals, thousands apart. */
export function formatDecimal(value: Rational, decimals: number): string {
  const [units = '', fraction] = formatRational(value, decimals).split('.');
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** "1.23%"; what is many times as large is no percentage: "81.25". */
export function formatShare(value: Rational): string {
  const isShare = value.n <= value.d && -value.n <= value.d;
  return isShare ? formatPercent(value, 2) : formatNumber(value);
}

/** "1.23%", "150%": at most that many decimals. */
export function formatPercent({ n, d }: Rational, decimals: number): string {
  return `${formatDecimal({ n: n * 100n, d }, decimals)}%`;
}

/** Micros, rounded half away from zero. */
function microsOf({ n, d }: Rational): bigint {
  const absolute = ((n < 0n ? -n : n) * 2_000_000n + d) / (d * 2n);
  return n < 0n ? -absolute : absolute;
}
