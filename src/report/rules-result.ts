import type { Frozen } from '../domain/frozen.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { RuleDescription } from '../rules/describe-rule.ts';
import type { Clause } from '../rules/explain.ts';
import type { AccountResult, DecisionResult, RuleResult } from './report-result.ts';

/** What is said of rules by the numbers that are there. Nothing was changed for it. */
export interface RulesRead {
  readonly target: string;
  readonly evaluatedAt: string;
  /** No run has read a day of any table yet, so nothing can be said. */
  readonly unread: boolean;
  readonly frozen: Frozen | undefined;
  /** What a reader must know to judge it, one sentence each. */
  readonly notes: readonly string[];
  readonly accounts: readonly AccountResult[];
  /** What became of the rules, account by account. */
  readonly rules: readonly RuleResult[];
  readonly failures: readonly string[];
}

/** What all rules would change and tell. */
export interface EvaluationResult extends RulesRead {
  readonly mode: string;
  readonly decisions: readonly DecisionResult[];
  readonly alerts: readonly RuleAlert[];
}

/** What a rule tells people of an account: a line for each subject it fires for. */
export interface RuleAlert {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly lines: readonly string[];
}

/** One rule, subject by subject. */
export interface ExplanationResult extends RulesRead {
  readonly rule: RuleDescription;
  readonly subjects: readonly ExplainedSubject[];
}

export interface ExplainedSubject {
  readonly customerId: CustomerId;
  readonly subject: string;
  readonly campaignId: string | undefined;
  readonly budgetId: string | undefined;
  readonly truth: 'true' | 'false' | 'unknown';
  /** The condition with each value filled in and the days it used. */
  readonly explanation: string;
  readonly clauses: readonly Clause[];
  readonly alert: string | undefined;
  readonly decisions: readonly DecisionResult[];
}
