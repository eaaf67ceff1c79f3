import { boundsOfAccount, holidaysOf } from '../../config/of-account.ts';
import { addDays, type CivilDate, civilDateAt, type DateRange, daysOf } from '../../domain/civil-date.ts';
import type { DayCalendar } from '../../domain/complete-days.ts';
import { type BudgetId, type CustomerId, campaignId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { UnreadableBudget } from '../../domain/unreadable-budget.ts';
import type { AccountBacktest, PastSpend } from '../../language/results/report-result.ts';
import type { LabelsByName } from '../../language/rules/evaluate/evaluated-account.ts';
import { planLasting } from '../../language/rules/evaluate/lasting.ts';
import { COST } from '../../language/rules/evaluate/plan-rule.ts';
import { LEARNED_DAYS } from '../../language/rules/pacing/plan-pace.ts';
import { type Rule, readByQuery } from '../../language/rules/rule.ts';
import { Conditions } from '../../language/trial/conditions.ts';
import {
  type DecideOnDay,
  NO_SUMS,
  runTrials,
  type Trial,
  type TrialMoment,
  type TrialOrder,
  type TrialRow,
  trialRows,
} from '../../language/trial/run-trial.ts';
import { TrialAccount, type TrialBudget } from '../../language/trial/trial-account.ts';
import { changesSince, lastSet } from '../../storage/records/budgets/past-changes.ts';
import { isReadByOthers, settledDays } from '../../storage/records/runs/account-days.ts';
import type { Store } from '../../storage/warehouse/store.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { StateApp } from '../app.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { changedIn } from '../evaluate/planned-decision.ts';
import { calendarOfRule, completeBy } from '../read/day-state.ts';
import { openPastTable } from './past-table.ts';

export interface Past {
  readonly account: RunAccount & { readonly timeZone: string };
  readonly today: CivilDate;
  readonly calendar: DayCalendar;
  /** The number of days until conversions are complete. */
  readonly conversionDays: number;
  readonly holidays: ReadonlySet<CivilDate>;
  /** In ascending order. */
  readonly settled: ReadonlySet<CivilDate>;
}

export async function pastOf(app: StateApp, rule: Rule, account: Past['account']): Promise<Past> {
  const { customerId, timeZone } = account;
  const calendar = calendarOfRule(app.settings, rule, { customerId, timeZone });
  return {
    account,
    today: civilDateAt(app.clock.now(), timeZone),
    calendar,
    conversionDays: calendarOfRule(app.settings, { ...rule, usesConversions: true }, { customerId, timeZone })
      .settleDays,
    holidays: holidaysOf(app.settings, customerId),
    settled: await settledDays(app.state.db, readByQuery(rule), customerId, completeBy(rule, calendar)),
  };
}

/** From the first day whose numbers are all known to yesterday. `today` is for a trial without accounts. */
export function knownDays(rule: Rule, pasts: readonly Past[], today: CivilDate): DateRange {
  const to = addDays(earliest(pasts.map((past) => past.today)) ?? today, -1);
  return { from: earliest(pasts.flatMap((past) => firstKnown(rule, past, to) ?? [])) ?? to, to };
}

function firstKnown(rule: Rule, past: Past, to: CivilDate): CivilDate | undefined {
  const [known] = past.settled;
  if (known === undefined) return undefined;
  const isKnown = (day: CivilDate) => day >= known;
  return daysOf({ from: known, to }).find((day) => missingSince(rule, past, day, isKnown) === undefined);
}

function earliest(days: readonly CivilDate[]): CivilDate | undefined {
  return days.toSorted()[0];
}

export interface Tried extends AccountBacktest {
  readonly missingSince: CivilDate | undefined;
  readonly hasOtherText: boolean;
}

export interface AccountTry {
  readonly rule: Rule;
  readonly past: Past;
  readonly book: BudgetBook;
  readonly labels: LabelsByName | undefined;
}

export interface TryOptions {
  readonly days: DateRange;
  readonly refusals: boolean;
  /** For the accounts of a target. They are tried together, on days with data in each of them. */
  readonly decide?: DecideOnDay | undefined;
}

export async function tryAccounts(app: StateApp, tries: readonly AccountTry[], options: TryOptions): Promise<Tried[]> {
  const firsts = tries.map(({ past: { settled } }) => [...settled][0]);
  const known = firsts.includes(undefined) ? undefined : firsts.toSorted().at(-1);
  const { tried } = splitAt(options.days, known);
  const begun: Awaited<ReturnType<typeof beginTry>>[] = [];
  for (const one of tries) begun.push(await beginTry(app, one, known, options));
  const orders = begun.map(({ order }) => order);
  const trials = await runTrials(orders, tried === undefined ? [] : daysOf(tried), options.decide);
  return Promise.all(trials.flatMap((trial, place) => begun[place]?.sumUp(trial) ?? []));
}

async function beginTry(
  app: StateApp,
  { rule, past, book, labels }: AccountTry,
  known: CivilDate | undefined,
  { days, refusals }: TryOptions,
) {
  const { customerId, currency, budgetUnitMicros } = past.account;
  const { settleDays } = past.calendar;
  const { budgets, unreadable, byOthers } = await pastBudgets(app, book, customerId, days, rule, settleDays);
  const bounds = boundsOfAccount(app.settings, customerId, budgetUnitMicros);
  const about = { customerId, currency, budgets, unreadable, labels, bounds };
  const accounts = { with: new TrialAccount(about), without: new TrialAccount(about) };
  const begin = accounts.with.totalAmount();
  const hasOtherText = await isReadByOthers(app.state.db, readByQuery(rule), customerId);
  const { before, tried } = splitAt(days, known);
  const changeByOthers = (day: CivilDate) => {
    for (const { budgetId, amount } of byOthers.get(day) ?? []) {
      for (const account of [accounts.with, accounts.without]) account.setByOthers(budgetId, amount, day);
    }
  };
  for (const day of [...byOthers.keys()].sort()) {
    if (tried !== undefined && day >= tried.from) break;
    changeByOthers(day);
  }
  const seenOn = tried && (await openPastTable(app.state, rule, { ...past, trial: accounts.with }, tried));
  const amounts = new Map<CivilDate, ReturnType<TrialAccount['amountsBeside']>>();
  async function* momentsOf(today: CivilDate): AsyncGenerator<TrialMoment> {
    changeByOthers(today);
    const seen = await seenOn?.(today);
    if (seen === undefined) return;
    yield { rules: [rule], dayOf: () => seen.day, how: seen.how };
    amounts.set(today, accounts.with.amountsBeside(accounts.without));
  }
  const order: TrialOrder = { rules: [rule], accounts, momentsOf, conditions: new Conditions(ONCE), refusals };
  const sumUp = async (trial: Trial): Promise<Tried> => {
    const sums = trial.sums.get(rule.name) ?? NO_SUMS;
    const skipped = before === undefined ? [] : [{ ...before, reason: whyNone(rule, known, hasOtherText) }];
    const rows = trialRows(trial, rule);
    const campaigns = accounts.with.byCampaign();
    return {
      customerId,
      currency,
      sums: { ...sums, notEvaluated: [...skipped, ...sums.notEvaluated] },
      alerts: rule.change === undefined ? rows.length : undefined,
      budgets: { begin, end: accounts.with.totalAmount() },
      spend: await pastSpend(app.state, rule, accounts.with, amounts, past.settled),
      byDay: trial.byDay,
      rows: rows.map((row) => named(row, campaigns)),
      missingSince: missingSince(rule, past, days.from, (day) => past.settled.has(day)),
      hasOtherText,
    };
  };
  return { order, sumUp };
}

/** An alert when a condition begins, and no other. */
const ONCE = { cooldownMs: 0, repeatMs: Number.POSITIVE_INFINITY };

/** The first day that the rule would need on `today`, if such a day is missing. */
function missingSince(
  rule: Rule,
  { calendar: { settleDays }, holidays }: Pick<Past, 'calendar' | 'holidays'>,
  today: CivilDate,
  isKnown: (day: CivilDate) => boolean,
): CivilDate | undefined {
  const lastSettled = addDays(today, -1 - settleDays);
  const plan = planLasting(rule, { today, lastSettled, settled: () => true, readToday: false, holidays });
  const needed = [plan, ...plan.earlier].flatMap(({ days }) => days).sort();
  return needed.every(isKnown) ? undefined : needed[0];
}

function splitAt(
  { from, to }: DateRange,
  known: CivilDate | undefined,
): { readonly before: DateRange | undefined; readonly tried: DateRange | undefined } {
  if (known === undefined || known > to) return { before: { from, to }, tried: undefined };
  if (known <= from) return { before: undefined, tried: { from, to } };
  return { before: { from, to: addDays(known, -1) }, tried: { from: known, to } };
}

function whyNone({ from }: Rule, known: CivilDate | undefined, hasOtherText: boolean): string {
  if (known !== undefined) return `${from} holds no complete day before ${known}`;
  if (hasOtherText) return `${from} was read by an earlier version of its query`;
  return `${from} holds no complete day`;
}

function named(row: TrialRow, campaigns: ReturnType<TrialAccount['byCampaign']>): TrialRow {
  const { subject } = row;
  const budget = row.kind === 'alert' ? undefined : row.budgetId;
  const { subject: label, ...campaign } = changedIn({ campaigns }, subject, budget);
  return { ...row, subject: { ...subject, ...campaign, label } };
}

export interface PastBudgets {
  readonly budgets: readonly TrialBudget[];
  readonly unreadable: readonly UnreadableBudget[];
  readonly byOthers: ReadonlyMap<CivilDate, readonly { readonly budgetId: BudgetId; readonly amount: Micros }[]>;
}

/** Also returns later changes by others, because the trial replaces only changes by pacekeeper. */
export async function pastBudgets(
  { state }: Pick<StateApp, 'state'>,
  book: Pick<BudgetBook, 'amounts' | 'byCampaign' | 'removed' | 'unreadable'>,
  customer: CustomerId,
  { from, to }: DateRange,
  { limits }: Rule,
  settleDays: number,
): Promise<PastBudgets> {
  // Pacing needs the budgets of the weeks before the first day.
  const daysBack = Math.max(settleDays + 1 + LEARNED_DAYS, limits.cooldownDays ?? 0, limits.drift?.days ?? 0);
  const changes = await changesSince(state.db, customer, addDays(from, -daysBack));
  const ledger = await lastSet(state.db, customer);
  const campaignsOf = Map.groupBy(book.byCampaign, ([, { budgetId }]) => budgetId);
  const byOthers = new Map<CivilDate, { budgetId: BudgetId; amount: Micros }[]>();
  const budgets = [...book.amounts].map(([budgetId, amountNow]): TrialBudget => {
    const own = changes.get(budgetId) ?? [];
    const since = own.filter(({ day }) => day >= from);
    const campaigns = campaignsOf.get(budgetId) ?? [];
    for (const { day, by, to: amount } of since) {
      if (by === 'foreign' && day <= to) byOthers.set(day, [...(byOthers.get(day) ?? []), { budgetId, amount }]);
    }
    return {
      budgetId,
      // Recorded amounts are preferred: today's amount can include a change by others that is not recorded yet.
      amount: since[0]?.from ?? ledger.get(budgetId)?.to ?? amountNow,
      campaigns: campaigns.map(([id, { campaignName: name, campaignStatus: status }]) => ({ id, name, status })),
      removed: book.removed.has(budgetId),
      changes: own.filter(({ day }) => day < from),
    };
  });
  return { budgets, unreadable: [...book.unreadable.values()], byOthers };
}

type Amounts = ReturnType<TrialAccount['amountsBeside']>;

/**
 * Compares the recorded costs with the budgets of the trial, per budget and complete day. Recorded costs do not react.
 * So both results are bounds. A lower budget saves at most its reduction, and a higher budget adds at most its raise.
 * Undefined if the table has no cost per campaign.
 */
export async function pastSpend(
  { warehouse }: Store,
  rule: Rule,
  account: TrialAccount,
  amounts: ReadonlyMap<CivilDate, Amounts>,
  settled: ReadonlySet<CivilDate>,
): Promise<PastSpend | undefined> {
  const columnOf = (field: string) => rule.columns.find((column) => column.field === field)?.name;
  const campaign = columnOf('campaign.id');
  const cost = columnOf(COST);
  const [from, ...others] = amounts.keys();
  if (rule.change === undefined || campaign === undefined || cost === undefined || from === undefined) return undefined;
  const demand = {
    grain: 'campaign',
    ids: [campaign],
    metrics: [{ column: cost, type: 'INT64' }],
    attributes: [],
  } as const;
  const budgets = account.byCampaign();
  const costs = new Map<CivilDate, Map<BudgetId, bigint>>();
  const spentByDay = new Map<CivilDate, bigint>();
  const days = { from, to: others.at(-1) ?? from };
  for (const { day, ids, sums } of await warehouse.dayMembers(rule.from, account.customerId, demand, days)) {
    if (!settled.has(day)) continue;
    const own = sums[0] ?? 0n;
    spentByDay.set(day, (spentByDay.get(day) ?? 0n) + own);
    const budgetId = budgets.get(campaignId(String(ids[0])))?.budgetId;
    if (budgetId === undefined || !amounts.get(day)?.has(budgetId)) continue;
    const ofDay = costs.get(day) ?? new Map<BudgetId, bigint>();
    costs.set(day, ofDay.set(budgetId, (ofDay.get(budgetId) ?? 0n) + own));
  }
  let saved = 0n;
  let added = 0n;
  for (const [day, ofDay] of costs) {
    for (const [budgetId, own] of ofDay) {
      const amount = amounts.get(day)?.get(budgetId);
      if (amount === undefined) continue;
      if (amount.with > amount.without) added += own >= amount.without ? amount.with - amount.without : 0n;
      else if (own > amount.with) saved += least(own, amount.without) - amount.with;
    }
  }
  const spent = [...spentByDay.values()].reduce((sum, own) => sum + own, 0n);
  return { spent, spentByDay, saved, added };
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
