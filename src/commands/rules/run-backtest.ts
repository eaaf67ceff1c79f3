import { type DateRange, instantText } from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { findAccounts, type RunAccount, requireAds } from '../../engine/accounts/find-accounts.ts';
import type { App } from '../../engine/app.ts';
import { readBudgets } from '../../engine/budgets/read-budgets.ts';
import { type Inputs, refuseAmbiguousMoney } from '../../engine/load-inputs.ts';
import { backtest, refuseToday } from '../../engine/trial/backtest.ts';
import type { AccountTry } from '../../engine/trial/past-account.ts';
import type { BacktestResult } from '../../language/results/report-result.ts';
import { usesLabels } from '../../language/rules/evaluate/collect-values.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { describeTarget } from '../../language/targets/target.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { readLabels } from '../../services/ads/read-account.ts';
import { pastBudgetsChart } from '../../views/trial-charts.ts';
import { chooseInputs, ruleNamed } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { rangeOf } from '../cli/common-options.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn, printCharts } from '../cli/print-listing.ts';
import { RULES_BACKTEST } from './backtest-view.ts';
import type { BacktestOptions } from './rules-command.ts';

export async function runBacktest(app: CommandApp<'all'>, options: BacktestOptions): Promise<number> {
  const days = rangeOf(options);
  const inputs = await chooseInputs(app, options);
  const result = await app.open((opened) => tryRule(opened, inputs, options, days));
  app.output.stdout.write(listingIn(options.format, RULES_BACKTEST, result, app.output));
  if (options.format === 'table') {
    const changed = result.trials.filter(({ sums }) => sums.changes > 0);
    await printCharts(app.output, changed, (trial) => pastBudgetsChart(result, trial));
  }
  return result.failures.length === 0 ? EXIT.done : EXIT.failed;
}

async function tryRule(
  app: App,
  inputs: Inputs,
  options: BacktestOptions,
  asked: DateRange | undefined,
): Promise<BacktestResult> {
  const { customer: customers = [], all: refusals = false } = options;
  const { rule, target } = ruleNamed(options.rule, inputs, 'pacekeeper rules backtest cut-without-conversions');
  refuseToday(rule);
  const ads = requireAds(app, 'no rule can be tried');
  const { found, failures } = await findAccounts(app, ads, customers);
  refuseAmbiguousMoney({ ...inputs, rules: [rule] }, found);
  const readNow = (account: RunAccount, own: Rule) => readAccountNow(app, ads, account.customerId, own);
  const { rates } = inputs;
  const tried = await backtest(app, { rule, target, rates, accounts: found, asked, refusals, readNow });
  return {
    ...tried,
    rule: target
      ? describeTarget(target, app.settings.automation.mode)
      : describeRule(rule, app.settings.automation.mode),
    target: app.target,
    evaluatedAt: instantText(app.clock.now()),
    accounts: found,
    failures: [...failures, ...tried.failures].map(app.redact),
  };
}

async function readAccountNow(
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
