import { InvariantError } from './errors.ts';

/** An exact fraction, `d` > 0, in lowest terms. Thresholds and shares compare without a float's error. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export function rational(n: bigint, d: bigint = 1n): Rational {
  if (d === 0n) throw new InvariantError('A fraction with denominator zero.');
  const sign = d < 0n ? -1n : 1n;
  const divisor = greatestCommonDivisor(n < 0n ? -n : n, d * sign);
  return { n: (n * sign) / divisor, d: (d * sign) / divisor };
}

/** Reads a plain decimal ("-2.50"); undefined for anything else. */
export function parseDecimal(text: string): Rational | undefined {
  const match = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text);
  if (!match) return undefined;
  const digits = BigInt(`${match[2] ?? ''}${match[3] ?? ''}`);
  return rational(match[1] === '-' ? -digits : digits, 10n ** BigInt(match[3]?.length ?? 0));
}

export const add = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d);
export const subtract = (a: Rational, b: Rational): Rational => rational(a.n * b.d - b.n * a.d, a.d * b.d);
export const multiply = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d);

/** Undefined when `b` is zero: the caller says what that means. */
export const divide = (a: Rational, b: Rational): Rational | undefined =>
  b.n === 0n ? undefined : rational(a.n * b.d, a.d * b.n);

export function compare(a: Rational, b: Rational): -1 | 0 | 1 {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Decimal text with at most `decimals` places, rounded half away from zero, without trailing zeros. */
export function formatRational(value: Rational, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const negative = value.n < 0n;
  const absolute = negative ? -value.n : value.n;
  const scaled = (absolute * scale * 2n + value.d) / (value.d * 2n);
  const fraction =
    decimals === 0
      ? ''
      : String(scaled % scale)
          .padStart(decimals, '0')
          .replace(/0+$/, '');
  const text = `${scaled / scale}${fraction === '' ? '' : `.${fraction}`}`;
  return negative && scaled !== 0n ? `-${text}` : text;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger === 0n ? 1n : larger;
}
