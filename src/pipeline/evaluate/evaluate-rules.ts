import pMap from 'p-map';
import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import { readBudgetChanges } from '../../apis/ads/read-account.ts';
import type { App } from '../../app.ts';
import { type BudgetBook, readBudgets } from '../../budgets/read-budgets.ts';
import { holidaysOf } from '../../config/holidays-of.ts';
import { addDays, type CivilDate, civilDateAt, instantText, startOfDayMs } from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { highestOf, type Micros } from '../../domain/micros.ts';
import { grouped } from '../../domain/wording.ts';
import type { RuleResult } from '../../results/report-result.ts';
import { highestOn } from '../../rules/decide/account-totals.ts';
import { decideChanges } from '../../rules/decide/decide-changes.ts';
import type { AccountFacts, Decision, Verdict } from '../../rules/decide/decision.ts';
import { evaluateRules as evaluateTable, type RuleEvaluation } from '../../rules/evaluate/evaluate-rules.ts';
import type { EvaluatedAccount } from '../../rules/evaluate/evaluated-account.ts';
import type { Keep } from '../../rules/evaluate/ledger.ts';
import { LEARNED_DAYS } from '../../rules/pacing/plan-pace.ts';
import type { Rule } from '../../rules/rule.ts';
import type { ForeignChange } from '../../store/budgets/foreign-change-table.ts';
import { hasDecidedOn } from '../../store/runs/run-account-table.ts';
import { isDayRead, settledDays } from '../../store/sqlite/account-days.ts';
import { aggregateMembers } from '../../warehouse/sqlite/aggregate-members.ts';
import type { RunAccount } from '../accounts/discover-accounts.ts';
import { calendarOf, lastSettledDay } from '../read/day-state.ts';
import { accountFacts } from './account-facts.ts';

/** What was decided for an account. */
export interface AccountDecisions {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly timeZone: string;
  /** What the settings declare for its budgets now. */
  readonly declared: ReadonlyMap<BudgetId, Micros>;
  /** Which campaign spends from which budget. */
  readonly campaigns: BudgetBook['byCampaign'];
  readonly decisions: readonly Decision[];
}

export interface Evaluation {
  readonly rules: readonly RuleResult[];
  readonly accounts: readonly AccountDecisions[];
  /** Of the subjects that fire and of those that were to be kept. */
  readonly verdicts: readonly Verdict[];
  /** One sentence each. */
  readonly failures: readonly string[];
}

export interface EvaluationOptions {
  /** Changes by others are not written down. */
  readonly dryRun: boolean;
  /** Whose verdicts are wanted beside those that fire, which decisions need. */
  readonly keep?: Keep;
}

const NOTHING: Evaluation = { rules: [], accounts: [], verdicts: [], failures: [] };

/**
 * Evaluates every rule for every account over its own complete days, several accounts at once, and decides what may be
 * changed. Changes nothing.
 */
export async function evaluateRules(
  app: App,
  ads: AdsConnection,
  rules: readonly Rule[],
  accounts: readonly RunAccount[],
  options: EvaluationOptions,
): Promise<Evaluation> {
  if (rules.length === 0) return NOTHING;
  const readable = accounts.filter(({ failure }) => failure === undefined);
  const evaluate = (account: RunAccount) => evaluateAccount(app, ads, rules, account, options);
  const evaluations = await pMap(readable, evaluate, { concurrency: app.settings.extract.concurrency });
  return {
    rules: evaluations.flatMap((one) => one.rules),
    accounts: evaluations.flatMap((one) => one.accounts),
    verdicts: evaluations.flatMap(({ verdicts }) => verdicts),
    failures: evaluations.flatMap(({ failures }) => failures),
  };
}

async function evaluateAccount(
  app: App,
  ads: AdsConnection,
  rules: readonly Rule[],
  account: RunAccount,
  options: EvaluationOptions,
): Promise<Evaluation> {
  const { customerId, currency, timeZone } = account;
  const concerned = rules.filter((rule) => unconcerned(rule, account) === undefined);
  const left = rules.flatMap((rule) => leftAlone(rule, account));
  if (timeZone === undefined || concerned.length === 0) return { ...NOTHING, rules: left };
  const declared = app.settings.budgets.get(customerId) ?? new Map();
  const today = civilDateAt(app.clock.now(), timeZone);
  let book: BudgetBook;
  let elsewhere: readonly ForeignChange[];
  let asked = 'its budgets';
  try {
    book = await readBudgets({ ads, db: app.state.db }, customerId, declared);
    asked = "today's changes of its budgets";
    elsewhere = await changedElsewhere(app, ads, { customerId, timeZone, today });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const words = `${asked} could not be read, so no rule was evaluated`;
    return { ...NOTHING, failures: [`Account ${customerId}: ${words}: ${explainFailure(error)}`] };
  }
  const place = { customerId, currency, timeZone };
  const since = oldestAskedFor(app, concerned, timeZone);
  const wanted = { customerId, currency, timeZone, today, since, rules: concerned, elsewhere, dryRun: options.dryRun };
  // What others changed is seen before anything is evaluated: it says what the days since then could cost.
  const facts = await accountFacts(app, book, wanted);
  const evaluated = evaluateTables(app, concerned, { ...place, today, facts }, book, options);
  const verdicts = [...evaluated.values()].flatMap((one) => (one.kind === 'evaluated' ? one.verdicts : []));
  const fired = verdicts.filter(({ truth }) => truth === 'true');
  const wishes = fired.flatMap((verdict) => verdict.wishes());
  const decisions = decideChanges(wishes, facts, app.settings.automation.mode);
  return {
    rules: [...[...evaluated].map(([rule, one]) => ruleResult(rule, customerId, one)), ...left],
    accounts: [{ ...place, declared: book.declared, campaigns: book.byCampaign, decisions }],
    verdicts,
    failures: [],
  };
}

/**
 * What was changed today before this folder decided on the account for the first time, by another installation or a person.
 * Later the folder's own record says it. Empty where the service has no history of changes.
 */
async function changedElsewhere(
  { state }: App,
  ads: AdsConnection,
  { customerId, timeZone, today }: Pick<Evaluated, 'customerId' | 'timeZone' | 'today'>,
): Promise<readonly ForeignChange[]> {
  if (await hasDecidedOn(state.db, customerId, instantText(startOfDayMs(today, timeZone)))) return [];
  const changes = await readBudgetChanges(ads, customerId, today);
  if (changes.kind === 'not_offered') return [];
  return changes.value.map(({ budgetId, from, to }) => {
    return { customerId, budgetId, accountDay: today, expected: from, found: to };
  });
}

/** What stands for an account that rules can be evaluated for. */
interface Place {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly timeZone: string;
}

interface Evaluated extends Place {
  readonly today: CivilDate;
  /** With the changes of its budgets since the oldest day that is asked for. */
  readonly facts: AccountFacts;
}

/** Over the tables of the rules: pacing asks what budgets were on the days since the last settled one, and on the weeks before. */
function oldestAskedFor({ settings, clock }: App, rules: readonly Rule[], timeZone: string): CivilDate {
  const days = rules.map(({ from }) => lastSettledDay(clock.now(), calendarOf(settings.extract, from, timeZone)));
  return addDays(days.toSorted()[0] ?? civilDateAt(clock.now(), timeZone), 1 - LEARNED_DAYS);
}

/** The rules of a table together, so that the table is read once for all of them. In the order of the rules. */
function evaluateTables(
  app: App,
  rules: readonly Rule[],
  { customerId, currency, timeZone, today, facts }: Evaluated,
  book: BudgetBook,
  { keep = () => false }: EvaluationOptions,
): Map<Rule, RuleEvaluation> {
  const nowMs = app.clock.now();
  const found = new Map<Rule, RuleEvaluation>();
  // Rules of one table ask of a day what its query asks: its text is part of the key.
  for (const own of grouped(rules, ({ from, queryText }) => `${from}\n${queryText}`)) {
    const [first] = own;
    if (!first) continue;
    const calendar = calendarOf(app.settings.extract, first.from, timeZone);
    const query = { name: first.from, text: first.queryText };
    const { settled } = settledDays(app.state, query, customerId);
    const account: EvaluatedAccount = {
      ...{ customerId, currency, today, budgets: book.byCampaign },
      unreadable: [...book.unreadable],
      lastSettled: lastSettledDay(nowMs, calendar),
      settled: (day) => settled.has(day),
      readToday: isDayRead(app.state, query, customerId, today),
      holidays: holidaysOf(app.settings, customerId),
      highestOn: (budgetId, day) => {
        const budget = facts.budgets.get(budgetId);
        if (!budget) return undefined;
        const shown = highestOn(day, budget.amount, budget.changes);
        return budget.inDoubt ? highestOf(shown, highestOn(day, budget.inDoubt.expected, budget.changes)) : shown;
      },
    };
    const evaluations = evaluateTable(
      own,
      account,
      (demand) => aggregateMembers(app.state, first.from, customerId, demand),
      (truth, rule, subject) => truth === 'true' || keep(truth, rule, subject),
    );
    for (const [rule, evaluation] of evaluations) found.set(rule, evaluation);
  }
  return new Map(rules.flatMap((rule) => one(rule, found.get(rule))));
}

const one = (rule: Rule, evaluation: RuleEvaluation | undefined): [Rule, RuleEvaluation][] =>
  evaluation ? [[rule, evaluation]] : [];

function isOfOtherCurrency(rule: Rule, currency: string | undefined): boolean {
  return rule.currency !== undefined && currency !== undefined && rule.currency !== currency;
}

/** Why the rule is none for the account, whatever its numbers are; undefined when it is one. */
export function unconcerned(rule: Rule, { customerId, currency, timeZone }: RunAccount): string | undefined {
  if (rule.currency !== undefined && currency === undefined) {
    return `the account's currency is not known: set accounts.${customerId}.currency`;
  }
  if (isOfOtherCurrency(rule, currency)) return `for ${rule.currency} only`;
  if (timeZone === undefined) return `the account's time zone is not known: set accounts.${customerId}.time_zone`;
  return undefined;
}

function leftAlone(rule: Rule, account: RunAccount): RuleResult[] {
  const reason = unconcerned(rule, account);
  if (reason === undefined) return [];
  const result = ruleResult(rule, account.customerId, { kind: 'not', reason });
  return [{ ...result, isOfOtherCurrency: isOfOtherCurrency(rule, account.currency) }];
}

function ruleResult({ name, from: table }: Rule, customerId: CustomerId, evaluation: RuleEvaluation): RuleResult {
  if (evaluation.kind === 'not') {
    const missing = evaluation.missing && { table, ...evaluation.missing };
    return { rule: name, customerId, subjects: 0, fired: 0, unknown: 0, notEvaluated: evaluation.reason, missing };
  }
  const { true: fired, false: quiet, unknown } = evaluation.counts;
  return { rule: name, customerId, subjects: fired + quiet + unknown, fired, unknown, notEvaluated: undefined };
}
