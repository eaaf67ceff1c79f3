import type { AlertSeverity } from '../../domain/channel.ts';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { DecisionFacts, PlannedDecision } from '../../domain/decision-facts.ts';
import type { Frozen } from '../../domain/frozen.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { StillArriving } from '../../domain/still-arriving.ts';
import type { LimitName } from '../rules/decide/decision.ts';
import type { Clause } from '../rules/evaluate/explain.ts';
import type { RuleDescription } from '../rules/file/describe-rule.ts';
import type { PaceReading } from '../rules/pacing/pace.ts';
import type { ShownRate } from '../rules/pacing/pace-words.ts';
import type { Mode } from '../rules/rule.ts';
import type { TrialRow, TrialSums } from '../trial/run-trial.ts';
import type { AccountMonth } from './account-month.ts';

export type RunCommand = 'report' | 'extract' | 'budgets approve' | 'budgets undo' | 'budgets reconcile';

export interface ReportResult {
  readonly run: {
    readonly id: bigint;
    readonly command: RunCommand;
    readonly target: string;
    readonly mode: string;
    readonly dryRun: boolean;
    readonly startedAt: string;
    readonly endedAt: string;
    /** Number of operations that count for the API's daily quota. */
    readonly operations: number;
    /** The newest event of the audit trail, such as `12:<hash>`. Undefined if the run ended early. */
    readonly recordHead?: string | undefined;
    readonly exitCode: 0 | 1 | 2;
  };
  /** The freeze that stops budget changes. */
  readonly frozen: Frozen | undefined;
  readonly notes: readonly string[];
  readonly accounts: readonly AccountResult[];
  readonly slices: readonly SliceResult[];
  readonly totals: readonly TotalResult[];
  readonly rules: readonly RuleResult[];
  readonly decisions: readonly DecisionFacts[];
  readonly pacing?: readonly PacingTarget[];
  readonly withheld?: readonly WithheldTarget[];
  readonly settled: readonly DecisionFacts[];
  readonly messages: readonly MessageResult[];
  readonly months?: readonly AccountMonth[] | undefined;
  /** One text for each change that awaits approval, or that is in doubt and not in `failures`. */
  readonly needs?: readonly string[] | undefined;
  /** The list is empty if the exit code is 0. */
  readonly failures: readonly string[];
}

export interface AccountResult {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
  readonly failure: string | undefined;
  readonly failedByStop?: boolean;
  /** The service's status of a skipped account, such as SUSPENDED. */
  readonly leftOut: string | undefined;
}

export interface SliceResult {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly days: DateRange | undefined;
  readonly rows: bigint;
  readonly bytes: number;
  readonly notOffered: string | undefined;
  readonly failure: string | undefined;
  /** The text of `failure` without the request's id, so that equal problems have equal texts. */
  readonly alike?: string | undefined;
  readonly left: string | undefined;
  readonly leftByStop?: boolean;
}

export interface TotalResult {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly campaign: { readonly id: bigint; readonly name: string | undefined } | undefined;
  readonly days: DateRange | undefined;
  readonly currency: string | undefined;
  /** CPA and ROAS leave out the days of `arriving`. */
  readonly metrics: ReadonlyMap<string, bigint | number | null>;
  /** Undefined for a campaign. */
  readonly arriving?: StillArriving | undefined;
}

export interface RuleResult {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly subjects: number;
  readonly fired: number;
  readonly unknown: number;
  readonly notEvaluated: string | undefined;
  /** True if the rule is for accounts in another currency. This is not a failure. */
  readonly isOfOtherCurrency?: boolean;
  /** The table with missing days, and the first and the last missing day. */
  readonly missing?: (DateRange & { readonly table: string }) | undefined;
}

export interface MessageResult {
  readonly name: string | undefined;
  readonly channel: string;
  readonly recipient: string;
  readonly state: 'accepted' | 'pending' | 'failed' | 'unknown';
  readonly firstLine: string;
  readonly alerts: number;
  readonly counted: number;
  readonly instead: string | undefined;
  /** True if delivery failed or is not confirmed, and no other channel is left. */
  readonly isLost: boolean;
  readonly detail: string | undefined;
}

export interface RulesRead {
  readonly target: string;
  readonly evaluatedAt: string;
  readonly unread: boolean;
  readonly frozen: Frozen | undefined;
  readonly notes: readonly string[];
  readonly accounts: readonly AccountResult[];
  readonly rules: readonly RuleResult[];
  readonly failures: readonly string[];
}

export interface EvaluationResult extends RulesRead {
  readonly mode: string;
  readonly decisions: readonly PlannedDecision[];
  readonly alerts: readonly RuleAlert[];
}

export interface RuleAlert {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly severity: AlertSeverity;
  readonly lines: readonly string[];
}

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
  readonly explanation: string;
  readonly clauses: readonly Clause[];
  readonly alert: string | undefined;
  readonly decisions: readonly PlannedDecision[];
}

/** Amounts are in micros. */
export interface PacingTarget {
  /** The name of the rule, or of the target. */
  readonly rule: string;
  /** Undefined for a target of several accounts. */
  readonly customerId: CustomerId | undefined;
  /** A name for people, such as "Trail Shoes (campaign 21)" or "account 1234567890". */
  readonly subject: string;
  readonly campaignId: string | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: string | undefined;
  readonly currency: string | undefined;
  /** Names of its campaigns, or of groups that share a budget. */
  readonly covers: readonly string[];
  /** The accounts of a target of several accounts. */
  readonly members: readonly CustomerId[];
  /** One for each currency of its accounts, beside its own. */
  readonly rates: readonly ShownRate[];
  readonly mode: Mode | undefined;
  readonly reading: PaceReading;
  /** The sum of the target's budgets after all decisions, in micros. */
  readonly shouldBe: bigint;
  /** Increases that guards refused, in micros. The next report shares this amount again. */
  readonly missing: bigint;
  readonly limitedBy: readonly LimitName[];
  readonly decisions: readonly PlannedDecision[];
  /** Decisions of other rules about the same budgets. */
  readonly others: readonly PlannedDecision[];
  readonly because: string;
}

/** A target without a decision, because something about one of its accounts is unknown. */
export interface WithheldTarget extends Pick<PacingTarget, 'rule' | 'subject' | 'currency' | 'members' | 'mode'> {
  readonly because: string;
}

export interface PacingResult extends RulesRead {
  readonly mode: string;
  readonly example: string | undefined;
  readonly targets: readonly PacingTarget[];
}

export interface BacktestResult extends Pick<RulesRead, 'target' | 'evaluatedAt' | 'accounts' | 'notes' | 'failures'> {
  readonly rule: RuleDescription;
  readonly days: DateRange;
  readonly trials: readonly AccountBacktest[];
}

export interface AccountBacktest {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly sums: TrialSums;
  /** How often the condition became true. Undefined for a rule that changes budgets. */
  readonly alerts: number | undefined;
  /** The sums of all budgets before the first day and after the last day, in micros. */
  readonly budgets: { readonly begin: bigint; readonly end: bigint };
  /** Undefined if the table has no cost per campaign, and for a rule that changes no budget. */
  readonly spend: PastSpend | undefined;
  /** The sum of all budgets after each day, with and without the rule, in micros. */
  readonly byDay: ReadonlyMap<CivilDate, { readonly with: bigint; readonly without: bigint }>;
  readonly rows: readonly TrialRow[];
}

/** Amounts are in micros, for complete days. */
export interface PastSpend {
  readonly spent: bigint;
  readonly spentByDay: ReadonlyMap<CivilDate, bigint>;
  /** The cost above lowered budgets, at most the reduction. */
  readonly saved: bigint;
  /** The raise of budgets that the cost used up. */
  readonly added: bigint;
}
