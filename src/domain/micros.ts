import { InvariantError } from './errors.ts';
import { divide, formatPercent, formatRational, type Rational, rational, subtract } from './rational.ts';

/** Decimals by ISO 4217. `Intl` has others for some currencies. Budgets in an unlisted currency are never changed. */
const CODES_BY_DECIMALS: ReadonlyMap<number, string> = new Map([
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP ' +
      'BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB ' +
      'EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES ' +
      'KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR ' +
      'MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD ' +
      'RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP ' +
      'TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]);

export const CURRENCY_DECIMALS: ReadonlyMap<string, number> = new Map(
  [...CODES_BY_DECIMALS].flatMap(([decimals, codes]) => codes.split(' ').map((code) => [code, decimals] as const)),
);

/** Millionths of a currency unit. Only this module creates values of this type. */
export type Micros = bigint & { readonly brand: 'Micros' };

export const MICROS_PER_UNIT = 1_000_000n;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

export function micros(value: bigint): Micros {
  if (value > INT64_MAX || value < INT64_MIN) throw new InvariantError(`${value} micros is outside the int64 range.`);
  return value as Micros;
}

export function highestOf<Amount extends bigint>(first: Amount, ...others: readonly Amount[]): Amount {
  let highest = first;
  for (const amount of others) if (amount > highest) highest = amount;
  return highest;
}

/** Reads int64 text (requirement B5). Undefined for other text. */
export function parseMicros(text: string): Micros | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value > INT64_MAX || value < INT64_MIN ? undefined : (value as Micros);
}

/** The amounts above zero that fit into int64 micros. */
export const AMOUNT_RANGE = 'from 0.000001 to 9223372036854.775807';

/** Reads currency units such as "12.5". Undefined for other text, for more than six decimals, or beyond int64 micros. */
export function parseAmount(text: string): Micros | undefined {
  const match = /^(\d{1,13})(?:\.(\d{1,6}))?$/.exec(text.trim());
  return match ? parseMicros(`${match[1]}${(match[2] ?? '').padEnd(6, '0')}`) : undefined;
}

export function unitsOf(amount: bigint): Rational {
  return rational(amount, MICROS_PER_UNIT);
}

/** `amount` is in micros and can have a fraction. */
export function roundDownToUnit(amount: Rational, unit: Micros): Micros {
  return micros(floorDivide(amount.n, amount.d * unit) * unit);
}

export function roundUpToUnit(amount: Rational, unit: Micros): Micros {
  return micros(-floorDivide(-amount.n, amount.d * unit) * unit);
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** The currency's smallest unit in micros: 10,000 for EUR, 1,000,000 for JPY. Undefined for unknown codes. */
export function smallestUnit(currency: string): Micros | undefined {
  const decimals = CURRENCY_DECIMALS.get(currency);
  return decimals === undefined ? undefined : micros(10n ** BigInt(6 - decimals));
}

/** The smallest step of a budget's amount: as the service or the settings say, otherwise by ISO 4217. */
export function budgetUnitOf(account: {
  readonly currency: string | undefined;
  readonly budgetUnit?: Micros | undefined;
}): Micros | undefined {
  return account.budgetUnit ?? (account.currency === undefined ? undefined : smallestUnit(account.currency));
}

/** Returns micros as "1,234.50 EUR", always exact. */
export function formatMoney(amount: bigint, currency: string | undefined): string {
  return withCode(formatDigits(amount, currency), currency);
}

const withCode = (digits: string, currency: string | undefined): string =>
  currency === undefined ? digits : `${digits} ${currency}`;

export function formatMoneyChange(from: bigint, to: bigint, currency: string | undefined): string {
  return `${formatDigits(from, currency)} to ${formatMoney(to, currency)}`;
}

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

/** Rounds half away from zero to the currency's decimals, so the text is not exact. */
export function formatMoneyRounded(amount: bigint, currency: string | undefined): string {
  return withCode(formatDigitsRounded(amount, currency), currency);
}

export function formatDigitsRounded(amount: bigint, currency: string | undefined): string {
  const unit = 10n ** BigInt(6 - decimalsOf(currency));
  const half = amount < 0n ? -unit / 2n : unit / 2n;
  return formatDigits(((amount + half) / unit) * unit, currency);
}

/** Unknown currencies get two decimals, because their amounts are still shown. */
function decimalsOf(currency: string | undefined): number {
  return (currency === undefined ? undefined : CURRENCY_DECIMALS.get(currency)) ?? 2;
}

const DECIMALS_MAX = 6;
const PERCENT_DECIMALS_MAX = 1;

/** Returns micros as "1.234,50 €" for `de-DE`, always exact. */
export function formatMoneyIn(locale: string | undefined, amount: bigint, currency: string): string {
  if (locale === undefined) return formatMoney(amount, currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    maximumFractionDigits: DECIMALS_MAX,
    minimumFractionDigits: CURRENCY_DECIMALS.get(currency) ?? 2,
  });
  return format.format(decimalText(formatRational(unitsOf(amount), DECIMALS_MAX)));
}

/** As {@link formatMoneyRounded}, in the words of a language. */
export function formatMoneyRoundedIn(locale: string | undefined, amount: bigint, currency: string | undefined): string {
  if (locale === undefined || currency === undefined) return formatMoneyRounded(amount, currency);
  const decimals = decimalsOf(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    maximumFractionDigits: decimals,
    minimumFractionDigits: decimals,
  });
  return format.format(decimalText(formatRational(unitsOf(amount), DECIMALS_MAX)));
}

/** Returns micros as "60.00 EUR to 51.00 EUR (-15%)". No percentage if the old amount is zero. */
export function formatChangeIn(locale: string | undefined, from: bigint, to: bigint, currency: string): string {
  const amounts = `${formatMoneyIn(locale, from, currency)} to ${formatMoneyIn(locale, to, currency)}`;
  const share = divide(subtract(rational(to), rational(from)), rational(from));
  if (share === undefined) return amounts;
  if (locale === undefined) {
    return `${amounts} (${to > from ? '+' : ''}${formatPercent(share, PERCENT_DECIMALS_MAX)})`;
  }
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: PERCENT_DECIMALS_MAX,
    signDisplay: 'exceptZero',
  });
  return `${amounts} (${format.format(decimalText(formatRational(share, 2 + PERCENT_DECIMALS_MAX)))})`;
}

/** Intl needs text, because a number would lose the last micros of a large amount. */
function decimalText(text: string): Intl.StringNumericLiteral {
  return text as Intl.StringNumericLiteral;
}

export function sumOfKnown(values: readonly (bigint | undefined)[]): bigint | undefined {
  let sum = 0n;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

export function unitsOfBudget(amount: bigint): Rational {
  return { n: amount, d: MICROS_PER_UNIT };
}
