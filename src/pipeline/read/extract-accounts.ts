import pMap from 'p-map';
import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { App } from '../../app.ts';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { ApiError, explainAlike, explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { ASKED_TO_STOP, type Clock, type Log, type Progress } from '../../domain/ports.ts';
import { resolveWindow } from '../../gaql/check/date-window.ts';
import { fixedToItsWindow, isCuttable, queryForDay, queryForRange } from '../../gaql/check/query-for-range.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { printCondition } from '../../gaql/syntax/print-query.ts';
import { createPatience, mayRepeat, type Patience, retryDelayMs } from '../../http/retry.ts';
import type { SliceResult } from '../../results/report-result.ts';
import type { Rule } from '../../rules/rule.ts';
import { countOperations, operationsOfDay } from '../../store/runs/run-table.ts';
import { endSlice, insertSlices } from '../../store/runs/slice-table.ts';
import { type StateFile, withoutFlushing } from '../../store/sqlite/open-state.ts';
import { count, LINES_MAX } from '../../text/text-layout.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import { accountToday, calendarOf, type DayCalendar } from './day-state.ts';
import { extractSlice, notOffered, recordFailure, type Slice } from './extract-slice.ts';
import {
  type AccountToRead,
  type ExtractionScope,
  halve,
  planExtraction,
  type SliceToRead,
} from './plan-extraction.ts';

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

/** What became of one slice. */
type SliceOutcome = {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly days: DateRange | undefined;
} & (
  | { readonly kind: 'replaced'; readonly rows: bigint; readonly bytes: number }
  /** `alike`: the same words for the same failure of another request. */
  | { readonly kind: 'failed'; readonly failure: string; readonly alike: string }
  /** The service does not have the query's resource, in its own words; the slice is as it was. */
  | { readonly kind: 'not_offered'; readonly said: string }
  /** Not asked for in this run, and why; it stays planned. */
  | { readonly kind: 'left'; readonly stopped: boolean; readonly reason: string }
);

export interface Deps {
  readonly state: StateFile;
  readonly ads: AdsConnection;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  /** How much a slice may come to; the usual bound unless a test has a smaller one. */
  readonly sliceBytesMax?: number;
  readonly calendarOf: (query: string, timeZone: string | undefined) => DayCalendar;
  /**
   * `take` before each request: why none may be sent any more in this run, undefined while they may. `refuse` after each
   * that failed: why no more may be sent for this account, undefined while they may.
   */
  readonly quota: {
    take(): string | undefined;
    refuse(error: ApiError, customerId: CustomerId, lastTry: boolean): string | undefined;
  };
}

/**
 * Reads an account's slices one after the other. A failure that may pass is tried again, a slice whose stream broke off is
 * cut in two where it can be; `totalMs` of the policy bounds the time that all of this may cost the account together, and
 * then the rest of the account is left for the next run, as it is when the service refuses the account itself.
 */
async function extractAccount(deps: Deps, account: AccountToRead): Promise<SliceOutcome[]> {
  const { ads } = deps;
  const patience = createPatience(ads.retry, ads.pauses);
  const outcomes: SliceOutcome[] = [];
  const open = [...account.slices];
  let given: Leaving | undefined;
  for (let slice = open.shift(); slice; slice = open.shift()) {
    const { query, customerId, days } = slice;
    const about = { query, customerId, days };
    const leaving = given ?? leavingNow(deps);
    if (leaving !== undefined) {
      outcomes.push({ ...about, kind: 'left', ...leaving });
      deps.progress.slices(customerId, 1);
      continue;
    }
    const step = await readSlice(deps, account, slice, patience);
    if (step.kind === 'cut') {
      open.unshift(...step.halves);
      deps.progress.slices(customerId, 1 - step.halves.length);
    } else if (step.kind === 'left') {
      given = { stopped: step.stopped, reason: step.reason };
      open.unshift(slice);
    } else {
      outcomes.push({ ...about, ...step });
      deps.progress.slices(customerId, 1);
      if (step.kind === 'failed' && step.endsAccount)
        given = { stopped: false, reason: 'the account was given up for this run' };
    }
  }
  return outcomes;
}

type Step =
  | { readonly kind: 'replaced'; readonly rows: bigint; readonly bytes: number }
  | { readonly kind: 'failed'; readonly failure: string; readonly alike: string; readonly endsAccount: boolean }
  | { readonly kind: 'not_offered'; readonly said: string }
  | { readonly kind: 'cut'; readonly halves: readonly SliceToRead[] }
  /** The service wants no more requests for now, of the account or of anybody, or we do not: the slice stays planned. */
  | ({ readonly kind: 'left' } & Leaving);

/** Why slices are left for the next run. */
interface Leaving {
  /** The run was asked to stop. */
  readonly stopped: boolean;
  readonly reason: string;
}

const STOPPED: Leaving = { stopped: true, reason: ASKED_TO_STOP };

/** Why no request may be sent now; takes one of the quota where one may. */
function leavingNow({ ads, quota }: Deps): Leaving | undefined {
  if (ads.pauses.stop?.aborted) return STOPPED;
  const reason = quota.take();
  return reason === undefined ? undefined : { stopped: false, reason };
}

async function readSlice(deps: Deps, account: AccountToRead, planned: SliceToRead, patience: Patience): Promise<Step> {
  const { ads, clock, log, state } = deps;
  const calendar = deps.calendarOf(planned.query, account.timeZone);
  for (let attempt = 1; ; attempt++) {
    const slice = sliceOn(accountToday(account.timeZone, clock.now()), planned, calendar);
    const [startedMs, elapsedMs] = [clock.now(), ads.pauses.elapsedMs()];
    // Waiting until other accounts have written is nobody's failure.
    let waitedMs = 0;
    const onTurn = (milliseconds: number) => {
      waitedMs = milliseconds;
    };
    try {
      return { kind: 'replaced', ...(await extractSlice({ ...deps, onTurn }, slice)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Whatever it failed for: it stays planned, and nobody is to take it for a failure of the service.
      if (ads.pauses.stop?.aborted) return { kind: 'left', ...STOPPED };
      patience.spend(ads.pauses.elapsedMs() - elapsedMs - waitedMs);
      const refused = deps.quota.refuse(error, planned.customerId, false);
      if (refused !== undefined) return { kind: 'left', stopped: false, reason: refused };
      const halves =
        isTooMuch(error) && planned.days && isCuttable(planned.queryFile) ? halve(planned.days) : undefined;
      const delayMs = retryDelayMs(patience.policy, halves ? 1 : attempt, error.retryAfterMs);
      const again = halves !== undefined || (mayRepeat(error, 'read') && attempt < patience.policy.attempts);
      if (!again || !patience.allows(delayMs)) {
        const reason = deps.quota.refuse(error, planned.customerId, true);
        if (reason !== undefined) return { kind: 'left', stopped: false, reason };
        await recordFailure(state.db, clock, slice, startedMs, error);
        const offered = notOffered(error);
        if (offered !== undefined) return { kind: 'not_offered', said: offered };
        const said = { failure: explainFailure(error), alike: explainAlike(error) };
        return { kind: 'failed', ...said, endsAccount: endsAccount(error, patience) };
      }
      const then = halves ? 'Going on in two halves' : 'Trying again';
      log.warn(`${planned.query} of ${planned.customerId}: ${error.message} ${then} in ${delayMs / 1000} s.`);
      await patience.pause(delayMs);
      if (halves) return { kind: 'cut', halves: await cut(deps, planned, halves, startedMs, error) };
      const leaving = leavingNow(deps);
      if (leaving !== undefined) return { kind: 'left', ...leaving };
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
  { state, clock }: Deps,
  planned: SliceToRead,
  halves: readonly DateRange[],
  startedMs: number,
  error: ApiError,
): Promise<SliceToRead[]> {
  return state.db.transaction().execute(async (trx) => {
    await endSlice(trx, planned.id, { state: 'cut', startedMs, endedMs: clock.now(), error: explainFailure(error) });
    const { runId, query, queryText, customerId, expected } = planned;
    const rows = await insertSlices(
      trx,
      halves.map((days) => ({ runId, query, queryText, customerId, days, expected })),
    );
    return rows.map((row) => ({ ...row, queryFile: planned.queryFile, isWindow: false }));
  });
}

/** What is to be read. */
export interface SliceDays {
  readonly queryFile: QueryFile;
  readonly days: DateRange | undefined;
  /** The days are the query's own window, which may be sent as the file says it. */
  readonly isWindow: boolean;
}

/** What is sent, and the days that it asks for. Without a text there is nothing to ask for: the window holds no day. */
export interface SliceText {
  readonly text: string | undefined;
  readonly days: DateRange | undefined;
}

/**
 * The text for a slice on the account's `today`: as the file says it where that means these days today, with the days
 * written out otherwise, so that a slice which was planned before midnight is not shifted when it is read after. A query
 * that can only be asked as it is, because of a LIMIT, is asked for the days that it means today. Where the account's
 * calendar is not known the service's may be another, so the days are always written out, as a list.
 */
export function sliceText({ queryFile, days, isWindow }: SliceDays, today: CivilDate, calendarKnown = true): SliceText {
  if (queryFile.window === undefined) return { text: queryForDay(queryFile, today), days };
  const window = resolveWindow(queryFile.window, today);
  const asItIs = { text: window && queryForDay(queryFile, today), days: window };
  if (days === undefined || fixedToItsWindow(queryFile) !== undefined)
    return days === undefined ? { ...asItIs, days } : asItIs;
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
