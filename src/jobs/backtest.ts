import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { type BudgetBook, readBudgets } from '../budgets/read-budgets.ts';
import { civilDateAt, type DateRange, instantText } from '../domain/civil-date.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { BacktestResult } from '../report/backtest-result.ts';
import { describeRule } from '../rules/describe-rule.ts';
import { pacesOutside } from '../rules/pacing/describe-pace.ts';
import type { Rule } from '../rules/rule.ts';
import { type Tried, tryAccount } from './backtest-account.ts';
import { unconcerned } from './evaluate-rules.ts';
import { findAccounts } from './find-accounts.ts';
import type { Inputs } from './load-inputs.ts';
import { refuseAmbiguousMoney } from './refuse-ambiguous-money.ts';
import { refuseDaysAhead, refuseNothingTried, refuseToday } from './refuse-backtest.ts';
import { requireAds } from './require-ads.ts';

export interface BacktestOptions {
  readonly customers: readonly CustomerId[];
  readonly days: DateRange;
  /** Refusals are shown one by one, too. */
  readonly refusals: boolean;
}

/**
 * What the rule would have done on each of the days, by the functions that a report uses, on the numbers as they were
 * known then as far as that is on record. Changes nothing. Throws `InputError` where there is nothing to try it on.
 */
export async function backtest(
  app: App,
  rule: Rule,
  inputs: Inputs,
  { customers, days, refusals }: BacktestOptions,
): Promise<BacktestResult> {
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
      notes.push(`Account ${customerId} was left alone: ${reason}.`);
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

/** The budgets of now; why they could not be read. */
async function readBook(app: App, ads: AdsConnection, customer: CustomerId): Promise<BudgetBook | string> {
  const declared = app.settings.budgets.get(customer) ?? new Map();
  try {
    return await readBudgets({ ads, db: app.state.db }, customer, declared);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `Account ${customer}: its budgets could not be read, so the rule was not tried: ${explainFailure(error)}`;
  }
}
