import { readFileSync } from 'node:fs';
import { loadCatalogue } from '../src/config/load-catalogue.ts';
import { addDays, civilDate, type DateRange } from '../src/domain/civil-date.ts';
import { checkQueryFile, type QueryFile } from '../src/gaql/query-file.ts';

/** The account's today while the response is made and read; any day would do, as long as it is always the same. */
export const TODAY = civilDate('2026-11-16');
/** Noon UTC of {@link TODAY}, which is the same day in the account's time zone. */
export const NOW_MS = Date.parse(`${TODAY}T12:00:00Z`);

/** The account that is read. */
export const CUSTOMER = '6193047821';

/** The days that queries/keyword_stats.sql asks for on {@link TODAY}. */
export const WINDOW: DateRange = { from: addDays(TODAY, -30), to: addDays(TODAY, -1) };

/** The product's own query of keyword statistics, checked as the product checks it. Run from the project's folder. */
export function benchQuery(): QueryFile {
  const { query, diagnostics } = checkQueryFile('keyword_stats', readFileSync('queries/keyword_stats.sql', 'utf8'), {
    catalogue: loadCatalogue('v25'),
  });
  if (query === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return query;
}
