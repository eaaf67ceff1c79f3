import type { App } from '../app.ts';
import type { BudgetBook } from '../budgets/read-budgets.ts';
import { holidaysOf } from '../config/holidays-of.ts';
import { addDays, type CivilDate, type DateRange, daysOf } from '../domain/civil-date.ts';
import { calendarOf } from '../extract/day-state.ts';
import type { AccountBacktest } from '../report/backtest-result.ts';
import { planLasting } from '../rules/lasting.ts';
import type { Rule } from '../rules/rule.ts';
import { isReadByOthers, settledDays } from '../store/day-table.ts';
import { BacktestTally, type TrialRow } from '../trial/backtest-tally.ts';
import { TrialAccount } from '../trial/trial-account.ts';
import { type TrialDay, tryDay } from '../trial/try-day.ts';
import { changedIn } from './decision-results.ts';
import type { RunAccount } from './discover-accounts.ts';
import { pastBudgets } from './past-budgets.ts';
import { PastTable } from './past-table.ts';

/** What came of the rule for an account, and what is missing of its table. */
export interface Tried extends AccountBacktest {
  /** The oldest day that the rule looks at on the first of the days, where not all that it looks at is there. */
  readonly missingSince: CivilDate | undefined;
  /** Days are there that another text of the query read: it was changed since. */
  readonly hasOtherText: boolean;
}

/** The rule on each of the days, from the first that the table holds on: before it there is nothing to look at. */
export async function tryAccount(
  app: App,
  rule: Rule,
  { customerId, currency, timeZone, book }: RunAccount & { readonly timeZone: string; readonly book: BudgetBook },
  { days, refusals }: { readonly days: DateRange; readonly refusals: boolean },
): Promise<Tried> {
  const calendar = calendarOf(app.settings.extract, rule.from, timeZone);
  const { budgets, unreadable, byOthers } = await pastBudgets(app, book, customerId, days, rule, calendar.settleDays);
  const { dailyTotal: dailyTotalMax, dailyExposure: dailyExposureMax } = app.settings.accounts.get(customerId) ?? {};
  const bounds = { dailyTotalMax, dailyExposureMax };
  const trial = new TrialAccount({ customerId, currency, budgets, unreadable, bounds });
  const holidays = holidaysOf(app.settings, customerId);
  const query = { name: rule.from, text: rule.queryText };
  const { settled } = settledDays(app.state.connection, query, customerId);
  const lastSettled = addDays(days.from, -1 - calendar.settleDays);
  const morning = { today: days.from, lastSettled, settled: (day: CivilDate) => settled.has(day), readToday: false };
  const hasOtherText = isReadByOthers(app.state.connection, query, customerId);
  const tally = new BacktestTally(rule, { refusals });
  const begin = trial.totalAmount();
  const [known] = settled;
  const { before, tried } = splitAt(days, known);
  if (before !== undefined) tally.skip(before, whyNone(rule, known, hasOtherText));
  const foreign = [...byOthers].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [day, changes] of foreign) {
    if (tried !== undefined && day >= tried.from) break;
    for (const { budgetId, amount } of changes) trial.setByOthers(budgetId, amount, day);
  }
  const table = tried && new PastTable(app.state, rule, { trial, calendar, holidays }, tried);
  for (const today of tried === undefined ? [] : daysOf(tried)) {
    for (const { budgetId, amount } of byOthers.get(today) ?? []) trial.setByOthers(budgetId, amount, today);
    const seen = table?.on(today);
    if (seen === undefined) continue;
    tally.take(
      today,
      tryDay([rule], trial, today, () => seen.day, tally.keep),
      seen.how,
    );
  }
  const campaigns = trial.byCampaign();
  return {
    ...{ customerId, currency, sums: tally.sums(), budgets: { begin, end: trial.totalAmount() } },
    rows: tally.rows.map((row) => named(row, campaigns)),
    ...{ missingSince: missingSince(rule, { ...morning, holidays }), hasOtherText },
  };
}

/** The oldest day that the rule looks at on the day; undefined where all that it looks at is there. */
function missingSince(rule: Rule, day: Omit<TrialDay, 'members'>): CivilDate | undefined {
  const plan = planLasting(rule, { ...day, settled: () => true });
  const needed = [plan, ...plan.earlier].flatMap(({ days }) => days).sort();
  return needed.every(day.settled) ? undefined : needed[0];
}

/** The days before the first known one, and those from it on. */
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

/** A budget that a rule for an account decided on is known to people by its campaign, as in a report. */
function named(row: TrialRow, campaigns: ReturnType<TrialAccount['byCampaign']>): TrialRow {
  const { subject } = row;
  const budget = row.kind === 'alert' ? undefined : row.budgetId;
  const { subject: label, ...campaign } = changedIn({ campaigns }, subject, budget);
  return { ...row, subject: { ...subject, ...campaign, label } };
}
