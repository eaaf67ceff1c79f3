import type { Frozen } from '../domain/frozen.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { RuleDescription } from '../rules/describe-rule.ts';
import type { Clause } from '../rules/explain.ts';
import type { AccountResult, DecisionResult, RuleResult } from './report-result.ts';

/** What rules say of the numbers that are there, and what they would change. Nothing was changed for it. */
export interface EvaluationResult {
  readonly target: string;
  readonly mode: string;
  readonly evaluatedAt: string;
  /** No run has read a day of any table yet, so nothing can be said. */
  readonly unread: boolean;
  readonly frozen: Frozen | undefined;
  readonly notes: readonly string[];
  readonly accounts: readonly AccountResult[];
  readonly rules: readonly RuleResult[];
  readonly decisions: readonly DecisionResult[];
  readonly alerts: readonly RuleAlert[];
  readonly failures: readonly string[];
}

/** What a rule tells people of an account: a line for each subject it fires for. */
export interface RuleAlert {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly lines: readonly string[];
}

/** One rule, subject by subject. */
export interface ExplanationResult {
  readonly rule: RuleDescription;
  readonly evaluatedAt: string;
  /** No run has read a day of any table yet, so nothing can be said. */
  readonly unread: boolean;
  readonly target: string;
  readonly accounts: readonly AccountResult[];
  readonly results: readonly RuleResult[];
  readonly subjects: readonly ExplainedSubject[];
  readonly frozen: Frozen | undefined;
  /** What the rule leaves out and why, one sentence each. */
  readonly notes: readonly string[];
  readonly failures: readonly string[];
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
