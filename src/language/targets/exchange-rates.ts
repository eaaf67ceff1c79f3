import * as z from 'zod';
import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import { type Diagnostic, finding } from '../../domain/diagnostic.ts';
import { expectedPoint, readCsv } from '../csv/read-csv.ts';
import type { PaceRate } from '../rules/pacing/pace.ts';
import { calendarDay, currencyCode, exchangeRate } from '../yaml/scalars.ts';

export type ExchangeRate = PaceRate;

const rateSchema = z.object({ date: calendarDay, from: currencyCode, to: currencyCode, rate: exchangeRate });
const COLUMNS = Object.keys(rateSchema.shape);

/** Reads `exchange_rates.csv`. */
export function readRates(source: string): {
  readonly rates: readonly ExchangeRate[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const { rows, diagnostics } = readCsv(source, COLUMNS);
  const found = [...diagnostics];
  const seen = new Set<string>();
  const rates = rows.flatMap(({ span, cell }): ExchangeRate[] => {
    const row = Object.fromEntries(COLUMNS.map((column) => [column, cell(column) ?? '']));
    const reading = rateSchema.safeParse(row, { jitless: true });
    if (reading.success) {
      const { date, from, to } = reading.data;
      const pair = from < to ? `${date} ${from} ${to}` : `${date} ${to} ${from}`;
      if (seen.has(pair)) found.push(finding('BAD_VALUE', span, `Another row has the rate of ${pair}.`, 'Keep one.'));
      seen.add(pair);
      return [reading.data];
    }
    for (const { path, message } of reading.error.issues) {
      const column = String(path[0]);
      const words = row[column] === '' ? 'nothing' : JSON.stringify(row[column]);
      found.push(
        finding(
          'BAD_VALUE',
          span,
          `Found ${words} for "${column}", expected ${expectedPoint(row[column]) ?? message}.`,
        ),
      );
    }
    return [];
  });
  return { rates, diagnostics: found };
}

/** A rate of a weekend or a holiday is that of the working day before. */
export const RATE_DAYS_MAX = 7;

/** A fixed rate, otherwise the newest one, in either direction. Text says why no rate is known. */
export function rateOn(
  today: CivilDate,
  rates: readonly ExchangeRate[],
  from: string,
  to: string,
): ExchangeRate | string {
  const known = rates
    .flatMap((one): ExchangeRate[] => {
      if (one.date > today) return [];
      if (one.from === from && one.to === to) return [one];
      return one.from === to && one.to === from ? [{ ...one, from, to, rate: { n: one.rate.d, d: one.rate.n } }] : [];
    })
    .sort((one, other) => (one.date < other.date ? 1 : -1));
  const newest = known.find(({ isFixed }) => isFixed) ?? known[0];
  if (newest === undefined) return `no exchange rate of ${from} to ${to} is known`;
  if (newest.isFixed || newest.date >= addDays(today, -RATE_DAYS_MAX)) return newest;
  return `the newest exchange rate of ${from} to ${to} is of ${newest.date}, older than ${RATE_DAYS_MAX} days`;
}
