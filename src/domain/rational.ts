import { InvariantError } from './errors.ts';

/** The fraction n / d, with `d` above zero. Use {@link compare}, because equal fractions can have different fields. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export function rational(n: bigint, d: bigint = 1n): Rational {
  if (d === 0n) throw new InvariantError('The denominator of a fraction is zero.');
  const sign = d < 0n ? -1n : 1n;
  if (d === sign) return { n: n * sign, d: 1n };
  const divisor = greatestCommonDivisor(n < 0n ? -n : n, d * sign);
  return { n: (n * sign) / divisor, d: (d * sign) / divisor };
}

export function parseDecimal(text: string): Rational | undefined {
  const match = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text);
  if (!match) return undefined;
  const digits = BigInt(`${match[2] ?? ''}${match[3] ?? ''}`);
  return rational(match[1] === '-' ? -digits : digits, 10n ** BigInt(match[3]?.length ?? 0));
}

export function add(a: Rational, b: Rational): Rational {
  return a.d === b.d ? fraction(a.n + b.n, a.d) : fraction(a.n * b.d + b.n * a.d, a.d * b.d);
}

export function subtract(a: Rational, b: Rational): Rational {
  return a.d === b.d ? fraction(a.n - b.n, a.d) : fraction(a.n * b.d - b.n * a.d, a.d * b.d);
}

export function multiply(a: Rational, b: Rational): Rational {
  return fraction(a.n * b.n, a.d * b.d);
}

export function divide(a: Rational, b: Rational): Rational | undefined {
  if (b.n === 0n) return undefined;
  return b.n < 0n ? fraction(-a.n * b.d, a.d * -b.n) : fraction(a.n * b.d, a.d * b.n);
}

/** Smaller denominators are not reduced, because reducing is slow. */
const REDUCED_FROM = 2n ** 128n;

function fraction(n: bigint, d: bigint): Rational {
  return d < REDUCED_FROM ? { n, d } : rational(n, d);
}

export function compare(a: Rational, b: Rational): -1 | 0 | 1 {
  const [left, right] = a.d === b.d ? [a.n, b.n] : [a.n * b.d, b.n * a.d];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function roundHalfAway({ n, d }: Rational): bigint {
  return n < 0n ? -((-n * 2n + d) / (d * 2n)) : (n * 2n + d) / (d * 2n);
}

/** Rounds half away from zero to at most `decimals` places, without trailing zeros. */
export function formatRational(value: Rational, decimals: number): string {
  const scale = 10n ** BigInt(decimals);
  const negative = value.n < 0n;
  const absolute = negative ? -value.n : value.n;
  const scaled = (absolute * scale * 2n + value.d) / (value.d * 2n);
  const fraction = String(scaled % scale)
    .padStart(decimals, '0')
    .replace(/0+$/, '');
  const text = `${scaled / scale}${fraction === '' ? '' : `.${fraction}`}`;
  return negative && scaled !== 0n ? `-${text}` : text;
}

export function formatPercent({ n, d }: Rational, decimals: number): string {
  return `${formatRational({ n: n * 100n, d }, decimals)}%`;
}

const EXACT_DECIMALS_MAX = 12;

/** Returns text such as "-2.5" or "1322520000/7". */
export function exactText(value: Rational): string {
  const { n, d } = rational(value.n, value.d);
  return 10n ** BigInt(EXACT_DECIMALS_MAX) % d === 0n ? formatRational({ n, d }, EXACT_DECIMALS_MAX) : `${n}/${d}`;
}

export function parseExact(text: string): Rational {
  const [number = '', divisor] = text.split('/');
  if (divisor !== undefined) return rational(BigInt(number), BigInt(divisor));
  const [units = '', fraction = ''] = number.split('.');
  return rational(BigInt(`${units}${fraction}`), 10n ** BigInt(fraction.length));
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let larger = a;
  let smaller = b;
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
