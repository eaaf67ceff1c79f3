import { boundsOfAccount } from '../../config/bounds-of-account.ts';
import { holidaysOf } from '../../config/holidays-of.ts';
import { addDays, type CivilDate, civilDateAt, type DateRange, daysOf, instantText } from '../../domain/civil-date.ts';
import { ApiError, explainFailure, InputError } from '../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { UnreadableBudget } from '../../domain/unreadable-budget.ts';
import { findAccounts, type RunAccount, requireAds } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import { type BudgetBook, readBudgets } from '../../engine/budgets/read-budgets.ts';
import { unconcerned } from '../../engine/evaluate/evaluate-rules.ts';
import { changedIn } from '../../engine/evaluate/planned-decision.ts';
import { type Inputs, refuseAmbiguousMoney } from '../../engine/load-inputs.ts';
import { calendarOfRule, completeBy } from '../../engine/read/day-state.ts';
import type { AccountBacktest, BacktestResult } from '../../language/results/report-result.ts';
import { readsToday } from '../../language/rules/evaluate/collect-values.ts';
import { planLasting } from '../../language/rules/evaluate/lasting.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import { pacesOutside } from '../../language/rules/pacing/pace-words.ts';
import { LEARNED_DAYS } from '../../language/rules/pacing/plan-pace.ts';
import { type Rule, readByQuery } from '../../language/rules/rule.ts';
import { BacktestTally, type TrialRow } from '../../language/trial/backtest-tally.ts';
import { TrialAccount, type TrialBudget, type TrialDay, tryDay } from '../../language/trial/trial-account.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { changesSince, lastSet } from '../../storage/records/budgets/past-changes.ts';
import { isReadByOthers, settledDays } from '../../storage/records/runs/account-days.ts';
import { chooseInputs, ruleNamed } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { refuseReversed } from '../cli/common-options.ts';
import { printCharts } from '../cli/print-charts.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import { budgetsChart } from './backtest-chart.ts';
import { RULES_BACKTEST } from './backtest-view.ts';
import { PastTable } from './past-table.ts';
import type { BacktestOptions } from './rules-command.ts';

export async function runBacktest(app: CommandApp<'all'>, options: BacktestOptions): Promise<number> {
  refuseReversed(options);
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => backtest(opened, inputs, options));
  app.output.stdout.write(listingIn(options.format, RULES_BACKTEST, result, app.output));
  if (options.format === 'table') {
    const changed = result.trials.filter(({ sums }) => sums.changes > 0);
    await printCharts(app.output, changed, (trial) => budgetsChart(result, trial));
  }
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** Changes nothing. Throws `InputError` if no account or no day can be evaluated. */
async function backtest(app: App, inputs: Inputs, options: BacktestOptions): Promise<BacktestResult> {
  const { from, to, customer: customers = [], all: refusals = false } = options;
  const days = { from, to };
  const rule = ruleNamed(options.rule, inputs.rules, 'pacekeeper rules backtest cut-without-conversions');
  refuseToday(rule);
  const ads = requireAds(app, 'no rule can be tried');
  const accounts = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney({ ...inputs, rules: [rule] }, accounts.found);
  const trials: Tried[] = [];
  const outside = pacesOutside(rule, days);
  const notes: string[] = outside === undefined ? [] : [`${rule.name} ${outside}.`];
  const failures = [...accounts.failures];
  for (const account of accounts.found) {
    if (account.failure !== undefined) continue;
    const { customerId, timeZone } = account;
    const reason = unconcerned(rule, account);
    if (reason !== undefined || timeZone === undefined) {
      notes.push(`Account ${customerId} was skipped: ${reason}.`);
      continue;
    }
    refuseDaysAhead(days, customerId, timeZone, civilDateAt(app.clock.now(), timeZone));
    const book = await readBook(app, ads, customerId);
    if (typeof book === 'string') failures.push(book);
    else trials.push(await tryAccount(app, rule, { ...account, timeZone, book }, { days, refusals }));
  }
  if (failures.length === 0) refuseNothingTried(rule, days, accounts.found, trials);
  return {
    rule: describeRule(rule, app.settings.automation.mode),
    target: app.target,
    days,
    evaluatedAt: instantText(app.clock.now()),
    accounts: accounts.found,
    trials,
    notes,
    failures: failures.map(app.redact),
  };
}

async function readBook(app: App, ads: AdsConnection, customer: CustomerId): Promise<BudgetBook | string> {
  const declared = app.settings.budgets.get(customer) ?? new Map();
  try {
    return await readBudgets({ ads, db: app.state.db, clock: app.clock }, customer, declared);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `The budgets of account ${customer} cannot be read, so the rule was not tried: ${explainFailure(error)}`;
  }
}

export function refuseToday(rule: Rule): void {
  readByQuery(rule);
  if (!readsToday(rule)) return;
  throw new InputError(
    `Cannot backtest ${rule.name}: it uses today's numbers. pacekeeper does not record past numbers of an unfinished day.`,
    { nextStep: 'Run pacekeeper rules evaluate to see its result now.' },
  );
}

function refuseDaysAhead({ to }: DateRange, customer: CustomerId, timeZone: string, today: CivilDate): void {
  if (to < today) return;
  throw new InputError(
    `Found --to ${to}, expected a past day: in account ${customer} (${timeZone}) today is ${today}.`,
    { nextStep: `Set --to to ${addDays(today, -1)} or an earlier day.` },
  );
}

/** Throws if no day was evaluated, because zeros would look like a result. */
function refuseNothingTried(
  { name, from: table, currency }: Rule,
  { from, to }: DateRange,
  accounts: readonly RunAccount[],
  trials: readonly Tried[],
): void {
  if (trials.some(({ sums }) => sums.evaluated > 0)) return;
  const [first] = trials;
  if (first === undefined) {
    const known = accounts.map((account) => `${account.customerId} in ${account.currency ?? 'an unknown currency'}`);
    const found = accounts.length === 0 ? 'no account' : known.slice(0, 5).join(', ');
    throw new InputError(`Found ${found}, expected an account in ${currency ?? 'a known currency'} for ${name}.`, {
      nextStep: 'Run pacekeeper accounts to see all accounts with their currencies.',
    });
  }
  const { from: day, reason } = first.sums.notEvaluated[0] ?? { from, reason: 'no data' };
  throw new InputError(
    `No day from ${from} to ${to} can be evaluated for ${name}. Account ${first.customerId} on ${day}: ${reason}.`,
    {
      nextStep:
        first.missingSince === undefined
          ? 'Choose other days with --from and --to.'
          : `${first.hasOtherText ? `The query of ${table} has changed since it last read days. ` : ''}Run pacekeeper extract --query ${table} --from ${first.missingSince} --to ${to} to read the missing days.`,
    },
  );
}

interface Tried extends AccountBacktest {
  readonly missingSince: CivilDate | undefined;
  readonly hasOtherText: boolean;
}

async function tryAccount(
  app: App,
  rule: Rule,
  {
    customerId,
    currency,
    timeZone,
    budgetUnitMicros,
    book,
  }: RunAccount & { readonly timeZone: string; readonly book: BudgetBook },
  { days, refusals }: { readonly days: DateRange; readonly refusals: boolean },
): Promise<Tried> {
  const calendar = calendarOfRule(app.settings, rule, { customerId, timeZone });
  const { budgets, unreadable, byOthers } = await pastBudgets(app, book, customerId, days, rule, calendar.settleDays);
  const bounds = boundsOfAccount(app.settings, customerId, budgetUnitMicros);
  const about = { customerId, currency, budgets, unreadable, bounds };
  const trial = new TrialAccount(about);
  const untouched = new TrialAccount(about);
  const holidays = holidaysOf(app.settings, customerId);
  const query = readByQuery(rule);
  const settled = await settledDays(app.state.db, query, customerId, completeBy(rule, calendar));
  const lastSettled = addDays(days.from, -1 - calendar.settleDays);
  const morning = { today: days.from, lastSettled, settled: (day: CivilDate) => settled.has(day), readToday: false };
  const hasOtherText = await isReadByOthers(app.state.db, query, customerId);
  const tally = new BacktestTally(rule, { refusals });
  const begin = trial.totalAmount();
  const [known] = settled;
  const { before, tried } = splitAt(days, known);
  if (before !== undefined) tally.skip(before, whyNone(rule, known, hasOtherText));
  const changeByOthers = (day: CivilDate) => {
    for (const { budgetId, amount } of byOthers.get(day) ?? []) {
      for (const account of [trial, untouched]) account.setByOthers(budgetId, amount, day);
    }
  };
  for (const day of [...byOthers.keys()].sort()) {
    if (tried !== undefined && day >= tried.from) break;
    changeByOthers(day);
  }
  const table = tried && (await PastTable.open(app.state, rule, { trial, calendar, holidays }, tried));
  const byDay = new Map<CivilDate, { with: bigint; without: bigint }>();
  for (const today of tried === undefined ? [] : daysOf(tried)) {
    changeByOthers(today);
    const seen = await table?.on(today);
    if (seen === undefined) continue;
    tally.take(
      today,
      tryDay([rule], trial, today, () => seen.day, tally.keep),
      seen.how,
    );
    byDay.set(today, { with: trial.totalAmount(), without: untouched.totalAmount() });
  }
  const campaigns = trial.byCampaign();
  return {
    customerId,
    currency,
    sums: tally.sums(),
    budgets: { begin, end: trial.totalAmount() },
    byDay,
    rows: tally.rows.map((row) => named(row, campaigns)),
    missingSince: missingSince(rule, { ...morning, holidays }),
    hasOtherText,
  };
}

function missingSince(rule: Rule, day: Omit<TrialDay, 'members'>): CivilDate | undefined {
  const plan = planLasting(rule, { ...day, settled: () => true });
  const needed = [plan, ...plan.earlier].flatMap(({ days }) => days).sort();
  return needed.every(day.settled) ? undefined : needed[0];
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
  { state }: Pick<App, 'state'>,
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
