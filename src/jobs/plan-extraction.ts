import type { App } from '../app.ts';
import type { DateRange } from '../domain/civil-date.ts';
import { unreachable } from '../domain/errors.ts';
import { accountToday } from '../extract/day-state.ts';
import type { AccountToRead, SliceToRead } from '../extract/extract-account.ts';
import { planRange, planSlices, type SlicePlan } from '../extract/plan-slices.ts';
import { isCuttable, questionOf } from '../gaql/check/query-for-range.ts';
import type { QueryFile } from '../gaql/query-file.ts';
import type { Rule } from '../rules/rule.ts';
import { settledDays } from '../store/day-table.ts';
import { insertSlices, type PlannedSlice, unfinishedSlices } from '../store/slice-table.ts';
import type { RunAccount } from './discover-accounts.ts';

/** Which days are to be read. */
export type ExtractionScope =
  /** Each query's own window, and the holes before it. */
  | { readonly kind: 'window' }
  | { readonly kind: 'range'; readonly range: DateRange }
  /** What earlier extractions had planned and did not do; of a range only what lies in it. */
  | { readonly kind: 'resume'; readonly range: DateRange | undefined };

interface QueryPlan {
  readonly query: QueryFile;
  readonly slices: readonly SlicePlan[];
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
  const unfinished = scope.kind === 'resume' ? await unfinishedSlices(app.state.db, 'extract') : [];
  const works: { account: RunAccount; plans: QueryPlan[]; worth: number }[] = [];
  for (const account of accounts) {
    const plans: QueryPlan[] = [];
    for (const query of queries) {
      const slices = await slicesOf(app, query, account, scope, unfinished);
      if (slices.length === 0 && scope.kind === 'window')
        app.log.info(`${query.name}, account ${account.customerId}: no day to read yet`);
      if (slices.length > 0) plans.push({ query, slices });
    }
    if (plans.length > 0) works.push({ account, plans, worth: worthOf(account, plans, rules) });
  }
  works.sort((a, b) => b.worth - a.worth);
  return app.state.db.transaction().execute(async (trx) => {
    const planned: AccountToRead[] = [];
    for (const { account, plans } of works) {
      const { customerId, timeZone } = account;
      const wanted = plans.flatMap(({ query, slices }) => {
        const about = { runId, customerId, query: query.name, queryText: questionOf(query), queryFile: query };
        return slices.map((slice) => ({ ...about, ...slice }));
      });
      const slices: SliceToRead[] = await insertSlices(trx, wanted);
      planned.push({ customerId, timeZone, slices });
    }
    return planned;
  });
}

async function slicesOf(
  app: App,
  query: QueryFile,
  account: RunAccount,
  scope: ExtractionScope,
  unfinished: readonly PlannedSlice[],
): Promise<readonly SlicePlan[]> {
  switch (scope.kind) {
    case 'window':
      return windowOf(app, query, account);
    case 'range': {
      const days = within(scope.range, { from: scope.range.from, to: accountToday(account.timeZone, app.clock.now()) });
      return days.flatMap((slice) => (slice.days ? planRange(query, slice.days) : []));
    }
    case 'resume': {
      const text = questionOf(query);
      const left = unfinished.filter(
        (one) => one.query === query.name && one.customerId === account.customerId && one.queryText === text,
      );
      if (left.length === 0 || isCuttable(query)) return left.flatMap(({ days }) => within(days, scope.range));
      return windowOf(app, query, account);
    }
    default:
      return unreachable(scope);
  }
}

async function windowOf(app: App, query: QueryFile, { customerId, timeZone }: RunAccount): Promise<SlicePlan[]> {
  const about = { name: query.name, text: questionOf(query) };
  return planSlices(query, accountToday(timeZone, app.clock.now()), await settledDays(app.state.db, about, customerId));
}

function within(days: DateRange | undefined, range: DateRange | undefined): SlicePlan[] {
  if (days === undefined) return range === undefined ? [{ days, isWindow: true }] : [];
  const from = range && range.from > days.from ? range.from : days.from;
  const to = range && range.to < days.to ? range.to : days.to;
  return from <= to ? [{ days: { from, to }, isWindow: false }] : [];
}

function worthOf({ currency }: RunAccount, plans: readonly QueryPlan[], rules: readonly Rule[]): number {
  const isRuled = ({ query }: QueryPlan) =>
    rules.some((rule) => rule.from === query.name && (rule.currency ?? currency) === currency);
  const hasHoles = ({ slices }: QueryPlan) => slices.some(({ isWindow }) => !isWindow);
  return (plans.some(isRuled) ? 2 : 0) + (plans.some(hasHoles) ? 1 : 0);
}
