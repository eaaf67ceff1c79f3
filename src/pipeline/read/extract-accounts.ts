import pMap from 'p-map';
import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { App } from '../../app.ts';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { ApiError, explainAlike, explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { ASKED_TO_STOP } from '../../domain/ports.ts';
import { resolveWindow } from '../../gaql/check/date-window.ts';
import { fixedToItsWindow, isCuttable, queryForDay, queryForRange } from '../../gaql/check/query-for-range.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { printCondition } from '../../gaql/syntax/print-query.ts';
import { createPatience, mayRepeat, type Patience, retryDelayMs } from '../../http/retry.ts';
import type { SliceResult } from '../../results/report-result.ts';
import { countOperations, operationsOfDay } from '../../store/runs/run-table.ts';
import { endSlice, insertSlices } from '../../store/runs/slice-table.ts';
import { withoutFlushing } from '../../store/sqlite/open-state.ts';
import { count, LINES_MAX } from '../../text/text-layout.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import { accountToday, calendarOf, type DayCalendar } from './day-state.ts';
import { extractSlice, notOffered, recordFailure, type Slice } from './extract-slice.ts';
import { type AccountToRead, type Extraction, halve, planExtraction, type SliceToRead } from './plan-extraction.ts';

/**
 * Reads the slices of all accounts, several accounts at once. What fails leaves its slice as it was and stops nothing
 * else; what is not reached, because the service wants no more requests, stays planned.
 */
export async function extractAccounts(
  app: App,
  ads: AdsConnection,
  runId: bigint,
  extraction: Extraction,
): Promise<SliceResult[]> {
  const accounts = extraction.accounts.filter(({ failure }) => failure === undefined);
  const work = await planExtraction(app, runId, { ...extraction, accounts });
  const quota = await openQuota(app, ads);
  // A failure of our own, such as a full disk, ends the run; what other accounts have begun ends first.
  let fatal: { readonly error: unknown } | undefined;
  const take = () => (fatal ? 'the run is ended by a failure of its own' : quota.take());
  const reading: Reading = { ...app, ads, quota: { ...quota, take } };
  const planned = work.reduce((sum, { slices }) => sum + slices.length, 0);
  const read = async (one: AccountToRead): Promise<SliceResult[]> => {
    const { customerId, name } = one.account;
    app.progress.account(customerId, name, one.slices.length);
    try {
      const results = await extractAccount(reading, one);
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
  const { concurrency } = app.settings.extract;
  const reads = withoutFlushing(app.state, () => pMap(work, read, { concurrency }));
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

interface Reading extends App {
  readonly ads: AdsConnection;
  readonly quota: Quota;
}

/**
 * Reads an account's slices one after the other. A failure that may pass is tried again, a slice whose stream broke off is
 * cut in two where it can be; `totalMs` of the policy bounds the time that all of this may cost the account together, and
 * then the rest of the account is left for the next run, as it is when the service refuses the account itself.
 */
async function extractAccount(reading: Reading, { account, slices }: AccountToRead): Promise<SliceResult[]> {
  const { ads, progress } = reading;
  const { customerId } = account;
  const patience = createPatience(ads.retry, ads.pauses);
  const results: SliceResult[] = [];
  const open = [...slices];
  let restLeft: Leaving | undefined;
  for (let slice = open.shift(); slice; slice = open.shift()) {
    const leaving = restLeft ?? leavingNow(reading);
    const step: Step = leaving ? { kind: 'ended', came: leaving } : await readSlice(reading, account, slice, patience);
    if (step.kind === 'cut') {
      open.unshift(...step.halves);
      progress.slices(customerId, 1 - step.halves.length);
      continue;
    }
    restLeft ??= step.restLeft;
    results.push({ query: slice.query, customerId, days: slice.days, ...NOTHING_READ, ...step.came });
    progress.slices(customerId, 1);
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

/** Why slices stay planned, for the next run. */
type Leaving = Pick<SliceResult, 'left' | 'leftByStop'>;

const STOPPED: Leaving = { left: ASKED_TO_STOP, leftByStop: true };
const GIVEN_UP: Leaving = { left: 'the account was given up for this run', leftByStop: false };

/** Why no request may be sent now; takes one of the quota where one may. */
function leavingNow({ ads, quota }: Reading): Leaving | undefined {
  if (ads.pauses.stop?.aborted) return STOPPED;
  const left = quota.take();
  return left === undefined ? undefined : { left, leftByStop: false };
}

async function readSlice(
  reading: Reading,
  { timeZone }: RunAccount,
  planned: SliceToRead,
  patience: Patience,
): Promise<Step> {
  const { ads, clock, log, state, quota, settings } = reading;
  const { query, customerId, days, queryFile } = planned;
  const leave = (leaving: Leaving): Step => ({ kind: 'ended', came: leaving, restLeft: leaving });
  const calendar = calendarOf(settings.extract, query, timeZone);
  for (let attempt = 1; ; attempt++) {
    const slice = sliceOn(accountToday(timeZone, clock.now()), planned, calendar);
    const startedMs = clock.now();
    const elapsedMs = ads.pauses.elapsedMs();
    // Waiting until other accounts have written is nobody's failure.
    let waitedMs = 0;
    const onTurn = (milliseconds: number) => {
      waitedMs = milliseconds;
    };
    try {
      const { rows, bytes } = await extractSlice({ ...reading, onTurn }, slice);
      return { kind: 'ended', came: { rows, bytes } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Whatever it failed for: it stays planned, and nobody is to take it for a failure of the service.
      if (ads.pauses.stop?.aborted) return leave(STOPPED);
      patience.spend(ads.pauses.elapsedMs() - elapsedMs - waitedMs);
      const refused = quota.refuse(error, customerId, false);
      if (refused !== undefined) return leave({ left: refused, leftByStop: false });
      const halves = isTooMuch(error) && days && isCuttable(queryFile) ? halve(days) : undefined;
      const delayMs = retryDelayMs(patience.policy, halves ? 1 : attempt, error.retryAfterMs);
      const again = halves !== undefined || (mayRepeat(error, 'read') && attempt < patience.policy.attempts);
      if (!again || !patience.allows(delayMs)) {
        const left = quota.refuse(error, customerId, true);
        if (left !== undefined) return leave({ left, leftByStop: false });
        await recordFailure(state.db, clock, slice, startedMs, error);
        const offered = notOffered(error);
        if (offered !== undefined) return { kind: 'ended', came: { notOffered: offered } };
        const came = { failure: explainFailure(error), alike: explainAlike(error) };
        return { kind: 'ended', came, ...(endsAccount(error, patience) ? { restLeft: GIVEN_UP } : {}) };
      }
      const then = halves ? 'Going on in two halves' : 'Trying again';
      log.warn(`${query} of ${customerId}: ${error.message} ${then} in ${delayMs / 1000} s.`);
      await patience.pause(delayMs);
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

/** Answers that a smaller question may bring whole. Where requests are too many, two for one make it worse. */
function isTooMuch({ brokeOff, httpStatus }: ApiError): boolean {
  return (brokeOff && httpStatus !== 429) || httpStatus === 504;
}

/** The service refuses the account, or what the account may cost in time is spent. */
function endsAccount(error: ApiError, patience: Patience): boolean {
  return (
    refusesAccount(error) || ((error.transient || isTooMuch(error)) && !patience.allows(patience.policy.firstDelayMs))
  );
}

async function cut(
  { state, clock }: Reading,
  planned: SliceToRead,
  halves: readonly DateRange[],
  startedMs: number,
  error: ApiError,
): Promise<SliceToRead[]> {
  return state.db.transaction().execute(async (trx) => {
    await endSlice(trx, planned.id, { state: 'cut', startedMs, endedMs: clock.now(), error: explainFailure(error) });
    const parts = halves.map((days) => ({ ...planned, days, isWindow: false }));
    return insertSlices(trx, parts);
  });
}

/**
 * The text for a slice on the account's `today`: as the file says it where that means these days today, with the days
 * written out otherwise, so that a slice which was planned before midnight is not shifted when it is read after. A query
 * that can only be asked as it is, because of a LIMIT, is asked for the days that it means today. Where the account's
 * calendar is not known the service's may be another, so the days are always written out, as a list.
 */
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

/** Whether the service works out the days of the text by its own clock. */
export function namesPeriod({ tree }: QueryFile, text?: string): boolean {
  return tree.where.some(
    (condition) => condition.kind === 'during' && (text === undefined || text.includes(printCondition(condition))),
  );
}

/**
 * What the service says of the account, the credentials or the developer token, whatever is asked. Its other refusals,
 * such as METRIC_ACCESS_DENIED, are of the query alone. Names of `AuthorizationErrorEnum` and `AuthenticationErrorEnum`.
 */
const OF_THE_ACCOUNT =
  /^(authenticationError\.\w+|authorizationError\.(USER_PERMISSION_DENIED|CUSTOMER_NOT_ENABLED|DEVELOPER_TOKEN_\w+|NOT_ADS_USER|PROJECT_DISABLED|MISSING_TOS|INCOMPLETE_SIGNUP|CLOUD_PROJECT_NOT_UNDER_ORGANIZATION|ORGANIZATION_NOT_\w+))$/;

/** Whether the refusal is of the account itself, so that its other queries would be refused too. */
export function refusesAccount({ httpStatus, details }: ApiError): boolean {
  if (httpStatus === 401) return true;
  if (httpStatus !== 403) return false;
  const codes = details.flatMap(({ code }) => code ?? []);
  // One that does not say what it is about may be about all.
  return codes.length === 0 || codes.some((code) => OF_THE_ACCOUNT.test(code));
}

/** Whether the service may be asked for more in this run. */
interface Quota {
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
