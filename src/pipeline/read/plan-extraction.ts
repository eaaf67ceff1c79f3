import type { App } from '../../app.ts';
import { type CivilDate, type DateRange, daysOf, overlapOf } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { fixedToItsWindow, questionOf } from '../../gaql/check/query-for-range.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import type { Rule } from '../../rules/rule.ts';
import { daysReadSince } from '../../store/runs/day-table.ts';
import { endSlice, insertSlices, type PlannedSlice, unfinishedSlices } from '../../store/runs/slice-table.ts';
import { settledDays } from '../../store/sqlite/account-days.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import { accountToday, calendarOf, lastSettledDay } from './day-state.ts';
import type { AccountToRead, SliceToRead } from './extract-account.ts';
import { cutDays, planRange, planSlices, type SlicePlan } from './plan-slices.ts';

/** Which days are to be read. */
export type ExtractionScope =
  /** Each query's own window, and the holes before it. */
  | { readonly kind: 'window' }
  | { readonly kind: 'range'; readonly range: DateRange }
  /** What earlier extractions had planned and did not do; of a range only what lies in it. */
  | { readonly kind: 'resume'; readonly range: DateRange | undefined };

interface QueryPlan {
  /** Unfinished slices that these take the place of. */
  readonly instead?: readonly PlannedSlice[];
  readonly query: QueryFile;
  readonly slices: readonly SlicePlan[];
  /** Days that earlier runs should have read are among them. */
  readonly missed: boolean;
}

/**
 * The slices of every account, written down before the first is asked for. Accounts come in the order of what reading them
 * is worth: those whose rules wait for missing days first, then those with rules, then those with missing days.
 */
export async function planExtraction(
  app: App,
  runId: bigint,
  queries: readonly QueryFile[],
  rules: readonly Rule[],
  accounts: readonly RunAccount[],
  scope: ExtractionScope,
): Promise<AccountToRead[]> {
  const [expected, nowMs] = [scope.kind === 'window', app.clock.now()];
  const unfinished = scope.kind === 'resume' ? await unfinishedSlices(app.state.db, 'extract') : [];
  const works: { account: RunAccount; plans: QueryPlan[]; worth: number }[] = [];
  for (const account of accounts) {
    const plans: QueryPlan[] = [];
    for (const query of queries) {
      const plan = await planOf(app, query, account, scope, unfinished);
      if (plan.slices.length === 0 && scope.kind === 'window')
        app.log.info(`${query.name}, account ${account.customerId}: no day to read yet`);
      if (plan.slices.length > 0) plans.push(plan);
    }
    if (plans.length > 0) works.push({ account, plans, worth: worthOf(account, plans, rules) });
  }
  works.sort((a, b) => b.worth - a.worth);
  return app.state.db.transaction().execute(async (trx) => {
    const planned: AccountToRead[] = [];
    for (const { account, plans } of works) {
      const { customerId, timeZone } = account;
      const wanted = plans.flatMap(({ query, slices }) => {
        const about = {
          runId,
          customerId,
          query: query.name,
          queryText: questionOf(query),
          queryFile: query,
          expected,
        };
        return slices.map((slice) => ({ ...about, ...slice }));
      });
      const slices: SliceToRead[] = await insertSlices(trx, wanted);
      for (const { id } of plans.flatMap(({ instead = [] }) => instead)) {
        await endSlice(trx, id, { state: 'cut', startedMs: nowMs, endedMs: nowMs });
      }
      planned.push({ customerId, timeZone, slices });
    }
    return planned;
  });
}

async function planOf(
  app: App,
  query: QueryFile,
  account: RunAccount,
  scope: ExtractionScope,
  unfinished: readonly PlannedSlice[],
): Promise<QueryPlan> {
  switch (scope.kind) {
    case 'window':
      return windowOf(app, query, account);
    case 'range': {
      const days = overlapOf(scope.range, {
        from: scope.range.from,
        to: accountToday(account.timeZone, app.clock.now()),
      });
      return { query, slices: days ? planRange(query, days) : [], missed: false };
    }
    case 'resume': {
      const left = unfinished.filter((one) => one.customerId === account.customerId && isOf(query, one));
      if (fixedToItsWindow(query) === undefined) {
        return { query, slices: await daysLeft(app, left, scope.range), missed: false };
      }
      // What can only be asked as it is was left by a window that has moved since: the one of today is read in its place.
      return left.length === 0 || scope.range
        ? { query, slices: [], missed: false }
        : { ...windowOf(app, query, account), instead: left };
    }
    default:
      return unreachable(scope);
  }
}

/** Whether the slice was planned for what the query asks now. */
export function isOf(query: QueryFile, slice: PlannedSlice): boolean {
  return slice.query === query.name && slice.queryText === questionOf(query);
}

/** Of unfinished slices the days that no other run has read since. */
async function daysLeft(
  { state }: App,
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
  return cutDays([...days].sort()).map((part) => ({ days: part, isWindow: false }));
}

function windowOf(app: App, query: QueryFile, { customerId, timeZone }: RunAccount): QueryPlan {
  const about = { name: query.name, text: questionOf(query) };
  const known = settledDays(app.state, about, customerId);
  const nowMs = app.clock.now();
  const slices = planSlices(query, accountToday(timeZone, nowMs), known);
  // The newest day that can be settled is missing at the first run of every day.
  const newest = lastSettledDay(nowMs, calendarOf(app.settings.extract, query.name, timeZone));
  const isMissed = (day: CivilDate) => day < newest && !known.settled.has(day);
  return { query, slices, missed: slices.some(({ days }) => days !== undefined && daysOf(days).some(isMissed)) };
}

function worthOf({ currency }: RunAccount, plans: readonly QueryPlan[], rules: readonly Rule[]): number {
  const isRuled = ({ query }: QueryPlan) =>
    rules.some((rule) => rule.from === query.name && (rule.currency ?? currency) === currency);
  return (plans.some(isRuled) ? 2 : 0) + (plans.some(({ missed }) => missed) ? 1 : 0);
}
