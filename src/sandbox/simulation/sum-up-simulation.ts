import { type CivilDate, type DateRange, daysBetween } from '../../domain/civil-date.ts';
import {
  type AlertedBudget,
  addUp,
  type SimulatedAlert,
  type SimulatedBudget,
  type SimulatedDaySums,
  type SimulatedFuture,
  type SimulatedRule,
  type SimulatedSums,
  type SimulationResult,
} from '../../language/results/simulation-result.ts';
import { pacesOutside } from '../../language/rules/pacing/pace-words.ts';
import { type Mode, narrower, type Rule } from '../../language/rules/rule.ts';
import type { Account } from '../market/market.ts';
import {
  newTally,
  type RuledDay,
  type RuleTally,
  type SimulatedDay,
  type Simulation,
  type SimulationInput,
} from './simulate-account.ts';
import { looksAtToday } from './simulated-table.ts';

export interface SimulationSubject extends Pick<SimulationInput, 'market' | 'days' | 'warmup'> {
  readonly seed: number;
  readonly rules: readonly Rule[];
  readonly leftOut: ReadonlyMap<Rule, string>;
  /** The mode with the most rights that the settings allow. */
  readonly mode: Mode;
}

export function sumUpSimulation(simulation: Simulation, subject: SimulationSubject): SimulationResult {
  const { market, days, warmup, seed } = subject;
  const { account } = market;
  const told = simulation.with.flatMap((day) => day.told);
  const budgets = budgetsOf(account, simulation);
  const labels = new Map(budgets.map(({ budgetId, label }) => [budgetId, label]));
  const changes = simulation.with.flatMap((day) => day.changes.map((change) => ({ day: day.spent.date, change })));
  return {
    days,
    seed,
    market: market.identity,
    currency: account.currency,
    account: { customerId: account.customerId, name: account.name },
    dayCount: countOf(days),
    warmupCount: warmup === undefined ? 0 : countOf(warmup),
    with: futureOf(simulation.with, changes.length, told.length),
    without: futureOf(simulation.without, 0, 0),
    byDay: simulation.with.map((day, place) => ({
      date: day.spent.date,
      with: daySums(day),
      without: daySums(simulation.without[place] ?? day),
      changes: day.changes.length,
      alerts: day.told.length,
    })),
    budgets,
    rules: subject.rules.map((rule) =>
      ruleOf(rule, simulation.tallies.get(rule) ?? newTally(), told, subject.leftOut.get(rule)),
    ),
    changes: changes.map(({ day, change: { budgetId, from, to, limitedBy, reason, request } }) => ({
      day,
      budgetId,
      campaignId: request.subject.campaignId,
      subject: labels.get(budgetId) ?? request.subject.label,
      rule: request.rule.name,
      fromMicros: from,
      toMicros: to,
      limitedBy,
      reason,
    })),
    alerts: told,
    alerted: alertedBudgets(budgets, simulation.with),
    shocks: market.shocksWithin(days).map(({ campaign, kind, from, to }) => ({
      campaignId: campaign.id,
      campaignName: campaign.name,
      kind,
      from,
      to,
    })),
    notes: notesOf(subject),
  };
}

const countOf = ({ from, to }: DateRange): number => daysBetween(from, to) + 1;

const budgetOf = ({ amounts }: SimulatedDay): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

function daySums(day: SimulatedDay): SimulatedDaySums {
  return { ...addUp([day.spent]), budgetMicros: budgetOf(day) };
}

function futureOf(days: readonly SimulatedDay[], changes: number, alerts: number): SimulatedFuture {
  const last = days.at(-1);
  const sums = addUp(days.map(({ spent }) => spent));
  return { ...sums, changes, alerts, budgetMicrosEnd: last === undefined ? 0n : budgetOf(last) };
}

function budgetsOf(account: Account, { with: ruled, without }: Simulation): SimulatedBudget[] {
  const names = new Map(account.campaigns.map(({ id, name }) => [id, name]));
  return account.budgets.map(({ id, name, baseAmount, campaignIds }, place) => {
    const [only] = campaignIds;
    const changes = ruled.reduce((count, day) => count + changesOf(day, id), 0);
    return {
      budgetId: id,
      label: campaignIds.length === 1 && only ? (names.get(only) ?? name) : `${name} (${campaignIds.length} campaigns)`,
      fromMicros: baseAmount,
      toMicros: ruled.at(-1)?.amounts[place] ?? baseAmount,
      changes,
      with: sumsAt(ruled, place),
      without: sumsAt(without, place),
    };
  });
}

/** A longer list would be hard to read. */
const ALERTED_MAX = 4;

function alertedBudgets(budgets: readonly SimulatedBudget[], days: readonly RuledDay[]): AlertedBudget[] {
  const total = (budget: AlertedBudget) => budget.days.reduce((sum, { alerts }) => sum + alerts, 0);
  return budgets
    .map(({ budgetId, label }, place) => ({
      label,
      days: days.map(({ spent, told }) => ({
        spendMicros: spent.byBudget[place]?.spendMicros ?? 0n,
        alerts: told.filter((one) => one.budgetId === budgetId && !['change', 'resolved'].includes(one.kind)).length,
      })),
    }))
    .filter((budget) => total(budget) > 0)
    .toSorted((one, other) => total(other) - total(one))
    .slice(0, ALERTED_MAX);
}

const changesOf = ({ changes }: RuledDay, budget: string): number =>
  changes.filter(({ budgetId }) => budgetId === budget).length;

function sumsAt(days: readonly SimulatedDay[], place: number): SimulatedSums {
  return addUp(days.flatMap(({ spent }) => spent.byBudget[place] ?? []));
}

function ruleOf(
  { name }: Rule,
  { fired, changes, refused, notEvaluated, notEvaluatedWhy }: RuleTally,
  told: readonly SimulatedAlert[],
  leftOut: string | undefined,
): SimulatedRule {
  const refusedBy = [...refused].sort(([code, count], [other, most]) => most - count || (code < other ? -1 : 1));
  return {
    rule: name,
    fired,
    changes,
    refusedBy,
    leftOut,
    refused: refusedBy.reduce((sum, [, count]) => sum + count, 0),
    alerts: told.filter(({ rule }) => rule === name).length,
    notEvaluated,
    notEvaluatedWhy,
  };
}

function notesOf({ market, days, warmup, rules, leftOut, mode }: SimulationSubject): string[] {
  const taking = rules.filter((rule) => !leftOut.has(rule));
  return [
    ...taking.flatMap((rule) => {
      const outside = pacesOutside(rule, days);
      return outside === undefined ? [] : [`${rule.name} ${outside}. Set --from to another first day.`];
    }),
    ...modeNotes(taking, mode),
    ...(taking.some((rule) => looksAtToday(rule, days.from))
      ? ['Rules that read today read its numbers as of 18:00.']
      : []),
    warmupNote(days.from, warmup),
    'Both sides have the same demand and the same random numbers. A budget caps the cost. A larger budget brings no more clicks than there are searches.',
    ...(market.days === undefined
      ? []
      : ['The demand of each day comes from the file. The file lacks clicks that the budgets prevented at the time.']),
    ...(market.days !== undefined && market.simulatedCost
      ? ['The file has no costs, so the seed sets the cost of a click.']
      : []),
  ];
}

function modeNotes(taking: readonly Rule[], widest: Mode): string[] {
  const changing = taking.filter(({ change }) => change !== undefined);
  const effective = (mode: Mode) => changing.filter((rule) => narrower(rule.mode, widest) === mode);
  const suggested = effective('propose');
  const asked = effective('approve');
  const names = (rules: readonly Rule[]) => rules.map(({ name }) => name).join(', ');
  const real = [
    ...(suggested.length === 0 ? [] : [`changes of ${names(suggested)} would only be suggested`]),
    ...(asked.length === 0 ? [] : [`changes of ${names(asked)} would await approval`]),
  ];
  if (real.length === 0) return [];
  const held = changing.some(({ mode }) => narrower(mode, widest) !== mode);
  const why = held ? ` (automation.mode of the settings is ${widest})` : '';
  return [
    `The simulation makes all changes and ignores the modes of the rules. In real runs, ${real.join(', and ')}${why}.`,
  ];
}

function warmupNote(first: CivilDate, warmup: DateRange | undefined): string {
  if (warmup === undefined)
    return `There is no data before ${first}. A rule starts once every day of its windows has data.`;
  return `The ${countOf(warmup)} days before ${first}, with unchanged budgets, fill the windows of the rules.`;
}
