import { CURRENCY_DECIMALS } from './currency-units.ts';
import { InvariantError } from './errors.ts';
import { type Rational, rational } from './rational.ts';

/** An amount of money in millionths of the account's currency unit. Only this module makes one. */
export type Micros = bigint & { readonly brand: 'Micros' };

export const MICROS_PER_UNIT = 1_000_000n;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Throws outside the int64 range: no interface or column could hold it. */
export function micros(value: bigint): Micros {
  if (value > INT64_MAX || value < INT64_MIN) throw new InvariantError(`${value} micros is outside the int64 range.`);
  return value as Micros;
}

/** The highest of some amounts. */
export function highestOf(first: Micros, ...others: readonly Micros[]): Micros {
  let highest = first;
  for (const amount of others) if (amount > highest) highest = amount;
  return highest;
}

/** Reads int64 text as the interface sends it (requirement B5); undefined when it is not exactly that. */
export function parseMicros(text: string): Micros | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value > INT64_MAX || value < INT64_MIN ? undefined : (value as Micros);
}

/** Reads a decimal amount in currency units ("12.5") exactly; undefined for anything else or finer than a micro. */
export function parseAmount(text: string): Micros | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!match) return undefined;
  return micros(BigInt(match[1] ?? '0') * MICROS_PER_UNIT + BigInt((match[2] ?? '').padEnd(6, '0')));
}

/** An amount in micros, a sum beyond int64 too, in currency units as an exact fraction. */
export function unitsOf(amount: bigint): Rational {
  return rational(amount, MICROS_PER_UNIT);
}

/** The largest multiple of `unit` that is not above `amount` micros (a fraction of a micro allowed). */
export function roundDownToUnit(amount: Rational, unit: Micros): Micros {
  return micros(floorDivide(amount.n, amount.d * unit) * unit);
}

/** The smallest multiple of `unit` that is not below `amount` micros (a fraction of a micro allowed). */
export function roundUpToUnit(amount: Rational, unit: Micros): Micros {
  return micros(-floorDivide(-amount.n, amount.d * unit) * unit);
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** The smallest amount the currency has, in micros: 10,000 for EUR, 1,000,000 for JPY. Undefined for no known code. */
export function smallestUnit(currency: string): Micros | undefined {
  const decimals = CURRENCY_DECIMALS.get(currency);
  return decimals === undefined ? undefined : micros(10n ** BigInt(6 - decimals));
}

/** An amount in micros, a sum beyond int64 too: "1,234.50 EUR"; at least two decimals for currencies that have them, never fewer than the amount needs. */
export function formatMoney(amount: bigint, currency: string | undefined): string {
  return withCode(formatDigits(amount, currency), currency);
}

const withCode = (digits: string, currency: string | undefined): string =>
  currency === undefined ? digits : `${digits} ${currency}`;

/** "60.00 to 51.00 EUR", both with the currency's decimals. */
export function formatMoneyChange(from: bigint, to: bigint, currency: string | undefined): string {
  return `${formatDigits(from, currency)} to ${formatMoney(to, currency)}`;
}

/** As {@link formatMoney}, without the currency's code. */
export function formatDigits(amount: bigint, currency: string | undefined): string {
  const digits = decimalsOf(currency);
  const negative = amount < 0n;
  const absolute = negative ? -amount : amount;
  const fraction = String(absolute % MICROS_PER_UNIT).padStart(6, '0');
  const needed = Math.max(digits, fraction.replace(/0+$/, '').length);
  const units = (absolute / MICROS_PER_UNIT).toLocaleString('en-US');
  const text = needed === 0 ? units : `${units}.${fraction.slice(0, needed)}`;
  return `${negative ? '-' : ''}${text}`;
}

/** As {@link formatMoney}, rounded half away from zero to the currency's own decimals: for sums of costs. */
export function formatMoneyRounded(amount: bigint, currency: string | undefined): string {
  return withCode(formatDigitsRounded(amount, currency), currency);
}

/** The same without the currency's code. */
export function formatDigitsRounded(amount: bigint, currency: string | undefined): string {
  const unit = 10n ** BigInt(6 - decimalsOf(currency));
  const half = amount < 0n ? -unit / 2n : unit / 2n;
  return formatDigits(((amount + half) / unit) * unit, currency);
}

/** Two where the currency is not known: amounts are shown all the same. */
function decimalsOf(currency: string | undefined): number {
  return (currency === undefined ? undefined : CURRENCY_DECIMALS.get(currency)) ?? 2;
}
