import type { NotificationPolicy } from '../../alerts/decide-notification.ts';
import { addDays, type CivilDate, type DateRange, daysOf } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { Micros } from '../../domain/micros.ts';
import { rational } from '../../domain/rational.ts';
import { grouped } from '../../domain/wording.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { SimulatedAlert } from '../../language/results/simulation-result.ts';
import type { Decision } from '../../language/rules/decide/decision.ts';
import type { RefusalCode } from '../../language/rules/decide/refusal.ts';
import { daysUntilComplete, type Rule } from '../../language/rules/rule.ts';
import {
  type DayOutcome,
  TrialAccount,
  type TrialBounds,
  type TrialDay,
  tryDay,
} from '../../language/trial/trial-account.ts';
import type { Budget } from '../market/market.ts';
import type { SimulatedMarket } from '../market/simulated-market.ts';
import { looksAtToday, SimulatedTable } from './simulated-table.ts';
import { type DayTotals, spendDay } from './spent-day.ts';
import { ToldConditions } from './told-conditions.ts';

export interface SimulationInput {
  readonly market: SimulatedMarket;
  readonly rules: readonly Rule[];
  /** The key is the name of the table that the query fills. */
  readonly queries: ReadonlyMap<string, QueryFile>;
  /** Days without changes before `days`, so that rules find past numbers. */
  readonly warmup: DateRange | undefined;
  readonly days: DateRange;
  readonly bounds: TrialBounds;
  readonly holidays: ReadonlySet<CivilDate>;
  /** Number of days after which the conversions of a day are complete. */
  readonly conversionDays: number;
  readonly policy: NotificationPolicy;
  /** The day on which a budget change takes effect. */
  readonly changesCount: 'same_day' | 'next_day';
}

/** `amounts` are the daily budgets, in micros. */
export interface SimulatedDay {
  readonly spent: DayTotals;
  readonly amounts: readonly Micros[];
}

type Changed = Extract<Decision, { kind: 'change' }>;

export interface RuledDay extends SimulatedDay {
  readonly changes: readonly Changed[];
  readonly told: readonly SimulatedAlert[];
}

export interface RuleTally {
  fired: number;
  changes: number;
  readonly refused: Map<RefusalCode, number>;
  notEvaluated: number;
  notEvaluatedWhy: string | undefined;
}

export interface Simulation {
  readonly with: readonly RuledDay[];
  readonly without: readonly SimulatedDay[];
  readonly tallies: ReadonlyMap<Rule, RuleTally>;
}

/** Rules that use today's numbers see three quarters of the day, the state at 18:00. */
const LOOKED_AT = rational(3n, 4n);

/** Simulates the same market with and without rules. */
export function simulateAccount(input: SimulationInput): Simulation {
  const { market, warmup, days } = input;
  const first = warmup?.from ?? days.from;
  const account = trialAccount(input);
  const tables = tablesOf(input, first);
  const base = ({ baseAmount }: Budget) => baseAmount;
  for (const day of warmup === undefined ? [] : daysOf(warmup)) {
    const spent = spendDay(market, day, base);
    for (const table of tables.values()) table.add(spent, base);
  }
  const now = (budget: Budget) => account.amountOf(budget.id) ?? budget.baseAmount;
  const conditions = new ToldConditions(input.policy);
  const tallies = new Map(input.rules.map((rule): [Rule, RuleTally] => [rule, newTally()]));
  const withRules: RuledDay[] = [];
  const late = input.rules.filter((rule) => looksAtToday(rule, days.from));
  const early = input.rules.filter((rule) => !late.includes(rule));
  for (const today of daysOf(days)) {
    const before = new Map(market.account.budgets.map((budget) => [budget, now(budget)]));
    const held = (budget: Budget) =>
      input.changesCount === 'same_day' ? now(budget) : (before.get(budget) ?? now(budget));
    const look = (rules: readonly Rule[], readToday: boolean): readonly SimulatedAlert[] => {
      const outcome = tryDay(
        rules,
        account,
        today,
        seenOn(tables, { today, first, readToday, holidays: input.holidays, conversionDays: input.conversionDays }),
        conditions.keep,
      );
      tallyUp(tallies, outcome);
      for (const decision of outcome.decisions) if (decision.kind === 'change') changes.push(decision);
      return conditions.tell(today, outcome);
    };
    const changes: Changed[] = [];
    const told = [...look(early, false)];
    const spent = spendDay(market, today, held);
    for (const table of tables.values()) table.add(spent, now);
    if (late.length > 0) {
      for (const table of tables.values()) table.seePartOf(today, LOOKED_AT);
      told.push(...look(late, true));
      for (const table of tables.values()) table.seePartOf(today, undefined);
    }
    withRules.push({ spent: spent.totals, amounts: market.account.budgets.map(held), changes, told });
  }
  const amounts = market.account.budgets.map(base);
  const without = daysOf(days).map((day) => ({ spent: spendDay(market, day, base).totals, amounts }));
  return { with: withRules, without, tallies };
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
      conversionDays: days,
      readToday,
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

function trialAccount({ market: { account }, bounds }: SimulationInput): TrialAccount {
  const names = new Map(account.campaigns.map(({ id, name }) => [id, name]));
  const budgets = account.budgets.map(({ id, baseAmount, campaignIds }) => ({
    budgetId: id,
    amount: baseAmount,
    campaigns: campaignIds.map((campaign) => ({ id: campaign, name: names.get(campaign) })),
  }));
  return new TrialAccount({ customerId: account.customerId, currency: account.currency, budgets, bounds });
}

export const newTally = (): RuleTally => ({
  fired: 0,
  changes: 0,
  refused: new Map(),
  notEvaluated: 0,
  notEvaluatedWhy: undefined,
});

function tallyUp(tallies: ReadonlyMap<Rule, RuleTally>, { evaluations, decisions }: DayOutcome): void {
  for (const [rule, evaluation] of evaluations) {
    const tally = tallies.get(rule);
    if (tally === undefined) continue;
    if (evaluation.kind === 'evaluated') tally.fired += evaluation.counts.true;
    else {
      tally.notEvaluated += 1;
      tally.notEvaluatedWhy ??= evaluation.reason;
    }
  }
  for (const decision of decisions) {
    const tally = tallies.get(decision.request.rule);
    if (tally === undefined) continue;
    if (decision.kind === 'change') tally.changes += 1;
    else {
      const { code } = decision.refusal;
      tally.refused.set(code, (tally.refused.get(code) ?? 0) + 1);
    }
  }
}
