import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { type CivilDate, civilDateAt } from '../domain/civil-date.ts';
import { explainFailure } from '../domain/errors.ts';
import { extractSlice } from '../extract/extract-slice.ts';
import { DATE_FIELD } from '../gaql/check/check-dates.ts';
import { resolveWindow } from '../gaql/check/date-window.ts';
import { queryForDay } from '../gaql/check/query-for-day.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { SliceResult } from '../report/report-result.ts';
import type { RunAccount } from './discover-accounts.ts';

/** Where the calendar of an account is not known its days are counted in UTC, and rules leave it alone. */
const CALENDAR_NOT_KNOWN = 'UTC';

/** The account's today. */
export function todayOf(account: RunAccount, nowMs: number): CivilDate {
  return civilDateAt(nowMs, account.timeZone ?? CALENDAR_NOT_KNOWN);
}

/** Reads every query for every account; one that fails leaves its slice as it was and stops no other. */
export async function extractQueries(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  queries: readonly QueryFile[],
  accounts: readonly RunAccount[],
): Promise<SliceResult[]> {
  const results: SliceResult[] = [];
  for (const query of queries) {
    for (const account of accounts) {
      if (account.failure !== undefined) continue;
      const { customerId } = account;
      const today = todayOf(account, app.clock.now());
      const days = query.window && resolveWindow(query.window, today);
      const isEmpty = query.window !== undefined && days === undefined;
      if (isEmpty && query.columns.some(({ field }) => field === DATE_FIELD)) {
        app.log.info(`${query.name}, account ${customerId}: no day to read yet`);
        continue;
      }
      const text = isEmpty ? undefined : queryForDay(query, today);
      const outcome = await extractSlice({ ...app, ads }, runId, { query, text, customerId, days });
      const read = outcome.kind === 'replaced' ? outcome : { rows: 0n, bytes: 0 };
      const failure = outcome.kind === 'failed' ? explainFailure(outcome.error) : undefined;
      const notOffered = outcome.kind === 'not_offered';
      const said = notOffered ? 'not offered' : failure === undefined ? `${read.rows} rows` : `failed: ${failure}`;
      app.log.info(`${query.name}, account ${customerId}: ${said}`);
      results.push({ query: query.name, customerId, days, rows: read.rows, bytes: read.bytes, notOffered, failure });
    }
  }
  return results;
}
