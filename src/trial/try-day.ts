import type { CivilDate } from '../domain/civil-date.ts';
import type { Member, MemberDemand } from '../domain/member.ts';
import { grouped } from '../domain/wording.ts';
import { decideChanges } from '../rules/decide/decide-changes.ts';
import type { Decision, Verdict } from '../rules/decide/decision.ts';
import { evaluateRules, type RuleEvaluation } from '../rules/evaluate/evaluate-rules.ts';
import type { EvaluatedAccount } from '../rules/evaluate/evaluated-account.ts';
import type { Keep } from '../rules/evaluate/ledger.ts';
import type { Rule } from '../rules/rule.ts';
import type { TrialAccount } from './trial-account.ts';

/** What rules see of an account on a day of the trial, beside its budgets. */
export interface TrialDay
  extends Pick<EvaluatedAccount, 'today' | 'lastSettled' | 'settled' | 'readToday' | 'holidays'> {
  /** What the rules' table holds. */
  readonly members: (demand: MemberDemand) => Iterable<Member>;
}

/** What came of the rules on a day. */
export interface DayOutcome {
  readonly evaluations: ReadonlyMap<Rule, RuleEvaluation>;
  /** Of the subjects that fire and of those that were to be kept. */
  readonly verdicts: readonly Verdict[];
  readonly decisions: readonly Decision[];
}

/**
 * What the rules say of the account on the day and what the guards make of it, by the functions that a report uses. The
 * changes are carried out on the account's paper. Rules of several tables are evaluated table by table, and decided on together.
 *
 * @param dayOf What a rule's table looks like on the day; asked once for each table.
 */
export function tryDay(
  rules: readonly Rule[],
  account: TrialAccount,
  today: CivilDate,
  dayOf: (table: string, rules: readonly Rule[]) => TrialDay,
  keep: Keep = () => false,
): DayOutcome {
  const evaluations = new Map<Rule, RuleEvaluation>();
  for (const own of grouped(rules, ({ from }) => from)) {
    const { members, ...day } = dayOf(own[0]?.from ?? '', own);
    const evaluated: EvaluatedAccount = {
      ...day,
      customerId: account.customerId,
      currency: account.currency,
      budgets: account.byCampaign(),
      unreadable: account.unreadable,
      highestOn: (budgetId, date) => account.highestOn(budgetId, date),
    };
    const wanted: Keep = (truth, rule, subject) => truth === 'true' || keep(truth, rule, subject);
    for (const [rule, one] of evaluateRules(own, evaluated, members, wanted)) evaluations.set(rule, one);
  }
  const inOrder = rules.flatMap((rule) => evaluations.get(rule) ?? []);
  const verdicts = inOrder.flatMap((one) => (one.kind === 'evaluated' ? one.verdicts : []));
  // A rule that only alerts wishes for nothing, and saying why would be most of its work.
  const fired = verdicts.filter(({ truth, rule }) => truth === 'true' && rule.change !== undefined);
  const wishes = fired.flatMap((verdict) => verdict.wishes());
  const decisions = decideChanges(wishes, account.facts(today), 'apply');
  for (const decision of decisions) if (decision.kind === 'change') account.apply(decision, today);
  return { evaluations, verdicts, decisions };
}
