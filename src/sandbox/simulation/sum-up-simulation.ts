import { type CivilDate, type DateRange, daysBetween } from '../../domain/civil-date.ts';
import {
  type AlertedBudget,
  addUp,
  type SimulatedAlert,
  type SimulatedBudget,
  type SimulatedRule,
  type SimulatedSums,
  type SimulatedTarget,
  type SimulationResult,
} from '../../language/results/simulation-result.ts';
import { HOUR_UNKNOWN, usesHour } from '../../language/rules/evaluate/collect-values.ts';
import { pacesOutside } from '../../language/rules/pacing/pace-words.ts';
import { type Mode, narrower, type Rule } from '../../language/rules/rule.ts';
import { NO_SUMS, type TrialSums } from '../../language/trial/run-trial.ts';
import type { Account } from '../market/market.ts';
import type { SimulatedMarket } from '../market/simulated-market.ts';
import type { Simulation, SimulationInput } from './simulate-account.ts';
import { looksAtToday } from './simulated-table.ts';
import type { DayTotals } from './spent-day.ts';

export interface SimulationSubject extends Pick<SimulationInput, 'warmup'> {
  readonly days: DateRange;
  readonly seed: number;
  /** Text says why the rule was left out. */
  readonly rules: ReadonlyMap<Rule, string | undefined>;
  readonly targets: readonly SimulatedTarget[];
  /** The mode with the most rights that the settings allow. */
  readonly mode: Mode;
}

export function sumUpSimulation(simulation: Simulation, subject: SimulationSubject): SimulationResult {
  const { days, warmup, seed } = subject;
  const { market, trial } = simulation;
  const { account } = market;
  const alerts = trial.alerts.map(
    ({ rule, subject, ...alert }): SimulatedAlert => ({ ...alert, rule: rule.name, subject: subject.label }),
  );
  const changes = trialChanges(simulation);
  const budgets = budgetsOf(account, simulation, changes);
  const labels = new Map(budgets.map(({ budgetId, label }) => [budgetId, label]));
  const changesOf = Map.groupBy(changes, ({ day }) => day);
  const alertsOf = Map.groupBy(alerts, ({ day }) => day);
  const byDay = simulation.with.map((spent, place) => {
    const { date } = spent;
    const amounts = trial.byDay.get(date);
    return {
      date,
      with: { ...addUp([spent]), budgetMicros: amounts?.with ?? 0n },
      without: { ...addUp([simulation.without[place] ?? spent]), budgetMicros: amounts?.without ?? 0n },
      changes: changesOf.get(date)?.length ?? 0,
      alerts: alertsOf.get(date)?.length ?? 0,
    };
  });
  const future = (side: 'with' | 'without') => ({
    ...addUp(simulation[side]),
    budgetMicrosEnd: byDay.at(-1)?.[side].budgetMicros ?? 0n,
  });
  return {
    days,
    seed,
    market: market.identity,
    currency: account.currency,
    account: { customerId: account.customerId, name: account.name },
    dayCount: countOf(days),
    warmupCount: warmup === undefined ? 0 : countOf(warmup),
    with: { ...future('with'), changes: changes.length, alerts: alerts.length },
    without: { ...future('without'), changes: 0, alerts: 0 },
    byDay,
    budgets,
    rules: Array.from(subject.rules, ([rule, leftOut]) =>
      ruleOf(rule, trial.sums.get(rule.name) ?? NO_SUMS, alerts, leftOut),
    ),
    targets: subject.targets,
    changes: changes.map(({ day, budgetId, from, to, limitedBy, reason, request }) => ({
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
    alerts,
    alerted: alertedBudgets(budgets, simulation.with, alertsOf),
    shocks: market.shocksWithin(days).map(({ campaign, kind, from, to }) => ({
      campaignId: campaign.id,
      campaignName: campaign.name,
      kind,
      from,
      to,
    })),
    notes: notesOf(market, subject),
  };
}

const countOf = ({ from, to }: DateRange): number => daysBetween(from, to) + 1;

function trialChanges({ trial }: Simulation) {
  return trial.decisions.flatMap(({ day, decision }) => (decision.kind === 'change' ? [{ day, ...decision }] : []));
}

function budgetsOf(
  account: Account,
  simulation: Simulation,
  changes: ReturnType<typeof trialChanges>,
): SimulatedBudget[] {
  const names = new Map(account.campaigns.map(({ id, name }) => [id, name]));
  const changesOf = Map.groupBy(changes, ({ budgetId }) => budgetId);
  return account.budgets.map(({ id, name, baseAmount, campaignIds }, place) => {
    const [only] = campaignIds;
    return {
      budgetId: id,
      label: campaignIds.length === 1 && only ? (names.get(only) ?? name) : `${name} (${campaignIds.length} campaigns)`,
      fromMicros: baseAmount,
      toMicros: simulation.account.amountOf(id) ?? baseAmount,
      changes: changesOf.get(id)?.length ?? 0,
      with: sumsAt(simulation.with, place),
      without: sumsAt(simulation.without, place),
    };
  });
}

/** A longer list would be hard to read. */
const ALERTED_MAX = 4;

function alertedBudgets(
  budgets: readonly SimulatedBudget[],
  days: readonly DayTotals[],
  alertsOf: ReadonlyMap<CivilDate, readonly SimulatedAlert[]>,
): AlertedBudget[] {
  const total = (budget: AlertedBudget) => budget.days.reduce((sum, { alerts }) => sum + alerts, 0);
  return budgets
    .map(({ budgetId, label }, place) => ({
      label,
      days: days.map(({ date, byBudget }) => ({
        spendMicros: byBudget[place]?.spendMicros ?? 0n,
        alerts: (alertsOf.get(date) ?? []).filter(
          (one) => one.budgetId === budgetId && !['change', 'resolved'].includes(one.kind),
        ).length,
      })),
    }))
    .filter((budget) => total(budget) > 0)
    .toSorted((one, other) => total(other) - total(one))
    .slice(0, ALERTED_MAX);
}

function sumsAt(days: readonly DayTotals[], place: number): SimulatedSums {
  return addUp(days.flatMap(({ byBudget }) => byBudget[place] ?? []));
}

function ruleOf(
  { name }: Rule,
  { fired, changes, refused, notEvaluated }: TrialSums,
  alerts: readonly SimulatedAlert[],
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
    alerts: alerts.filter(({ rule }) => rule === name).length,
    notEvaluated: notEvaluated.reduce((sum, range) => sum + countOf(range), 0),
    notEvaluatedWhy: notEvaluated[0]?.reason,
  };
}

function notesOf(market: SimulatedMarket, { days, warmup, rules, mode }: SimulationSubject): string[] {
  const taking = [...rules].flatMap(([rule, leftOut]) => (leftOut === undefined ? [rule] : []));
  return [
    ...taking.flatMap((rule) => {
      const outside = pacesOutside(rule, days);
      return outside === undefined ? [] : [`${rule.name} ${outside}. Set --from to another first day.`];
    }),
    ...taking.flatMap((rule) =>
      usesHour(rule) && !looksAtToday(rule, days.from) ? [`${rule.name} ${HOUR_UNKNOWN}.`] : [],
    ),
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
