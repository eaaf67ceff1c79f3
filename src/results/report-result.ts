import type { AlertSeverity, Channel } from '../domain/channel.ts';
import type { DateRange } from '../domain/civil-date.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { LimitName } from '../rules/decide/decision.ts';
import type { Clause } from '../rules/evaluate/explain.ts';
import type { RuleDescription } from '../rules/file/describe-rule.ts';
import type { PaceReading } from '../rules/pacing/pace.ts';
import type { Mode } from '../rules/rule.ts';
import type { TrialRow, TrialSums } from '../trial/backtest-tally.ts';

/** The commands whose runs are recorded. */
export type RunCommand = 'report' | 'extract' | 'budgets approve' | 'budgets undo' | 'budgets reconcile';

/** Everything a run has to say; the terminal and JSON show the same. */
export interface ReportResult {
  readonly run: {
    readonly id: bigint;
    readonly command: RunCommand;
    readonly target: string;
    readonly mode: string;
    readonly dryRun: boolean;
    readonly startedAt: string;
    readonly endedAt: string;
    /** What the run cost of the advertising interface's daily quota. */
    readonly operations: number;
    /** The newest event of the record at its end, `12:<hash>`; undefined where it did not come so far. */
    readonly recordHead?: string | undefined;
    readonly exitCode: 0 | 1 | 2;
  };
  /** Why no budget is changed by a run that may change some. */
  readonly frozen: Frozen | undefined;
  /** What a reader must know to judge the numbers, one sentence each. */
  readonly notes: readonly string[];
  readonly accounts: readonly AccountResult[];
  readonly slices: readonly SliceResult[];
  readonly totals: readonly TotalResult[];
  readonly rules: readonly RuleResult[];
  readonly decisions: readonly DecisionResult[];
  /** The targets that rules pace budgets to; none where nothing was evaluated. */
  readonly pacing?: readonly PacingTarget[];
  /** What became of changes that earlier runs had left open. */
  readonly settled: readonly DecisionResult[];
  readonly messages: readonly MessageResult[];
  /** What failed, one sentence each; empty exactly when the exit code is 0. */
  readonly failures: readonly string[];
}

export interface AccountResult {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
  readonly failure: string | undefined;
  /** It failed because the run was asked to stop. */
  readonly failedByStop?: boolean;
  /** Why nothing was done for the account although nothing failed, in the service's word: SUSPENDED. */
  readonly leftOut: string | undefined;
}

export interface SliceResult {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly days: DateRange | undefined;
  readonly rows: bigint;
  readonly bytes: number;
  /** The service's words where it does not have the query's resource. */
  readonly notOffered: string | undefined;
  readonly failure: string | undefined;
  /** The same without the reference of its request: slices that failed alike have the same. */
  readonly alike?: string | undefined;
  /** Why it was not asked for in this run; undefined when it was. */
  readonly left: string | undefined;
  /** It was left because the run was asked to stop. */
  readonly leftByStop?: boolean;
}

/** Sums over the query's window: of an account, or of one of its campaigns. */
export interface TotalResult {
  readonly query: string;
  readonly customerId: CustomerId;
  /** Undefined for the account as a whole. */
  readonly campaign: { readonly id: bigint; readonly name: string | undefined } | undefined;
  readonly days: DateRange | undefined;
  readonly currency: string | undefined;
  /** By column name. */
  readonly metrics: ReadonlyMap<string, bigint | number>;
}

export interface RuleResult {
  readonly rule: string;
  readonly customerId: CustomerId;
  /** Campaigns, budgets, ad groups, keywords or the account itself: what the rule is for. */
  readonly subjects: number;
  readonly fired: number;
  readonly unknown: number;
  /** Why the rule was not evaluated for the account; undefined when it was. */
  readonly notEvaluated: string | undefined;
  /** It was not, because it is for accounts in another currency: that is no trouble of it. */
  readonly isOfOtherCurrency?: boolean;
  /** Where days are missing for that: whose, and from the first to the last of them. */
  readonly missing?: (DateRange & { readonly table: string }) | undefined;
}

export interface DecisionResult {
  readonly rule: string;
  readonly customerId: CustomerId;
  readonly budgetId: string | undefined;
  /** Undefined where several campaigns are concerned. */
  readonly campaignId: string | undefined;
  readonly campaignName: string | undefined;
  /** The change with its amounts, without the condition that `reason` begins with; of a run's own decisions alone. */
  readonly change?: string;
  /** A failure of the run has said the `detail`. */
  readonly isToldAsFailure?: boolean;
  /** What was decided on, for people: "Trail Shoes (campaign 21)". */
  readonly subject: string;
  readonly currency: string | undefined;
  readonly from: Micros | undefined;
  readonly to: Micros | undefined;
  readonly state:
    | 'proposed'
    | 'refused'
    | 'applied'
    | 'confirmed'
    | 'rejected'
    | 'unknown'
    | 'superseded'
    | 'expired'
    | 'postponed';
  /** How far what is proposed may go by itself; undefined for what is none. */
  readonly mode?: Mode | undefined;
  /** Who wants it where that is more than the rule: "undo of B1 by anna", "rule trim@1f2e…, approved by anna". */
  readonly origin?: string | undefined;
  /** The guard's or the service's own word for what stopped it: COOLDOWN, AT_FLOOR; undefined when nothing did. */
  readonly code: string | undefined;
  /** The number by which the audit trail and `budgets undo` know the change; undefined when there is none. */
  readonly intentId: bigint | undefined;
  /** The code by which a person approves it; undefined when nobody is asked. */
  readonly proposal: string | undefined;
  readonly reason: string;
  /** What the service or a guard said to it. */
  readonly detail: string | undefined;
  /** The same for the person who acts, where that one reads instants otherwise. */
  readonly shown?: string | undefined;
}

export interface MessageResult {
  /** How the settings call who it is for; undefined for an address that they do not name. */
  readonly name: string | undefined;
  readonly channel: Channel;
  /** The address, masked. */
  readonly recipient: string;
  readonly state: 'accepted' | 'pending' | 'failed' | 'unknown';
  readonly firstLine: string;
  /** How many alerts it tells, of which the line is the first. */
  readonly alerts: number;
  /** Of how many of them it says only how many there are. */
  readonly counted: number;
  /** The channel that tells it in this one's place. */
  readonly instead: Channel | undefined;
  /** It did not arrive, or may not have, and no channel is left. */
  readonly isLost: boolean;
  readonly detail: string | undefined;
}

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
  readonly severity: AlertSeverity;
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

/** How the month of one target goes, and what becomes of its budgets. Amounts in micros. */
export interface PacingTarget {
  readonly rule: string;
  readonly customerId: CustomerId;
  /** For people: "Trail Shoes (campaign 21)", "account 1234567890". */
  readonly subject: string;
  /** Undefined where the target is of several. */
  readonly campaignId: string | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: string | undefined;
  readonly currency: string | undefined;
  readonly reading: PaceReading;
  /** What its budgets come to together by what was decided, after every guard; those that nothing changes as they are. */
  readonly shouldBe: bigint;
  /** The limits that held a change, each once. */
  readonly limitedBy: readonly LimitName[];
  /** What became of the rule's own wishes for it: none where it asks for nothing. */
  readonly decisions: readonly DecisionResult[];
  /** What other rules make of its budgets, which `shouldBe` counts too. */
  readonly others: readonly DecisionResult[];
  /** The condition that the reasons of the rule's own decisions begin with. */
  readonly because: string;
}

/** The targets that rules pace budgets to; `rules` are those that pace. */
export interface PacingResult extends RulesRead {
  readonly mode: string;
  /** A rule to begin with where none paces, as a file. */
  readonly example: string | undefined;
  readonly targets: readonly PacingTarget[];
}

/** What a rule would have done on past days. Nothing was changed for it. */
export interface BacktestResult {
  readonly rule: RuleDescription;
  readonly target: string;
  readonly days: DateRange;
  readonly evaluatedAt: string;
  readonly accounts: readonly AccountResult[];
  /** Of the accounts that it was tried on. */
  readonly trials: readonly AccountBacktest[];
  /** What a reader must know to judge it, one sentence each. */
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

export interface AccountBacktest {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly sums: TrialSums;
  /** What all budgets came to before the first and after the last day, micros. */
  readonly budgets: { readonly begin: bigint; readonly end: bigint };
  /** In the order of the days. */
  readonly rows: readonly TrialRow[];
}
