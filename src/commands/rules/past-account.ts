import { boundsOfAccount, holidaysOf } from '../../config/of-account.ts';
import { addDays, type CivilDate, civilDateAt, type DateRange, daysOf } from '../../domain/civil-date.ts';
import type { RunAccount } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import type { BudgetBook } from '../../engine/budgets/read-budgets.ts';
import { changedIn } from '../../engine/evaluate/planned-decision.ts';
import { calendarOfRule, completeBy, type DayCalendar } from '../../engine/read/day-state.ts';
import type { AccountBacktest } from '../../language/results/report-result.ts';
import { planLasting } from '../../language/rules/evaluate/lasting.ts';
import { type Rule, readByQuery } from '../../language/rules/rule.ts';
import { Conditions } from '../../language/trial/conditions.ts';
import { NO_SUMS, runTrial, type TrialMoment, type TrialRow, trialRows } from '../../language/trial/run-trial.ts';
import { TrialAccount } from '../../language/trial/trial-account.ts';
import { isReadByOthers, settledDays } from '../../storage/records/runs/account-days.ts';
import { pastBudgets } from './past-budgets.ts';
import { pastSpend } from './past-spend.ts';
import { PastTable } from './past-table.ts';

export interface Past {
  readonly account: RunAccount & { readonly timeZone: string };
  readonly today: CivilDate;
  readonly calendar: DayCalendar;
  readonly holidays: ReadonlySet<CivilDate>;
  /** In ascending order. */
  readonly settled: ReadonlySet<CivilDate>;
}

export async function pastOf(app: App, rule: Rule, account: Past['account']): Promise<Past> {
  const { customerId, timeZone } = account;
  const calendar = calendarOfRule(app.settings, rule, { customerId, timeZone });
  return {
    account,
    today: civilDateAt(app.clock.now(), timeZone),
    calendar,
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

export async function tryAccount(
  app: App,
  rule: Rule,
  past: Past,
  book: BudgetBook,
  { days, refusals }: { readonly days: DateRange; readonly refusals: boolean },
): Promise<Tried> {
  const { customerId, currency, budgetUnitMicros } = past.account;
  const { settleDays } = past.calendar;
  const { budgets, unreadable, byOthers } = await pastBudgets(app, book, customerId, days, rule, settleDays);
  const bounds = boundsOfAccount(app.settings, customerId, budgetUnitMicros);
  const about = { customerId, currency, budgets, unreadable, bounds };
  const accounts = { with: new TrialAccount(about), without: new TrialAccount(about) };
  const begin = accounts.with.totalAmount();
  const hasOtherText = await isReadByOthers(app.state.db, readByQuery(rule), customerId);
  const [known] = past.settled;
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
  const table = tried && (await PastTable.open(app.state, rule, { ...past, trial: accounts.with }, tried));
  const amounts = new Map<CivilDate, ReturnType<TrialAccount['amountsBeside']>>();
  async function* momentsOf(today: CivilDate): AsyncGenerator<TrialMoment> {
    changeByOthers(today);
    const seen = await table?.on(today);
    if (seen === undefined) return;
    yield { rules: [rule], dayOf: () => seen.day, how: seen.how };
    amounts.set(today, accounts.with.amountsBeside(accounts.without));
  }
  const trial = await runTrial({
    rules: [rule],
    days: tried === undefined ? [] : daysOf(tried),
    accounts,
    momentsOf,
    conditions: new Conditions(ONCE),
    refusals,
  });
  const sums = trial.sums.get(rule) ?? NO_SUMS;
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
