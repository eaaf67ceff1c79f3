import { addDays, civilDateAt, type DateRange, instantText } from '../../domain/civil-date.ts';
import { ApiError, explainFailure, InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { findAccounts, type RunAccount, requireAds } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import { readBudgets } from '../../engine/budgets/read-budgets.ts';
import { decideAll } from '../../engine/evaluate/decide-targets.ts';
import { unconcerned } from '../../engine/evaluate/evaluate-rules.ts';
import { type Inputs, refuseAmbiguousMoney } from '../../engine/load-inputs.ts';
import type { BacktestResult } from '../../language/results/report-result.ts';
import { HOUR_UNKNOWN, readsToday, usesHour, usesLabels } from '../../language/rules/evaluate/collect-values.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import { pacesOutside } from '../../language/rules/pacing/pace-words.ts';
import { type Rule, readByQuery } from '../../language/rules/rule.ts';
import { rateOn } from '../../language/targets/exchange-rates.ts';
import { describeTarget } from '../../language/targets/target.ts';
import type { DecideOnDay } from '../../language/trial/run-trial.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { readLabels } from '../../services/ads/read-account.ts';
import { pastBudgetsChart } from '../../views/trial-charts.ts';
import { chooseInputs, ruleNamed } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { rangeOf } from '../cli/common-options.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn, printCharts } from '../cli/print-listing.ts';
import { RULES_BACKTEST } from './backtest-view.ts';
import { type AccountTry, knownDays, type Past, pastOf, type Tried, tryAccounts } from './past-account.ts';
import type { BacktestOptions } from './rules-command.ts';

export async function runBacktest(app: CommandApp<'all'>, options: BacktestOptions): Promise<number> {
  const days = rangeOf(options);
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => backtest(opened, inputs, options, days));
  app.output.stdout.write(listingIn(options.format, RULES_BACKTEST, result, app.output));
  if (options.format === 'table') {
    const changed = result.trials.filter(({ sums }) => sums.changes > 0);
    await printCharts(app.output, changed, (trial) => pastBudgetsChart(result, trial));
  }
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** Changes nothing. Throws `InputError` if no account or no day can be evaluated. */
async function backtest(
  app: App,
  inputs: Inputs,
  options: BacktestOptions,
  asked: DateRange | undefined,
): Promise<BacktestResult> {
  const { customer: customers = [], all: refusals = false } = options;
  const { rule, target } = ruleNamed(options.rule, inputs, 'pacekeeper rules backtest cut-without-conversions');
  refuseToday(rule);
  const ads = requireAds(app, 'no rule can be tried');
  const accounts = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney({ ...inputs, rules: [rule] }, accounts.found);
  const notes: string[] = [];
  const pasts: Past[] = [];
  for (const account of accounts.found) {
    if (account.failure !== undefined) continue;
    const { customerId, timeZone } = account;
    const own = target === undefined ? rule : target.rules.get(customerId);
    if (own === undefined) continue;
    const reason = unconcerned(own, account);
    if (reason !== undefined || timeZone === undefined) {
      notes.push(`Account ${customerId} was skipped: ${reason}.`);
      continue;
    }
    const past = await pastOf(app, rule, { ...account, timeZone });
    if (asked !== undefined) refuseDaysAhead(asked, past);
    pasts.push(past);
  }
  const days = asked ?? knownDays(rule, pasts, civilDateAt(app.clock.now(), 'UTC'));
  const outside = pacesOutside(rule, days);
  if (outside !== undefined) notes.unshift(`${rule.name} ${outside}.`);
  if (usesHour(rule)) notes.unshift(`${rule.name} ${HOUR_UNKNOWN}.`);
  const trials: Tried[] = [];
  const failures = [...accounts.failures];
  const members: AccountTry[] = [];
  for (const past of pasts) {
    const { customerId } = past.account;
    const own = target?.rules.get(customerId);
    const now = await readNow(app, ads, customerId, own ?? rule);
    if (typeof now === 'string') failures.push(now);
    else if (own === undefined) trials.push(...(await tryAccounts(app, [{ rule, past, ...now }], { days, refusals })));
    else members.push({ rule: own, past, ...now });
  }
  if (target !== undefined) {
    const read = new Map(members.map(({ past: { account } }) => [account.customerId, account]));
    const decide: DecideOnDay = (today, answers) =>
      decideAll([target], read, answers, (from, to) => rateOn(today, inputs.rates, from, to));
    trials.push(...(await tryAccounts(app, members, { days, refusals, decide })));
  }
  if (failures.length === 0) refuseNothingTried(rule, days, accounts.found, trials);
  return {
    rule: target
      ? describeTarget(target, app.settings.automation.mode)
      : describeRule(rule, app.settings.automation.mode),
    target: app.target,
    days,
    evaluatedAt: instantText(app.clock.now()),
    accounts: accounts.found,
    trials,
    notes,
    failures: failures.map(app.redact),
  };
}

async function readNow(
  app: App,
  ads: AdsConnection,
  customer: CustomerId,
  rule: Rule,
): Promise<Pick<AccountTry, 'book' | 'labels'> | string> {
  const declared = app.settings.budgets.get(customer) ?? new Map();
  try {
    const book = await readBudgets({ ads, db: app.state.db, clock: app.clock }, customer, declared);
    return { book, labels: usesLabels(rule) ? await readLabels(ads, customer) : undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `The budgets or labels of account ${customer} cannot be read, so the rule was not tried: ${explainFailure(error)}`;
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

function refuseDaysAhead({ to }: DateRange, { account: { customerId, timeZone }, today }: Past): void {
  if (to < today) return;
  throw new InputError(
    `Found --to ${to}, expected a past day: in account ${customerId} (${timeZone}) today is ${today}.`,
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
