import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import { type Diagnostic, finding } from '../../domain/diagnostic.ts';
import { smallestUnit } from '../../domain/micros.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { parseDecimal, type Rational } from '../../domain/rational.ts';
import { readCsv } from '../csv/read-csv.ts';

/** On this day, one `from` is `rate` of `to`. */
export interface ExchangeRate {
  readonly date: CivilDate;
  readonly from: string;
  readonly to: string;
  readonly rate: Rational;
}

/** Reads `exchange_rates.csv`. */
export function readRates(source: string): {
  readonly rates: readonly ExchangeRate[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const { rows, diagnostics } = readCsv(source, ['date', 'from', 'to', 'rate']);
  const found = [...diagnostics];
  const rates = rows.flatMap(({ span, cell }): ExchangeRate[] => {
    const read = <Value>(column: string, expected: string, reading: (text: string) => Value | undefined) => {
      const text = cell(column) ?? '';
      const value = reading(text);
      if (value !== undefined) return value;
      const words = text === '' ? 'nothing' : JSON.stringify(text);
      found.push(finding('BAD_VALUE', span, `Found ${words} for "${column}", expected ${expected}.`));
      return undefined;
    };
    const currency = (text: string) => (smallestUnit(text) === undefined ? undefined : text);
    const date = read('date', 'a day such as 2026-11-30', parseCivilDate);
    const from = read('from', 'a currency code such as USD', currency);
    const to = read('to', 'a currency code such as EUR', currency);
    const rate = read('rate', 'a number above 0 such as 0.925', (text) => {
      const number = parseDecimal(text);
      return number && number.n > 0n ? number : undefined;
    });
    return date && from && to && rate ? [{ date, from, to, rate }] : [];
  });
  return { rates, diagnostics: found };
}

/** A rate of a weekend or a holiday is that of the working day before. */
export const RATE_DAYS_MAX = 7;

/** The newest rate, in either direction. Text says why no rate is known. */
export function rateOn(
  today: CivilDate,
  rates: readonly ExchangeRate[],
  from: string,
  to: string,
): ExchangeRate | string {
  const known = rates
    .flatMap((one): ExchangeRate[] => {
      const { date, rate } = one;
      if (date > today) return [];
      if (one.from === from && one.to === to) return [one];
      return one.from === to && one.to === from ? [{ date, from, to, rate: { n: rate.d, d: rate.n } }] : [];
    })
    .sort((one, other) => (one.date < other.date ? 1 : -1));
  const [newest] = known;
  if (newest === undefined) return `no exchange rate of ${from} to ${to} is known`;
  if (newest.date >= addDays(today, -RATE_DAYS_MAX)) return newest;
  return `the newest exchange rate of ${from} to ${to} is of ${newest.date}, older than ${RATE_DAYS_MAX} days`;
}
