import pMap from 'p-map';
import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { App } from '../../app.ts';
import type { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import type { SliceResult } from '../../results/report-result.ts';
import type { Rule } from '../../rules/rule.ts';
import { countOperations, operationsOfDay } from '../../store/runs/run-table.ts';
import { withoutFlushing } from '../../store/sqlite/open-state.ts';
import { count, LINES_MAX } from '../../text/text-layout.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import { calendarOf } from './day-state.ts';
import { type AccountToRead, extractAccount, type SliceOutcome } from './extract-account.ts';
import { type ExtractionScope, planExtraction } from './plan-extraction.ts';

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

/** Whether the service may be asked for more in this run. */
export interface Quota {
  /** Takes one operation for a request that is sent next. Answers why there is none; undefined when there was one. */
  take(): string | undefined;
  /**
   * Takes notice of a failure. Answers why the account should be asked for nothing more in this run; undefined when it may
   * be. The run ends with it when the service says that nothing more should be asked for longer than a run can wait, that
   * the quota of the day is used up, or when it refused several accounts to their last try.
   */
  refuse(error: ApiError, customerId: CustomerId, lastTry: boolean): string | undefined;
}

/** One account's refusal may be of its own rate; that of so many is of the credentials, whoever is asked next. */
const ACCOUNTS_GIVEN_UP_MAX = 3;
const DAILY_QUOTA = 'quotaError.RESOURCE_EXHAUSTED';

/** Counts this run's operations and those of the last 24 hours against `extract.operations_per_day`, where it is set. */
async function openQuota({ settings, state, clock }: App, ads: AdsConnection): Promise<Quota> {
  const limit = settings.extract.operationsPerDay;
  const before = limit === undefined ? 0 : await operationsOfDay(state.db, clock.now());
  const sentBefore = ads.operations.count;
  let taken = 0;
  let refused: string | undefined;
  const given = new Set<CustomerId>();
  return {
    take() {
      if (refused !== undefined) return refused;
      // What was taken may not be sent yet, and what was sent may be more: a token that is renewed costs a request.
      const used = Math.max(ads.operations.count, sentBefore + taken);
      if (limit !== undefined && before + used >= limit) {
        return `the ${limit} operations of extract.operations_per_day are used up for the last 24 hours`;
      }
      taken += 1;
      return undefined;
    },
    refuse({ retryAfterMs = 0, httpStatus, status, details }, customerId, lastTry) {
      if (httpStatus !== 429 && status !== 'RESOURCE_EXHAUSTED') return undefined;
      if (retryAfterMs > ads.retry.totalMs) {
        refused ??= `the service asks to wait ${hoursText(retryAfterMs)} (${status})`;
      } else if (details.some(({ code }) => code === DAILY_QUOTA)) {
        refused ??= `the service says that the quota of the day is used up (${status})`;
      } else if (lastTry) {
        given.add(customerId);
        if (given.size < ACCOUNTS_GIVEN_UP_MAX) {
          return refused ?? `the service takes no more requests of the account for now (${status})`;
        }
        refused ??= `the service takes no more requests for now (${status})`;
      } else return undefined;
      return refused;
    },
  };
}

function hoursText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
