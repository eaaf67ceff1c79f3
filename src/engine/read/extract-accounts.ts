import pMap from 'p-map';
import { type CivilDate, type DateRange, halve } from '../../domain/civil-date.ts';
import type { DayCalendar } from '../../domain/complete-days.ts';
import { dailyOperations } from '../../domain/connection-settings.ts';
import { ApiError, explainAlike, explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';
import { mayBeCut } from '../../language/gaql/check/check-clauses.ts';
import { resolveWindow } from '../../language/gaql/check/date-window.ts';
import {
  fixedToItsWindow,
  isCuttable,
  queryFingerprint,
  queryForDay,
  queryForRange,
} from '../../language/gaql/check/query-for-range.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import { printCondition } from '../../language/gaql/syntax/print-query.ts';
import type { SliceResult } from '../../language/results/report-result.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { createRetryBudget, mayRepeat, type RetryBudget, retryDelayMs } from '../../services/http/retry.ts';
import { besideLoads } from '../../storage/records/in-transaction.ts';
import { countOperations, operationsOfDay } from '../../storage/records/runs/run-table.ts';
import { endSlice, insertSlices, slicesOfAccount } from '../../storage/records/runs/slice-table.ts';
import { keepFirstReadings } from '../../storage/warehouse/first-readings.ts';
import { count, LINES_MAX } from '../../views/text/text-layout.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { GIVEN_AT_ONCE, type SharedWork } from '../queue/shared-work.ts';
import { accountToday, calendarOf } from './day-state.ts';
import { extractSlice, notOffered, recordFailure, type Slice } from './extract-slice.ts';
import { type AccountToRead, type Extraction, planExtraction, type SliceToRead } from './plan-extraction.ts';

/** A failed slice keeps its old rows. The other slices continue. */
export async function extractAccounts(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  extraction: Extraction,
  shared: SharedWork | undefined,
): Promise<SliceResult[]> {
  const accounts = extraction.accounts.filter(({ failure }) => failure === undefined);
  const work = await planExtraction(app, runId, { ...extraction, accounts });
  const limit = dailyOperations(app.settings.ads.access);
  const before = limit === undefined ? 0 : await operationsOfDay(app.state.db, app.clock.now());
  const quota = createQuota(ads, { limit, left: limit === undefined ? undefined : limit - before });
  const queries = new Map(extraction.queries.map((query) => [query.name, query]));
  const sharing = shared && { runId, shared, queries };
  // After a local failure, such as a full disk, no further slice begins.
  let fatal: { readonly error: unknown } | undefined;
  const take = () => (fatal ? 'another failure ended the run' : quota.take());
  const reserve = (wanted: number) => (fatal ? 0 : quota.reserve(wanted));
  const reading: Reading = { ...app, ads, quota: { ...quota, take, reserve } };
  let counted: Promise<void> = Promise.resolve();
  let counting: Promise<void> | undefined;
  /** Accounts that end while a number is being written share the next one. */
  const countNow = () => {
    counting ??= counted.then(() => {
      counting = undefined;
      counted = countOperations(app.state.db, runId, ads.operations.count);
      return counted;
    });
    return counting;
  };
  const planned = work.reduce((sum, { slices }) => sum + slices.length, 0);
  const read = async (one: AccountToRead): Promise<readonly SliceResult[]> => {
    const { customerId } = one.account;
    try {
      const results = await (sharing ? giveAccount(reading, sharing, one) : extractAccount(reading, one));
      const told = results.filter(({ failure }) => failure !== undefined || planned <= LINES_MAX);
      for (const result of told) app.log.with({ account: customerId }).step(progressLine(result));
      await countNow();
      return results;
    } catch (error) {
      fatal ??= { error };
      return [];
    } finally {
      app.progress.accountEnds();
    }
  };
  await keepFirstReadings(app.state.db);
  app.progress.begin({ accounts: work.length, slices: planned });
  const concurrency = shared ? GIVEN_AT_ONCE : app.settings.extract.concurrency;
  const reads = app.state.withoutFlushing(() => pMap(work, read, { concurrency }));
  const results = await reads.finally(() => app.progress.end());
  if (fatal) throw fatal.error;
  return results.flat();
}

function progressLine({ query, customerId, days, rows, notOffered, failure, left }: SliceResult): string {
  const of = `${query}, account ${customerId}${days ? `, ${days.from} to ${days.to}` : ''}`;
  if (notOffered !== undefined) return `${of}: not offered`;
  if (left !== undefined) return `${of}: not read: ${left}`;
  return `${of}: ${failure === undefined ? count(Number(rows), 'row') : `failed: ${failure}`}`;
}

/** A worker's order. The records have the slices of the account. */
export interface AccountTask {
  readonly account: RunAccount;
  /** Slices whose days equal the window of their query. */
  readonly windows: readonly bigint[];
  /** The most operations that the worker may use. Undefined if there is no limit. */
  readonly operations: number | undefined;
}

export interface AccountAnswer {
  readonly refused: string | undefined;
  readonly gaveUp: ReadonlySet<CustomerId>;
  readonly results: readonly SliceResult[];
  readonly operations: number;
}

/** Lets any worker read the account, or this process. */
async function giveAccount(
  reading: Reading,
  { runId, shared, queries }: Sharing,
  { account, slices, worth: priority }: AccountToRead,
): Promise<readonly SliceResult[]> {
  const { quota, ads, progress, state, stop } = reading;
  const operations = quota.reserve(slices.length);
  if (stop.aborted || operations === 0) return extractAccount(reading, { account, slices });
  const windows = slices.filter(({ isWindow }) => isWindow).map(({ id }) => id);
  const about: AccountTask = { account, windows, operations };
  let isHere = false;
  const order = { kind: 'read', about, priority, isTriedOnce: false } as const;
  const answer = await shared.give<AccountAnswer>(order, async () => {
    isHere = true;
    quota.release(operations);
    const left = await leftToRead(state, runId, about, queries);
    const results = [...left.results, ...(await extractAccount(reading, { account, slices: left.slices }))];
    return { results, operations: 0, refused: undefined, gaveUp: new Set() };
  });
  if (!isHere) quota.release(operations);
  ads.operations.count += answer.operations;
  quota.hear(answer);
  if (!isHere) progress.slices(answer.results.length);
  return answer.results;
}

/** Reads an account for the run of another process. */
export async function readForRun(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  task: AccountTask,
  queries: QueryNamed,
): Promise<AccountAnswer> {
  const { account, operations } = task;
  const own = { ...ads, operations: { count: 0 } };
  const quota = createQuota(own, { limit: dailyOperations(app.settings.ads.access), left: operations });
  const { slices, results } = await leftToRead(app.state, runId, task, queries);
  const read = await extractAccount({ ...app, ads: own, quota }, { account, slices });
  return {
    results: [...results, ...read],
    operations: own.operations.count,
    refused: quota.refused(),
    gaveUp: quota.gaveUp,
  };
}

export type QueryNamed = ReadonlyMap<string, QueryFile>;

/** The slices that no earlier try of the task has read, and the results of the others. */
async function leftToRead({ db }: App['state'], runId: bigint, { account, windows }: AccountTask, queries: QueryNamed) {
  const { customerId } = account;
  const slices: SliceToRead[] = [];
  const results: SliceResult[] = [];
  for (const slice of await slicesOfAccount(db, runId, customerId)) {
    const { id, query, days, state, rows, bytes, error } = slice;
    if (state === 'planned') {
      const queryFile = queries.get(query);
      if (queryFile === undefined || queryFingerprint(queryFile) !== slice.queryText) {
        throw new Error(`The run reads another query ${query} than this process has.`);
      }
      slices.push({ ...slice, queryFile, isWindow: windows.includes(id) });
    } else if (state !== 'cut') {
      const failed = state === 'failed' ? { failure: error ?? '' } : { notOffered: error };
      results.push({ ...NOTHING_READ, query, customerId, days, rows, bytes: Number(bytes), ...failed });
    }
  }
  return { slices, results };
}

interface Sharing {
  readonly runId: bigint;
  readonly shared: SharedWork;
  readonly queries: QueryNamed;
}

interface Reading extends App {
  readonly ads: AdsConnection;
  readonly quota: Quota;
}

/** All slices of the account share one retry budget. */
async function extractAccount(
  reading: Reading,
  { account, slices }: Pick<AccountToRead, 'account' | 'slices'>,
): Promise<SliceResult[]> {
  const { ads, progress } = reading;
  const { customerId } = account;
  const retryBudget = createRetryBudget(ads.retry, ads.pauses);
  const results: SliceResult[] = [];
  const open = [...slices];
  let restLeft: Leaving | undefined;
  for (let slice = open.shift(); slice; slice = open.shift()) {
    const leaving = restLeft ?? leavingNow(reading);
    const step: Step = leaving
      ? { kind: 'ended', came: leaving }
      : await readSlice(reading, account, slice, retryBudget);
    if (step.kind === 'cut') {
      open.unshift(...step.halves);
      progress.slices(1 - step.halves.length);
      continue;
    }
    restLeft ??= step.restLeft;
    results.push({ query: slice.query, customerId, days: slice.days, ...NOTHING_READ, ...step.came });
    progress.slices(1);
  }
  return results;
}

const NOTHING_READ = {
  rows: 0n,
  bytes: 0,
  notOffered: undefined,
  failure: undefined,
  alike: undefined,
  left: undefined,
  leftByStop: false,
};

type Step =
  | { readonly kind: 'ended'; readonly came: Partial<SliceResult>; readonly restLeft?: Leaving }
  | { readonly kind: 'cut'; readonly halves: readonly SliceToRead[] };

type Leaving = Pick<SliceResult, 'left' | 'leftByStop'>;

const STOPPED: Leaving = { left: ASKED_TO_STOP, leftByStop: true };
const GIVEN_UP: Leaving = { left: 'the account was skipped for the rest of this run', leftByStop: false };

function leavingNow({ ads, quota }: Reading): Leaving | undefined {
  if (ads.pauses.stop?.aborted) return STOPPED;
  const left = quota.take();
  return left === undefined ? undefined : { left, leftByStop: false };
}

async function readSlice(
  reading: Reading,
  { timeZone }: RunAccount,
  planned: SliceToRead,
  retryBudget: RetryBudget,
): Promise<Step> {
  const { ads, clock, log, state, quota, settings } = reading;
  const { query, customerId, days, queryFile } = planned;
  const leave = (leaving: Leaving): Step => ({ kind: 'ended', came: leaving, restLeft: leaving });
  const calendar = calendarOf(settings.extract, query, timeZone);
  for (let attempt = 1; ; attempt++) {
    const slice = sliceOn(accountToday(timeZone, clock.now()), planned, calendar);
    const startedMs = clock.now();
    const elapsedMs = ads.pauses.elapsedMs();
    // The wait for writes of other accounts does not use up the retry budget.
    let waitedMs = 0;
    const onTurn = (milliseconds: number) => {
      waitedMs = milliseconds;
    };
    try {
      const { rows, bytes } = await extractSlice({ ...reading, onTurn }, slice);
      if (mayBeCut(queryFile, rows)) {
        log.warn(
          `${query} of ${customerId}: ${count(Number(rows), 'row')} came, as many as LIMIT allows. Others may be missing.`,
        );
      }
      return { kind: 'ended', came: { rows, bytes } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // After a stop, the slice stays planned, whatever the failure was.
      if (ads.pauses.stop?.aborted) return leave(STOPPED);
      retryBudget.spend(ads.pauses.elapsedMs() - elapsedMs - waitedMs);
      const refused = quota.refuse(error, customerId, false);
      if (refused !== undefined) return leave({ left: refused, leftByStop: false });
      const halves = isTooMuch(error) && days && isCuttable(queryFile) ? halve(days) : undefined;
      const delayMs = retryDelayMs(retryBudget.policy, halves ? 1 : attempt, error.retryAfterMs);
      const again = halves !== undefined || (mayRepeat(error, 'read') && attempt < retryBudget.policy.attempts);
      if (!again || !retryBudget.allows(delayMs)) {
        const left = quota.refuse(error, customerId, true);
        if (left !== undefined) return leave({ left, leftByStop: false });
        await recordFailure(state.db, clock, slice, startedMs, error);
        const offered = notOffered(error);
        if (offered !== undefined) return { kind: 'ended', came: { notOffered: offered } };
        const came = { failure: explainFailure(error), alike: explainAlike(error) };
        return { kind: 'ended', came, ...(endsAccount(error, retryBudget) ? { restLeft: GIVEN_UP } : {}) };
      }
      const then = halves ? 'pacekeeper reads the days in two halves' : 'Trying again';
      log.warn(`${query} of ${customerId}: ${error.message} ${then} in ${delayMs / 1000} s.`);
      await retryBudget.pause(delayMs);
      if (halves) return { kind: 'cut', halves: await cut(reading, planned, halves, startedMs, error) };
      const leaving = leavingNow(reading);
      if (leaving !== undefined) return leave(leaving);
    }
  }
}

function sliceOn(today: CivilDate, planned: SliceToRead, calendar: DayCalendar): Slice {
  const { text, days } = sliceText(planned, today, calendar.timeZone !== undefined);
  const holdsOn = text !== undefined && namesPeriod(planned.queryFile, text) ? today : undefined;
  return { ...planned, query: planned.queryFile, text, days, holdsOn, calendar };
}

/** True if a smaller request may succeed. After status 429, two requests would be worse than one. */
function isTooMuch({ brokeOff, httpStatus }: ApiError): boolean {
  return (brokeOff && httpStatus !== 429) || httpStatus === 504;
}

function endsAccount(error: ApiError, retryBudget: RetryBudget): boolean {
  return (
    refusesAccount(error) ||
    ((error.transient || isTooMuch(error)) && !retryBudget.allows(retryBudget.policy.firstDelayMs))
  );
}

async function cut(
  { state, clock }: Reading,
  planned: SliceToRead,
  halves: readonly DateRange[],
  startedMs: number,
  error: ApiError,
): Promise<SliceToRead[]> {
  return besideLoads(state.db, async (trx) => {
    await endSlice(trx, planned.id, { state: 'cut', startedMs, endedMs: clock.now(), error: explainFailure(error) });
    const parts = halves.map((days) => ({ ...planned, days, isWindow: false }));
    return insertSlices(trx, parts);
  });
}

/** The query text contains fixed dates where possible, so that midnight cannot shift the period. */
export function sliceText(
  { queryFile, days, isWindow }: Pick<SliceToRead, 'queryFile' | 'days' | 'isWindow'>,
  today: CivilDate,
  calendarKnown = true,
): Pick<Slice, 'text' | 'days'> {
  if (queryFile.window === undefined) return { text: queryForDay(queryFile, today), days };
  const window = resolveWindow(queryFile.window, today);
  const asItIs = { text: window && queryForDay(queryFile, today), days: window };
  if (days === undefined) return { ...asItIs, days };
  if (fixedToItsWindow(queryFile) !== undefined) return asItIs;
  const means = window && window.from === days.from && window.to === days.to;
  if (isWindow && means && (calendarKnown || !namesPeriod(queryFile))) return asItIs;
  return { text: queryForRange(queryFile, days, !calendarKnown), days };
}

/** True if the query names a period such as LAST_7_DAYS. The service computes the days of a period by its own clock. */
export function namesPeriod({ tree }: QueryFile, text?: string): boolean {
  return tree.where.some(
    (condition) => condition.operator === 'DURING' && (text === undefined || text.includes(printCondition(condition))),
  );
}

/** Refusals that concern the whole account. Source: `AuthorizationErrorEnum` and `AuthenticationErrorEnum`. */
const OF_THE_ACCOUNT =
  /^(authenticationError\.\w+|authorizationError\.(USER_PERMISSION_DENIED|CUSTOMER_NOT_ENABLED|DEVELOPER_TOKEN_\w+|NOT_ADS_USER|PROJECT_DISABLED|MISSING_TOS|INCOMPLETE_SIGNUP|CLOUD_PROJECT_NOT_\w+|ORGANIZATION_NOT_\w+))$/;

export function refusesAccount({ httpStatus, details }: ApiError): boolean {
  if (httpStatus === 401) return true;
  if (httpStatus !== 403) return false;
  const codes = details.flatMap(({ code }) => code ?? []);
  // A refusal without a code may concern the whole account.
  return codes.length === 0 || codes.some((code) => OF_THE_ACCOUNT.test(code));
}

interface Quota {
  /** Why no request is allowed any more. */
  refused(): string | undefined;
  /** Accounts for which the service accepted no more requests. */
  readonly gaveUp: ReadonlySet<CustomerId>;
  /** Returns the reason if no further request is allowed. Otherwise counts one operation. */
  take(): string | undefined;
  /** Returns the reason if the account must stop. For some errors, the whole run stops too. */
  refuse(error: ApiError, customerId: CustomerId, lastTry: boolean): string | undefined;
  /** Sets operations aside for another process. Returns their number, at most `wanted`, or undefined without a limit. */
  reserve(wanted: number): number | undefined;
  release(reserved: number | undefined): void;
  /** Takes over the refusals that another process got. */
  hear(answer: Pick<AccountAnswer, 'refused' | 'gaveUp'>): void;
}

/** The run stops after this many refused accounts. A single account may have its own limit. */
const ACCOUNTS_GIVEN_UP_MAX = 3;
const DAILY_QUOTA = 'quotaError.RESOURCE_EXHAUSTED';

/** `limit` is the limit of a day, for messages, and `left` what is left of it. */
function createQuota(
  ads: AdsConnection,
  { limit, left }: { limit: number | undefined; left: number | undefined },
): Quota {
  const sentBefore = ads.operations.count;
  let taken = 0;
  let reserved = 0;
  let refused: string | undefined;
  const given = new Set<CustomerId>();
  // The higher number counts, because each number can lack operations.
  const unused = () =>
    left === undefined ? undefined : left - (Math.max(ads.operations.count, sentBefore + taken) + reserved);
  const giveUp = (customerId: CustomerId, words: string) => {
    given.add(customerId);
    if (given.size >= ACCOUNTS_GIVEN_UP_MAX) refused ??= words;
  };
  return {
    refused: () => refused,
    gaveUp: given,
    take() {
      if (refused !== undefined) return refused;
      if ((unused() ?? 1) <= 0) {
        return `the ${limit} operations of ads.access were used up in the last 24 hours`;
      }
      taken += 1;
      return undefined;
    },
    refuse({ retryAfterMs = 0, httpStatus, status, details }, customerId, lastTry) {
      if (httpStatus !== 429 && status !== 'RESOURCE_EXHAUSTED') return undefined;
      if (retryAfterMs > ads.retry.totalMs) {
        refused ??= `the service asks for a pause of ${hoursText(retryAfterMs)} (${status})`;
      } else if (details.some(({ code }) => code === DAILY_QUOTA)) {
        refused ??= `the service reports that the daily quota is used up (${status})`;
      } else if (lastTry) {
        giveUp(customerId, `the service accepts no more requests for now (${status})`);
        return refused ?? `the service accepts no more requests for the account for now (${status})`;
      } else return undefined;
      return refused;
    },
    reserve(wanted) {
      const most = refused === undefined ? unused() : 0;
      const granted = most === undefined ? undefined : Math.max(0, Math.min(wanted, most));
      reserved += granted ?? 0;
      return granted;
    },
    release(operations = 0) {
      reserved -= operations;
    },
    hear(answer) {
      refused ??= answer.refused;
      for (const customerId of answer.gaveUp) giveUp(customerId, 'the service accepts no more requests for now');
    },
  };
}

function hoursText(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
