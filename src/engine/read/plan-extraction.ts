import { basename } from 'node:path';
import { chunksOf } from '../../domain/chunks.ts';
import {
  addDays,
  type CivilDate,
  type DateRange,
  daysBetween,
  daysOf,
  nextDay,
  overlapOf,
} from '../../domain/civil-date.ts';
import { InputError, unreachable } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { oldestDayOf, requestDaysMax } from '../../language/gaql/check/check-clauses.ts';
import { oldestKept, RETENTION_MONTHS } from '../../language/gaql/check/check-dates.ts';
import { resolveWindow } from '../../language/gaql/check/date-window.ts';
import {
  daysAsked,
  fixedToItsWindow,
  isCuttable,
  queryFingerprint,
} from '../../language/gaql/check/query-for-range.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { Rule } from '../../language/rules/rule.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { daysReadSince, type KnownDays, knownDays } from '../../storage/records/runs/account-days.ts';
import type { Account } from '../../storage/records/runs/account-table.ts';
import { endSlice, insertSlices, type PlannedSlice, unfinishedSlices } from '../../storage/records/runs/slice-table.ts';
import { hasDays } from '../../storage/warehouse/query-table.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { accountToday, calendarOf, lastSettledDay } from './day-state.ts';

export type ExtractionScope =
  /** The window of each query, and missing days before the window. */
  | { readonly kind: 'window' }
  | { readonly kind: 'range'; readonly range: DateRange }
  /** Slices that earlier runs planned but did not read. */
  | { readonly kind: 'resume'; readonly range: DateRange | undefined };

export interface Extraction {
  readonly queries: readonly QueryFile[];
  readonly rules: readonly Rule[];
  readonly accounts: readonly RunAccount[];
  readonly scope: ExtractionScope;
}

interface SlicePlan {
  readonly days: DateRange | undefined;
  /** True if the days equal the query's window, so that the query text can stay unchanged. */
  readonly isWindow: boolean;
}

export interface SliceToRead extends PlannedSlice, SlicePlan {
  readonly queryFile: QueryFile;
}

export interface AccountToRead {
  readonly account: RunAccount;
  readonly slices: readonly SliceToRead[];
  /** Accounts with a higher number are read first. */
  readonly worth: number;
}

interface QueryPlan {
  /** Unfinished slices of earlier runs that `slices` replaces. */
  readonly instead?: readonly PlannedSlice[];
  readonly query: QueryFile;
  readonly slices: readonly SlicePlan[];
  /** True if earlier runs should have read some of these days. */
  readonly missed: boolean;
}

/** Commits the plans before the first request. Accounts with rules come first. */
export async function planExtraction(
  app: App,
  runId: bigint,
  { queries, rules, accounts, scope }: Extraction,
): Promise<AccountToRead[]> {
  const expected = scope.kind === 'window';
  const nowMs = app.clock.now();
  if (scope.kind === 'range') sayWhatIsNotKept(app, queries, scope.range);
  const unfinished = scope.kind === 'resume' ? await unfinishedSlices(app.state.db, 'extract') : [];
  const works: { account: RunAccount; plans: QueryPlan[]; worth: number }[] = [];
  for await (const { account, known } of withKnownDays(app.state.db, scope.kind === 'range' ? [] : queries, accounts)) {
    const plans: QueryPlan[] = [];
    for (const query of queries) {
      const plan = await planOf(app, query, account, { scope, unfinished, known: known(query) });
      if (plan.slices.length === 0 && scope.kind === 'window')
        app.log.step(`${query.name}, account ${account.customerId}: no day to read yet`);
      if (plan.slices.length > 0) plans.push(plan);
    }
    if (plans.length > 0) works.push({ account, plans, worth: worthOf(account, plans, rules) });
  }
  works.sort((a, b) => b.worth - a.worth);
  return app.state.db.transaction().execute(async (trx) => {
    const wanted = works.flatMap(({ account: { customerId }, plans }) =>
      plans.flatMap(({ query, slices }) => {
        const asked = { query: query.name, queryText: queryFingerprint(query), queryFile: query };
        return slices.map((slice) => ({ runId, customerId, expected, ...asked, ...slice }));
      }),
    );
    const planned = Map.groupBy(await insertSlices(trx, wanted), ({ customerId }) => customerId);
    for (const { id } of works.flatMap(({ plans }) => plans.flatMap(({ instead = [] }) => instead))) {
      await endSlice(trx, id, { state: 'cut', startedMs: nowMs, endedMs: nowMs });
    }
    return works.map(({ account, worth }) => ({ account, slices: planned.get(account.customerId) ?? [], worth }));
  });
}

function sayWhatIsNotKept({ log, clock }: App, queries: readonly QueryFile[], range: DateRange): void {
  for (const { name, resource } of queries) {
    const oldest = oldestDayOf(resource, accountToday(undefined, clock.now()));
    if (oldest === undefined || range.from >= oldest) continue;
    log.warn(`${name}: the service keeps ${resource} since ${oldest}, so earlier days are not read.`);
  }
}

/** Each account can have days of several years, so only those of a few accounts are in memory. */
const KNOWN_AT_ONCE = 50;

export async function* withKnownDays<One extends Account>(
  db: StateDb | undefined,
  queries: readonly QueryFile[],
  accounts: readonly One[],
) {
  for (const some of chunksOf(accounts, KNOWN_AT_ONCE)) {
    const customers = some.map(({ customerId }) => customerId);
    const ofQueries = new Map<QueryFile, ReadonlyMap<CustomerId, KnownDays>>();
    for (const query of queries) {
      const asked = { name: query.name, text: queryFingerprint(query) };
      if (db !== undefined) ofQueries.set(query, await knownDays(db, asked, customers));
    }
    for (const account of some) {
      yield { account, known: (query: QueryFile) => ofQueries.get(query)?.get(account.customerId) ?? NOTHING_KNOWN };
    }
  }
}

const NOTHING_KNOWN: KnownDays = { firstDay: undefined, settled: new Set() };

interface Before {
  readonly scope: ExtractionScope;
  readonly unfinished: readonly PlannedSlice[];
  readonly known: KnownDays;
}

async function planOf(
  app: App,
  query: QueryFile,
  account: RunAccount,
  { scope, unfinished, known }: Before,
): Promise<QueryPlan> {
  switch (scope.kind) {
    case 'window':
      return windowOf(app, query, account, known);
    case 'range': {
      const today = accountToday(account.timeZone, app.clock.now());
      const days = overlapOf(scope.range, { from: scope.range.from, to: today });
      return { query, slices: days ? planRange(query, days, today) : [], missed: false };
    }
    case 'resume': {
      const left = unfinished.filter((one) => one.customerId === account.customerId && isOf(query, one));
      if (fixedToItsWindow(query) === undefined) {
        return { query, slices: await daysLeft(app, query, account, left, scope.range), missed: false };
      }
      if (left.length === 0 || scope.range) return { query, slices: [], missed: false };
      // A query with a fixed window cannot be read for other days, so today's window replaces unfinished slices.
      return { ...windowOf(app, query, account, known), instead: left };
    }
    default:
      return unreachable(scope);
  }
}

export function isOf(query: QueryFile, slice: PlannedSlice): boolean {
  return slice.query === query.name && slice.queryText === queryFingerprint(query);
}

async function daysLeft(
  { state, clock }: App,
  query: QueryFile,
  { timeZone }: RunAccount,
  left: readonly PlannedSlice[],
  range: DateRange | undefined,
): Promise<readonly SlicePlan[]> {
  const days = new Set<CivilDate>();
  for (const slice of left) {
    const wanted = slice.days && (range ? overlapOf(slice.days, range) : slice.days);
    if (wanted === undefined) continue;
    const read = await daysReadSince(state.db, slice);
    for (const day of daysOf(wanted)) if (!read.has(day)) days.add(day);
  }
  const kept = stillKept(query, [...days].sort(), accountToday(timeZone, clock.now()));
  return cutDays(query, kept).map((part) => ({ days: part, isWindow: false }));
}

function windowOf(app: App, query: QueryFile, { timeZone }: RunAccount, known: KnownDays): QueryPlan {
  const nowMs = app.clock.now();
  const slices = planSlices(query, accountToday(timeZone, nowMs), known);
  // The newest final day does not count as missed, because the first run of each day reads it.
  const newest = lastSettledDay(nowMs, calendarOf(app.settings.extract, query.name, timeZone));
  const isMissed = (day: CivilDate) => day < newest && !known.settled.has(day);
  return { query, slices, missed: slices.some(({ days }) => days !== undefined && daysOf(days).some(isMissed)) };
}

function worthOf({ currency }: RunAccount, plans: readonly QueryPlan[], rules: readonly Rule[]): number {
  const isRuled = ({ query }: QueryPlan) =>
    rules.some(
      (rule) => rule.reads.some(({ name }) => name === query.name) && (rule.currency ?? currency) === currency,
    );
  return (plans.some(isRuled) ? 2 : 0) + (plans.some(({ missed }) => missed) ? 1 : 0);
}

/** Maximum number of days per request of a query that can be cut: the length of the longest named period. */
const SLICE_DAYS_MAX = 31;

/** Plans the query's window, and earlier days without final numbers. */
export function planSlices(query: QueryFile, today: CivilDate, known: KnownDays): SlicePlan[] {
  if (query.window === undefined) return [{ days: undefined, isWindow: true }];
  const window = resolveWindow(query.window, today);
  // If the window has no day yet, a query with days reads nothing. A table without days becomes empty.
  if (window === undefined) return hasDays(query) ? [] : [{ days: undefined, isWindow: true }];
  if (!isCuttable(query)) return [{ days: window, isWindow: true }];
  const asked = daysAsked(query, window, today);
  const isMoving = query.window.kind !== 'fixed' && asked.length === daysOf(window).length;
  const holes = isMoving ? stillKept(query, holesBefore(window.from, known), today) : [];
  return cutDays(query, [...holes, ...asked]).map((days) => ({
    days,
    isWindow: days.from === window.from && days.to === window.to,
  }));
}

export function planRange(query: QueryFile, range: DateRange, today: CivilDate): SlicePlan[] {
  const ranges = isCuttable(query) ? cutDays(query, stillKept(query, daysOf(range), today)) : [range];
  return ranges.map((days) => ({ days, isWindow: false }));
}

function holesBefore(end: CivilDate, { firstDay, settled }: KnownDays): CivilDate[] {
  if (firstDay === undefined || firstDay >= end) return [];
  return daysOf({ from: firstDay, to: addDays(end, -1) }).filter((day) => !settled.has(day));
}

/** The service refuses a request for days that it no longer keeps, so these would fail in each run. */
function stillKept({ resource }: QueryFile, days: readonly CivilDate[], today: CivilDate): readonly CivilDate[] {
  const oldest = oldestDayOf(resource, today);
  return oldest === undefined ? days : days.filter((day) => day >= oldest);
}

function cutDays({ resource }: QueryFile, days: readonly CivilDate[]): DateRange[] {
  const daysMax = requestDaysMax(resource) ?? SLICE_DAYS_MAX;
  const ranges: { from: CivilDate; to: CivilDate }[] = [];
  let length = 0;
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && length < daysMax && nextDay(last.to) === day) {
      last.to = day;
      length += 1;
    } else {
      ranges.push({ from: day, to: day });
      length = 1;
    }
  }
  return ranges;
}

/** Throws `InputError` for days outside the market file, because empty numbers would look real. */
export function refuseOtherDays(app: App, queries: readonly QueryFile[], scope: ExtractionScope): void {
  const { replayed, settings, clock } = app;
  if (replayed === undefined || scope.kind === 'resume') return;
  const { days } = replayed;
  const clockToSet = `Set PACEKEEPER_NOW=${addDays(days.to, 1)}T12:00:00Z, the day after the last day`;
  if (scope.kind === 'range') refuseBeyondRetention(scope.range, clock.now(), `${clockToSet}.`);
  const today = accountToday(replayed.timeZone, clock.now());
  const wanted = scope.kind === 'range' ? [scope.range] : windowsOf(queries, today);
  if (wanted.length === 0 || wanted.some((range) => overlapOf(range, days) !== undefined)) return;
  const first = wanted.map(({ from }) => from).sort()[0];
  const last = wanted
    .map(({ to }) => to)
    .sort()
    .at(-1);
  const asked = scope.kind === 'range' ? 'none from' : 'and the queries ask for';
  const isWithinReach = days.to < today && oldestKept(today) <= days.from;
  const range = `Give --from ${days.from} --to ${days.to}, or days within`;
  throw new InputError(
    `${basename(settings.sandbox.market ?? '')} has days from ${days.from} to ${days.to}, ${asked} ${first} to ${last}.`,
    { nextStep: scope.kind === 'range' && isWithinReach ? `${range}.` : `${clockToSet}.` },
  );
}

function windowsOf(queries: readonly QueryFile[], today: CivilDate): DateRange[] {
  return queries.flatMap(({ window }) => (window && resolveWindow(window, today)) ?? []);
}

/** Tolerance in days: the service can keep a little more than promised. */
const SLACK_DAYS = 7;

/** Throws `InputError` for days that the service no longer keeps. */
export function refuseBeyondRetention(range: DateRange | undefined, nowMs: number, nextStep?: string): void {
  if (range === undefined) return;
  const oldest = oldestKept(accountToday(undefined, nowMs));
  if (range.from >= addDays(oldest, -SLACK_DAYS)) return;
  const days = (daysBetween(range.from, range.to) + 1).toLocaleString('en-US');
  const beyond = daysBetween(range.from, range.to < oldest ? addDays(range.to, 1) : oldest).toLocaleString('en-US');
  throw new InputError(
    `Dates too old: found ${range.from} to ${range.to} (${days} days, ${beyond} of them too old), expected ${oldest} or later. The service keeps ${RETENTION_MONTHS} months.`,
    { nextStep: nextStep ?? `Give --from ${oldest} or a later day.` },
  );
}
