import { readFileSync } from 'node:fs';
import { loadCatalogue } from '../src/config/load-catalogue.ts';
import { addDays, type CivilDate, type DateRange } from '../src/domain/civil-date.ts';
import { civilDate } from '../src/domain/parse-civil-date.ts';
import { checkQueryFile, type QueryFile } from '../src/language/gaql/query-file.ts';

/** Whole days that end with the day before `today`. */
export interface Window {
  readonly today: CivilDate;
  readonly days: number;
}

/** The account's today while the response is made and read; any day would do, as long as it is always the same. */
export const TODAY = civilDate('2026-11-16');

/** The days that queries/keyword_stats.sql asks for on {@link TODAY}. */
export const WINDOW: Window = { today: TODAY, days: 30 };

/** The account that is read. */
export const CUSTOMER = '6193047821';

/** Noon UTC, which is the same day in the account's time zone. */
export function noonMs(day: CivilDate): number {
  return Date.parse(`${day}T12:00:00Z`);
}

export function daysOf({ today, days }: Window): DateRange {
  return { from: addDays(today, -days), to: addDays(today, -1) };
}

export const QUERY_FILE = 'queries/keyword_stats.sql';

/** The product's own query of keyword statistics, checked as the product checks it. Run from the project's folder. */
export function benchQuery(): QueryFile {
  return checked(readFileSync(QUERY_FILE, 'utf8'));
}

/** The same query, asking for the last days. */
export function queryOfDays(days: number): QueryFile {
  const source = readFileSync(QUERY_FILE, 'utf8');
  return checked(source.replace('DURING LAST_30_DAYS', `BETWEEN :today-${days} AND :yesterday`));
}

function checked(source: string): QueryFile {
  const { query, diagnostics } = checkQueryFile('keyword_stats', source, { catalogue: loadCatalogue('v25') });
  if (query === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return query;
}
