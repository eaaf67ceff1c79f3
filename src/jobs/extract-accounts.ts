import pMap from 'p-map';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { calendarOf } from '../extract/day-state.ts';
import { type AccountToRead, extractAccount, type SliceOutcome } from '../extract/extract-account.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { SliceResult } from '../report/report-result.ts';
import { count, LINES_MAX } from '../report/text-layout.ts';
import type { Rule } from '../rules/rule.ts';
import { withoutFlushing } from '../store/open-state.ts';
import { countOperations } from '../store/run-table.ts';
import type { RunAccount } from './discover-accounts.ts';
import { type ExtractionScope, planExtraction } from './plan-extraction.ts';
import { openQuota } from './quota.ts';

/** What is read for which accounts; rules say which accounts come first. */
export interface Extraction {
  readonly queries: readonly QueryFile[];
  readonly rules: readonly Rule[];
  readonly accounts: readonly RunAccount[];
  readonly scope: ExtractionScope;
}

/**
 * Reads the slices of all accounts, several accounts at once. What fails leaves its slice as it was and stops nothing
 * else; what is not reached, because the service wants no more requests, stays planned.
 */
export async function extractAccounts(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  { queries, rules, accounts, scope }: Extraction,
): Promise<SliceResult[]> {
  const { extract } = app.settings;
  const readable = accounts.filter(({ failure }) => failure === undefined);
  const work = await planExtraction(app, runId, queries, rules, readable, scope);
  const quota = await openQuota(app, ads);
  const calendar = (query: string, timeZone: string | undefined) => calendarOf(extract, query, timeZone);
  // A failure of our own, such as a full disk, ends the run; what other accounts have begun ends first.
  let fatal: { readonly error: unknown } | undefined;
  const take = () => {
    if (fatal) return 'the run is ended by a failure of its own';
    return quota.take();
  };
  const deps = { ...app, ads, calendarOf: calendar, quota: { ...quota, take } };
  const names = new Map(accounts.map(({ customerId, name }) => [customerId, name]));
  const planned = work.reduce((sum, { slices }) => sum + slices.length, 0);
  const read = async (account: AccountToRead): Promise<SliceResult[]> => {
    const { customerId, slices } = account;
    app.progress.account(customerId, names.get(customerId), slices.length);
    try {
      const results = (await extractAccount(deps, account)).map(resultOf);
      const told = results.filter(({ failure }) => failure !== undefined || planned <= LINES_MAX);
      for (const result of told) app.log.with({ account: customerId }).info(progressLine(result));
      await countOperations(app.state.db, runId, ads.operations.count);
      return results;
    } catch (error) {
      fatal ??= { error };
      return [];
    } finally {
      app.progress.accountEnds(customerId);
    }
  };
  app.progress.begin({ accounts: work.length, slices: planned });
  const results = await withoutFlushing(app.state, () =>
    pMap(work, read, { concurrency: extract.concurrency }),
  ).finally(() => app.progress.end());
  if (fatal) throw fatal.error;
  return results.flat();
}

function resultOf(outcome: SliceOutcome): SliceResult {
  const { query, customerId, days } = outcome;
  return {
    ...{ query, customerId, days },
    rows: outcome.kind === 'replaced' ? outcome.rows : 0n,
    bytes: outcome.kind === 'replaced' ? outcome.bytes : 0,
    notOffered: outcome.kind === 'not_offered' ? outcome.said : undefined,
    failure: outcome.kind === 'failed' ? outcome.failure : undefined,
    alike: outcome.kind === 'failed' ? outcome.alike : undefined,
    left: outcome.kind === 'left' ? outcome.reason : undefined,
    leftByStop: outcome.kind === 'left' && outcome.stopped,
  };
}

function progressLine(result: SliceResult): string {
  const days = result.days ? `, ${result.days.from} to ${result.days.to}` : '';
  return `${result.query}, account ${result.customerId}${days}: ${wordsOf(result)}`;
}

function wordsOf({ rows, notOffered, failure, left }: SliceResult): string {
  if (notOffered !== undefined) return 'not offered';
  if (left !== undefined) return `not read: ${left}`;
  return failure === undefined ? count(Number(rows), 'row') : `failed: ${failure}`;
}
