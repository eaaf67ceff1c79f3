import { addDays, type CivilDate, type DateRange, daysOf } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import { rational } from '../../domain/rational.ts';
import { grouped } from '../../domain/wording.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { NotificationPolicy } from '../../language/rules/decide-notification.ts';
import { daysUntilComplete, type Rule } from '../../language/rules/rule.ts';
import { Conditions } from '../../language/trial/conditions.ts';
import {
  type DecideOnDay,
  runTrials,
  type Trial,
  type TrialMoment,
  type TrialOrder,
} from '../../language/trial/run-trial.ts';
import { TrialAccount, type TrialBounds, type TrialDay } from '../../language/trial/trial-account.ts';
import { LABELS } from '../ads/account-tree.ts';
import { labelPath } from '../ads/fields.ts';
import type { Budget } from '../market/market.ts';
import type { SimulatedMarket } from '../market/simulated-market.ts';
import { looksAtToday, SimulatedTable } from './simulated-table.ts';
import { type DayTotals, spendDay } from './spent-day.ts';

export interface SimulationInput {
  readonly market: SimulatedMarket;
  /** Also the account's parts of targets. */
  readonly rules: readonly Rule[];
  /** The key is the name of the table that the query fills. */
  readonly queries: ReadonlyMap<string, QueryFile>;
  /** Days without changes before `days`, so that rules find past numbers. */
  readonly warmup: DateRange | undefined;
  readonly bounds: TrialBounds;
  readonly holidays: ReadonlySet<CivilDate>;
  /** Number of days after which the conversions of a day are complete. */
  readonly conversionDays: number;
  readonly policy: NotificationPolicy;
  /** The day on which a budget change takes effect. */
  readonly changesCount: 'same_day' | 'next_day';
}

export interface Simulation {
  readonly market: SimulatedMarket;
  readonly trial: Trial;
  readonly account: TrialAccount;
  readonly with: readonly DayTotals[];
  readonly without: readonly DayTotals[];
}

/** Rules that use today's numbers see three quarters of the day, the state at 18:00. */
const LOOKED_AT = rational(3n, 4n);
const LOOKED_AT_HOUR = 18;

/** Simulates the same market with and without rules. Accounts with common targets are simulated together. */
export async function simulateAccounts(
  inputs: readonly SimulationInput[],
  days: DateRange,
  decide: DecideOnDay,
): Promise<Simulation[]> {
  const begun = inputs.map((input) => beginSimulation(input, days));
  const trials = await runTrials(
    begun.map(({ order }) => order),
    daysOf(days),
    decide,
  );
  return begun.flatMap(({ market, order, withRules }, place) => {
    const trial = trials[place];
    const without = daysOf(days).map((day) => spendDay(market, day, base).totals);
    return trial === undefined ? [] : [{ market, trial, account: order.accounts.with, with: withRules, without }];
  });
}

const base = ({ baseAmount }: Budget): Budget['baseAmount'] => baseAmount;

function beginSimulation(input: SimulationInput, days: DateRange) {
  const { market, warmup, rules, holidays, conversionDays, policy } = input;
  const first = warmup?.from ?? days.from;
  const accounts = { with: trialAccount(input), without: trialAccount(input) };
  const tables = tablesOf(input, first);
  for (const day of warmup === undefined ? [] : daysOf(warmup)) {
    const spent = spendDay(market, day, base);
    for (const table of tables.values()) table.add(spent, base);
  }
  const now = (budget: Budget) => accounts.with.amountOf(budget.id) ?? budget.baseAmount;
  const late = rules.filter((rule) => looksAtToday(rule, days.from));
  const early = rules.filter((rule) => !late.includes(rule));
  const withRules: DayTotals[] = [];
  function* momentsOf(today: CivilDate): Generator<TrialMoment> {
    const seen = (readToday: boolean) => seenOn(tables, { today, first, readToday, holidays, conversionDays });
    const before = new Map(market.account.budgets.map((budget) => [budget, now(budget)]));
    yield { rules: early, dayOf: seen(false), how: 'known' };
    const held = (budget: Budget) =>
      input.changesCount === 'same_day' ? now(budget) : (before.get(budget) ?? now(budget));
    const spent = spendDay(market, today, held);
    for (const table of tables.values()) table.add(spent, now);
    withRules.push(spent.totals);
    if (late.length === 0) return;
    for (const table of tables.values()) table.seePartOf(today, LOOKED_AT);
    yield { rules: late, dayOf: seen(true), how: 'known' };
    for (const table of tables.values()) table.seePartOf(today, undefined);
  }
  const conditions = new Conditions(policy);
  const order: TrialOrder = { rules, accounts, momentsOf, conditions, refusals: false };
  return { market, order, withRules };
}

function seenOn(
  tables: ReadonlyMap<string, SimulatedTable>,
  about: Pick<TrialDay, 'today' | 'readToday' | 'holidays'> & { first: CivilDate; conversionDays: number },
): (rule: Rule) => TrialDay {
  const { today, first, readToday, holidays, conversionDays } = about;
  return (rule) => {
    const days = daysUntilComplete(rule, { table: 0, conversions: conversionDays });
    const lastSettled = addDays(today, -1 - days);
    return {
      today,
      lastSettled,
      settled: (day) => day >= first && day <= lastSettled,
      conversionDays: daysUntilComplete({ ...rule, usesConversions: true }, { table: 0, conversions: conversionDays }),
      readToday,
      hour: readToday ? LOOKED_AT_HOUR : undefined,
      holidays,
      members: (demand) => tableNamed(tables, rule.from).members(demand),
    };
  };
}

function tableNamed(tables: ReadonlyMap<string, SimulatedTable>, name: string): SimulatedTable {
  const table = tables.get(name);
  if (table === undefined) throw new InvariantError(`The simulation has no table ${name}.`);
  return table;
}

function tablesOf({ rules, queries, market }: SimulationInput, first: CivilDate): Map<string, SimulatedTable> {
  return new Map(
    grouped(rules, ({ from }) => from).flatMap((own): [string, SimulatedTable][] => {
      const query = queries.get(own[0]?.from ?? '');
      return query === undefined ? [] : [[query.name, new SimulatedTable(query, own, market, first)]];
    }),
  );
}

function trialAccount({ market: { account }, bounds }: Pick<SimulationInput, 'market' | 'bounds'>): TrialAccount {
  const names = new Map(account.campaigns.map(({ id, name }) => [id, name]));
  const budgets = account.budgets.map(({ id, baseAmount, campaignIds }) => ({
    budgetId: id,
    amount: baseAmount,
    campaigns: campaignIds.map((campaign) => ({ id: campaign, name: names.get(campaign) })),
  }));
  const labels = new Map(LABELS.map((label) => [label.name, [labelPath(account, label)]]));
  return new TrialAccount({ customerId: account.customerId, currency: account.currency, budgets, labels, bounds });
}
