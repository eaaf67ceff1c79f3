import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { alertSettings } from '../../config/alert-settings.ts';
import { boundsOfAccount, conversionDaysIn, holidaysOf } from '../../config/of-account.ts';
import { addDays, type CivilDate, type DateRange, daysBetween, startOfDayMs } from '../../domain/civil-date.ts';
import { InputError, InvariantError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { decideAll } from '../../engine/evaluate/decide-targets.ts';
import type { Inputs } from '../../engine/load-inputs.ts';
import type { SimulationResult } from '../../language/results/simulation-result.ts';
import type { NotificationPolicy } from '../../language/rules/decide-notification.ts';
import type { OfTargets } from '../../language/rules/pacing/evaluate-pace.ts';
import type { Mode, Rule } from '../../language/rules/rule.ts';
import { rateOn } from '../../language/targets/exchange-rates.ts';
import type { Target } from '../../language/targets/target.ts';
import type { DecideOnDay } from '../../language/trial/run-trial.ts';
import type { TrialBounds } from '../../language/trial/trial-account.ts';
import { billableUnit } from '../../sandbox/market/billable-units.ts';
import { heldMarket } from '../../sandbox/market/held-market.ts';
import { replayMarket } from '../../sandbox/market/replay-market.ts';
import {
  SEEDED_CUSTOMERS,
  type SimulatedChoice,
  type SimulatedMarket,
  simulatedMarket,
} from '../../sandbox/market/simulated-market.ts';
import { simulateAccounts } from '../../sandbox/simulation/simulate-account.ts';
import { whyLeftOut } from '../../sandbox/simulation/simulated-table.ts';
import { sumUpSimulation } from '../../sandbox/simulation/sum-up-simulation.ts';
import { sumUpTargets } from '../../sandbox/simulation/sum-up-targets.ts';
import { SIMULATE } from '../../views/simulate.ts';
import { count as counted } from '../../views/text/text-layout.ts';
import { shortCharts, shortSpendChart, simulationCharts } from '../../views/trial-charts.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn, printCharts } from '../cli/print-listing.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { SimulateOptions } from './simulate-command.ts';

/** A fixed day, because simulations ignore the machine's clock. */
const CHECKED_ON = civilDate('2026-01-01');

export async function runSimulate(app: CommandApp, options: SimulateOptions): Promise<void> {
  const { folder, settings, output } = app;
  for (const option of ['html', 'svg'] as const) refuseNoFolder(folder, options[option], `--${option}`);
  const nowMs = startOfDayMs(options.from ?? CHECKED_ON, 'UTC');
  const inputs = await chooseInputs({ ...app, clock: { now: () => nowMs } }, options);
  const { cooldownMs, repeatMs } = alertSettings(settings.alerts);
  const result = await simulate(inputs, {
    days: options.days,
    seed: options.seed ?? settings.sandbox.seed,
    shocks: options.shocks,
    customerId: options.customer,
    campaigns: options.campaigns,
    from: options.from,
    marketFile: options.market === undefined ? undefined : resolve(folder, options.market),
    changesCount: 'same_day',
    policy: { cooldownMs, repeatMs },
    mode: settings.automation.mode,
    holidaysOf: (customerId) => holidaysOf(settings, customerId),
    conversionDaysOf: (customerId) => conversionDaysIn(settings, customerId),
    boundsOf: (customerId, billedUnit) => boundsOfAccount(settings, customerId, billedUnit),
  });
  const written = await writePictures(result, options, folder);
  output.stdout.write(listingIn(options.format, SIMULATE, result, output));
  if (options.format !== 'table') return;
  if (result.with.changes > 0) await printCharts(output, [result], shortSpendChart);
  if (written.length > 0) {
    output.stdout.write(`\nFiles: ${written.map((path) => shownPath(folder, path)).join(', ')}\n`);
  }
}

async function writePictures(
  result: SimulationResult,
  { html, svg }: SimulateOptions,
  folder: string,
): Promise<string[]> {
  if (html === undefined && svg === undefined) return [];
  const { listingPage } = await import('../../views/kit/page.ts');
  const { dayPicture } = await import('../../views/html/chart/day-chart.ts');
  const { account, dayCount, market } = result;
  const page = () =>
    listingPage(SIMULATE, result, {
      title: 'Simulation: with and without the rules',
      description: 'The same simulated market, with and without the rules.',
      charts: simulationCharts(result),
    });
  const picture = () =>
    dayPicture(`${account.name}, ${counted(dayCount, 'simulated day')} of ${market}`, shortCharts(result));
  return [
    ...(html === undefined ? [] : [write(resolve(folder, html), page(), '--html')]),
    ...(svg === undefined ? [] : [write(resolve(folder, svg), picture(), '--svg')]),
  ];
}

function refuseNoFolder(folder: string, file: string | undefined, option: string): void {
  if (file === undefined || existsSync(dirname(resolve(folder, file)))) return;
  throw new InputError(`Cannot write ${resolve(folder, file)}: its folder does not exist.`, {
    nextStep: `Set ${option} to a file in an existing, writable folder.`,
  });
}

function write(path: string, text: string, option: string): string {
  try {
    writeFileSync(path, text);
    return path;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InputError(`Cannot write ${path}: found "${reason}".`, {
      nextStep: `Set ${option} to a file in an existing, writable folder.`,
      cause,
    });
  }
}

export interface SimulationOrder {
  readonly days: number;
  readonly seed: number;
  /** Undefined for a market made from the seed. */
  readonly marketFile: string | undefined;
  readonly customerId: CustomerId | undefined;
  readonly campaigns: number | undefined;
  /** Default: 2026-01-01. In a market file, the first day with enough earlier days. */
  readonly from: CivilDate | undefined;
  readonly shocks: boolean;
  readonly changesCount: 'same_day' | 'next_day';
  readonly policy: NotificationPolicy;
  readonly boundsOf: (customerId: CustomerId, billedUnit: Micros) => TrialBounds;
  readonly holidaysOf: (customerId: CustomerId) => ReadonlySet<CivilDate>;
  readonly conversionDaysOf: (customerId: CustomerId) => number;
  readonly mode: Mode;
}

const WARMUP_DAYS = 90;
const FIRST_DAY = civilDate('2026-01-01');

/** Throws `InputError` for conflicting options, unknown accounts, or too many days. */
export async function simulate(
  { queries, rules, targets, rates }: Pick<Inputs, 'queries' | 'rules' | 'targets' | 'rates'>,
  options: SimulationOrder,
): Promise<SimulationResult> {
  const market = await marketOf(options);
  const { days, warmup } = stretchesOf(market, options);
  refuseTooMuch(market, options.days);
  const byName = new Map(queries.map((query) => [query.name, query]));
  const markets = [market, ...marketsBeside(market, targets, options)];
  const marketsOf = new Map(markets.map((one) => [one.account.customerId, one]));
  const whyNot = (rule: Rule, customerId: CustomerId) => {
    const currency = marketsOf.get(customerId)?.account.currency;
    if (currency === undefined) return `account ${customerId} is not simulated`;
    return whyLeftOut(rule, byName.get(rule.from), currency, days.from);
  };
  const whyNotTarget = (target: Target) =>
    [...target.rules].map(([customerId, rule]) => whyNot(rule, customerId)).find((reason) => reason !== undefined);
  const played = targets.filter((target) => whyNotTarget(target) === undefined);
  const inputs = markets.map((one) => {
    const { customerId, currency } = one.account;
    const ofTargets = played.flatMap((target) => target.rules.get(customerId) ?? []);
    return {
      market: one,
      warmup,
      queries: byName,
      policy: options.policy,
      bounds: options.boundsOf(customerId, billableUnit(currency)),
      changesCount: options.changesCount,
      holidays: options.holidaysOf(customerId),
      conversionDays: options.conversionDaysOf(customerId),
      rules: [...rules.filter((rule) => whyNot(rule, customerId) === undefined), ...ofTargets],
    };
  });
  // Simulated days have no rates of their own, so the newest rates count on all days.
  const newest =
    rates
      .map(({ date }) => date)
      .sort()
      .at(-1) ?? days.from;
  const accounts = new Map(
    markets.map(({ account }) => [account.customerId, { currency: account.currency, failure: undefined }]),
  );
  const decided = new Map<CivilDate, ReadonlyMap<CustomerId, OfTargets>>();
  const decide: DecideOnDay = (today, answers) => {
    const ofDay = decideAll(played, accounts, answers, (from, to) => rateOn(newest, rates, from, to));
    decided.set(today, ofDay);
    return ofDay;
  };
  const [simulation, ...others] = await simulateAccounts(inputs, days, decide);
  if (simulation === undefined) throw new InvariantError('No account was simulated.');
  const { customerId } = market.account;
  const leftOut = new Map(rules.map((rule) => [rule, whyNot(rule, customerId)]));
  // A target has a row even if the account is no member.
  for (const target of targets) for (const rule of partIn(target, customerId)) leftOut.set(rule, whyNotTarget(target));
  return sumUpSimulation(simulation, {
    days,
    warmup,
    seed: options.seed,
    rules: leftOut,
    targets: sumUpTargets(decided, [simulation, ...others]),
    mode: options.mode,
  });
}

function partIn({ rules }: Target, customerId: CustomerId): readonly Rule[] {
  const own = rules.get(customerId);
  return own === undefined ? [...rules.values()].slice(0, 1) : [own];
}

/** The other accounts of the targets. A file or planned campaigns are a market of one account. */
function marketsBeside(
  { account }: SimulatedMarket,
  targets: readonly Target[],
  { marketFile, campaigns, seed, shocks }: SimulationOrder,
): SimulatedMarket[] {
  if (marketFile !== undefined || campaigns !== undefined) return [];
  const members = new Set(targets.flatMap(({ rules }) => [...rules.keys()]));
  return [...members]
    .filter((customerId) => customerId !== account.customerId && SEEDED_CUSTOMERS.includes(customerId))
    .map((customerId) => simulatedMarket(seed, { kind: 'seeded', customerId }, shocks));
}

async function marketOf(options: SimulationOrder): Promise<SimulatedMarket> {
  const { marketFile, seed, customerId, shocks } = options;
  if (marketFile !== undefined) {
    refuseBoth('--market', '--campaigns', options.campaigns);
    const market = heldMarket(await replayMarket(marketFile, seed), seed);
    if (customerId !== undefined && customerId !== market.account.customerId)
      refuseUnknown(customerId, [market.account.customerId]);
    return market;
  }
  return simulatedMarket(seed, choiceOf(options), shocks);
}

function choiceOf({ campaigns, customerId }: SimulationOrder): SimulatedChoice {
  if (campaigns !== undefined) {
    refuseBoth('--campaigns', '--customer', customerId);
    return { kind: 'planned', campaigns };
  }
  if (customerId !== undefined && !SEEDED_CUSTOMERS.includes(customerId)) refuseUnknown(customerId, SEEDED_CUSTOMERS);
  return { kind: 'seeded', customerId };
}

function refuseBoth(one: string, other: string, value: unknown): void {
  if (value === undefined) return;
  throw new InputError(`Conflicting options: ${one} and ${other} each name an account, expected one account.`, {
    nextStep: `Remove ${other} or ${one}.`,
  });
}

function refuseUnknown(customerId: CustomerId, known: readonly string[]): never {
  throw new InputError(`No such account in the market: found ${customerId}, expected one of ${known.join(', ')}.`, {
    nextStep: 'Set --customer to one of these accounts, or leave it out.',
  });
}

/** All sums stay in memory. A higher maximum would need over 1 GB. */
const CAMPAIGN_DAYS_MAX = 400_000;

function refuseTooMuch({ account }: SimulatedMarket, days: number): void {
  const campaigns = account.campaigns.length;
  const most = Math.floor(CAMPAIGN_DAYS_MAX / campaigns);
  if (days <= most) return;
  throw new InputError(
    `Simulation too large: found ${days} days of ${campaigns} campaigns, expected at most ${most} days.`,
    {
      nextStep: `Set --days to at most ${most}, or use fewer --campaigns.`,
    },
  );
}

function stretchesOf(
  { days: had, identity }: SimulatedMarket,
  { days: count, from }: SimulationOrder,
): { readonly days: DateRange; readonly warmup: DateRange | undefined } {
  if (had !== undefined && count > daysBetween(had.from, had.to) + 1) {
    const there = daysBetween(had.from, had.to) + 1;
    throw new InputError(`Too many days: found --days ${count}, but the ${identity} has only ${there} days.`, {
      nextStep: `Set --days to at most ${there}. The simulation uses only days of the file.`,
    });
  }
  const first = from ?? (had === undefined ? FIRST_DAY : firstWithin(had, count));
  const days = { from: first, to: addDays(first, count - 1) };
  if (had !== undefined && (days.from < had.from || days.to > had.to)) {
    const wanted = `${days.from} to ${days.to}`;
    throw new InputError(
      `Days out of range: found ${wanted}, but the ${identity} has the days ${had.from} to ${had.to}.`,
      {
        nextStep: 'Set fewer --days, or another first day with --from. The simulation uses only days of the file.',
      },
    );
  }
  const before = addDays(first, -WARMUP_DAYS);
  const start = had !== undefined && before < had.from ? had.from : before;
  return { days, warmup: start < first ? { from: start, to: addDays(first, -1) } : undefined };
}

function firstWithin({ from, to }: DateRange, count: number): CivilDate {
  const spare = daysBetween(from, to) + 1 - count;
  return addDays(from, Math.max(0, Math.min(WARMUP_DAYS, spare)));
}
