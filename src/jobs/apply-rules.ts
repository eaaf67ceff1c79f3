import pMap from 'p-map';
import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { type BudgetBook, readBudgets } from '../budgets/read-budgets.ts';
import { addDays, civilDateAt, type DateRange, daysOf } from '../domain/civil-date.ts';
import { ApiError, explainFailure, InputError } from '../domain/errors.ts';
import { calendarOf, lastSettledDay } from '../extract/day-state.ts';
import type { RuleResult } from '../report/report-result.ts';
import { type Claims, evaluateRule, type Verdict } from '../rules/evaluate-rule.ts';
import type { Rule } from '../rules/rule.ts';
import { knownDays } from '../store/day-table.ts';
import { budgetsDecidedOn, type Intent } from '../store/intent-table.ts';
import { aggregateCampaigns } from '../warehouse/aggregate.ts';
import type { RunAccount } from './discover-accounts.ts';

/** Refuses rules that name an amount without saying in which currency, where the accounts have several. */
export function refuseAmbiguousMoney(rules: readonly Rule[], accounts: readonly RunAccount[]): void {
  const currencies = [...new Set(accounts.flatMap(({ currency }) => currency ?? []))].sort();
  const ambiguous = rules.filter(({ namesMoney, currency }) => namesMoney && currency === undefined);
  if (currencies.length < 2 || ambiguous.length === 0) return;
  const names = ambiguous.map(({ name }) => name).join(', ');
  throw new InputError(`${names}: an amount without a currency, and the accounts are in ${currencies.join(', ')}.`, {
    nextStep: `Add a line such as "currency: ${currencies[0]}" to the rule. Nothing was read or changed.`,
  });
}

export interface Evaluation {
  readonly rules: readonly RuleResult[];
  readonly verdicts: readonly Verdict[];
  readonly failures: readonly string[];
}

/**
 * Evaluates every rule for every account over its own last settled days, several accounts at once. Decides, and changes
 * nothing.
 */
export async function evaluateRules(
  app: App,
  ads: AdsConnection,
  rules: readonly Rule[],
  accounts: readonly RunAccount[],
  open: readonly Intent[],
): Promise<Evaluation> {
  if (rules.length === 0) return { rules: [], verdicts: [], failures: [] };
  const readable = accounts.filter(({ failure }) => failure === undefined);
  const evaluate = (account: RunAccount) => evaluateAccount(app, ads, rules, account, open);
  const evaluations = await pMap(readable, evaluate, { concurrency: app.settings.extract.concurrency });
  return {
    rules: evaluations.flatMap((one) => one.rules),
    verdicts: evaluations.flatMap(({ verdicts }) => verdicts),
    failures: evaluations.flatMap(({ failures }) => failures),
  };
}

async function evaluateAccount(
  app: App,
  ads: AdsConnection,
  rules: readonly Rule[],
  account: RunAccount,
  open: readonly Intent[],
): Promise<Evaluation> {
  const { customerId } = account;
  const results: RuleResult[] = [];
  const verdicts: Verdict[] = [];
  const claims: Claims = new Map();
  const concerned = rules.some((rule) => unconcerned(rule, account) === undefined);
  let book: BudgetBook | undefined;
  try {
    if (concerned) book = await readBudgets({ ads, db: app.state.db }, customerId, declaredFor(app, account));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const words = 'its budgets could not be read, so no rule was evaluated';
    return { rules: [], verdicts: [], failures: [`Account ${customerId}: ${words}: ${explainFailure(error)}`] };
  }
  for (const rule of rules) {
    const outcome = await evaluateForAccount(app, rule, account, book, open, claims);
    const found = outcome.kind === 'evaluated' ? outcome.verdicts : [];
    verdicts.push(...found);
    results.push({
      ...{ rule: rule.name, customerId, campaigns: found.length },
      fired: found.filter(({ truth }) => truth === 'true').length,
      unknown: found.filter(({ truth }) => truth === 'unknown').length,
      notEvaluated: outcome.kind === 'evaluated' ? undefined : outcome.reason,
    });
  }
  return { rules: results, verdicts, failures: [] };
}

/** Why the rule is none for the account, whatever its numbers are; undefined when it is one. */
function unconcerned(rule: Rule, { customerId, currency, timeZone }: RunAccount): string | undefined {
  if (rule.currency !== undefined && currency === undefined) {
    return `the account's currency is not known: set accounts.${customerId}.currency`;
  }
  if (rule.currency !== undefined && rule.currency !== currency) return `for accounts in ${rule.currency}`;
  if (timeZone === undefined) return `the account's time zone is not known: set accounts.${customerId}.time_zone`;
  return undefined;
}

export function declaredFor({ settings }: App, { customerId }: { readonly customerId: RunAccount['customerId'] }) {
  return settings.budgets.get(customerId) ?? new Map();
}

type Outcome =
  | { readonly kind: 'evaluated'; readonly verdicts: Verdict[] }
  | { readonly kind: 'not'; readonly reason: string };

async function evaluateForAccount(
  app: App,
  rule: Rule,
  account: RunAccount,
  book: BudgetBook | undefined,
  open: readonly Intent[],
  claims: Claims,
): Promise<Outcome> {
  const { state, settings } = app;
  const { customerId, currency, timeZone } = account;
  const not = (reason: string): Outcome => ({ kind: 'not', reason });
  const reason = unconcerned(rule, account);
  if (reason !== undefined || timeZone === undefined || !book) return not(reason ?? 'the account has no calendar');
  const today = civilDateAt(app.clock.now(), timeZone);
  const last = lastSettledDay(app.clock.now(), calendarOf(settings.extract, rule.from, timeZone));
  const days: DateRange = { from: addDays(last, 1 - rule.overDays), to: last };
  const known = await knownDays(state.db, { name: rule.from, text: rule.queryText }, customerId, days);
  const settled = new Set(known.filter((day) => day.state === 'settled').map(({ date }) => date));
  const missing = daysOf(days).filter((day) => !settled.has(day));
  if (missing.length > 0) {
    const more = missing.length > 1 ? ` and ${missing.length - 1} more days` : '';
    return not(`${rule.from} does not hold the complete ${missing[0]}${more}`);
  }
  const subjects = aggregateCampaigns(state, { name: rule.from, columns: rule.columns }, customerId, days);
  const facts = {
    customerId,
    currency,
    budgets: book.byCampaign,
    decidedToday: await budgetsDecidedOn(state.db, customerId, today),
    open: new Set(open.filter((intent) => intent.customerId === customerId).map(({ budgetId }) => budgetId)),
  };
  return { kind: 'evaluated', verdicts: evaluateRule(rule, facts, subjects, days, settings.mode, claims) };
}
