import type { AmountInDoubt, PastChange } from '../../../domain/budget-change.ts';
import type { CampaignStatus } from '../../../domain/campaign-status.ts';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import type { Rational } from '../../../domain/rational.ts';
import type { UnreadableBudget } from '../../../domain/unreadable-budget.ts';
import type { DecidedNumber, Shortfall } from '../evaluate/decided-number.ts';
import type { Truth } from '../evaluate/evaluate-condition.ts';
import type { Clause } from '../evaluate/explain.ts';
import type { PaceReading } from '../pacing/pace.ts';
import type { MeasuredBudget } from '../reallocation/measured-budget.ts';
import type { Mode, Rule, SubjectKind } from '../rule.ts';
import type { LimitFacts, Refusal, StoppedCampaign } from './refusal.ts';

export interface Subject {
  readonly kind: SubjectKind;
  readonly customerId: CustomerId;
  /** Undefined for an account, a budget of several campaigns, or an unknown campaign. */
  readonly campaignId: CampaignId | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: BudgetId | undefined;
  readonly adGroupId: bigint | undefined;
  readonly criterionId: bigint | undefined;
  /** Examples: "Trail Shoes (campaign 21)", "budget 987 (3 campaigns)". */
  readonly label: string;
}

export interface Verdict {
  readonly rule: Rule;
  readonly subject: Subject;
  readonly truth: Truth;
  explain(): string;
  clauses(): readonly Clause[];
  /** Undefined if the condition has an unknown number or no number. */
  numbersText(): string | undefined;
  alertText(): string | undefined;
  requests(): readonly RequestedChange[];
  /** Undefined unless the rule paces a budget. */
  readonly pace: PaceReading | undefined;
  /** Undefined unless the rule reallocates budgets, and this one is running. */
  readonly measured: MeasuredBudget | undefined;
}

/** A change before any limit is applied. */
export interface RequestedChange {
  readonly rule: Rule;
  readonly subject: Subject;
  readonly budgetId: BudgetId | undefined;
  /** In micros, possibly with a fraction. Undefined if the value is unknown. */
  readonly target: Rational | undefined;
  /** The campaigns of this budget, if all of them are stopped. */
  readonly stopped?: readonly StoppedCampaign[] | undefined;
  readonly tooLittle: readonly Shortfall[];
  readonly because: string;
  readonly numbers: readonly DecidedNumber[];
  readonly alertText: string | undefined;
}

export interface RejectedProposal extends Pick<PastChange, 'day' | 'from' | 'to'> {
  readonly code: string;
  readonly by: string;
}

export interface BudgetFacts {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  readonly source: 'read' | 'declared';
  readonly removed: boolean;
  readonly campaigns: readonly {
    readonly id: CampaignId;
    readonly name: string | undefined;
    readonly status?: CampaignStatus | undefined;
  }[];
  /** State of the change that a rule decided today. Undefined without such a change. */
  readonly decidedToday: string | undefined;
  readonly outcomeOpen: boolean;
  /** Set while the service may still show an old amount instead of the recorded amount. */
  readonly inDoubt?: AmountInDoubt | undefined;
  /** The amount that a pending or unconfirmed change could set. Totals use the higher amount. */
  readonly mayBecome?: Micros | undefined;
  readonly proposed: string | undefined;
  readonly rejected?: RejectedProposal | undefined;
  /** Oldest first, far enough back for every rule's cooldown and drift. */
  readonly changes: readonly PastChange[];
}

export interface AccountFacts {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  /** Undefined if neither the service nor the settings say it. See `budgetUnitOf`. */
  readonly budgetUnit?: Micros | undefined;
  readonly today: CivilDate;
  readonly budgets: ReadonlyMap<BudgetId, BudgetFacts>;
  /** Budgets whose amount could not be read, so the account's total is unknown. */
  readonly unreadable?: readonly UnreadableBudget[] | undefined;
  /** Limit for the sum of all daily budgets. */
  readonly dailyTotalMax: Micros | undefined;
  /** Limit for the possible cost of a day: twice the highest amount of each budget. */
  readonly dailyExposureMax: Micros | undefined;
  /** Text such as "frozen by anna since 2026-11-19 …". Undefined while changes are allowed. */
  readonly frozen: string | undefined;
}

export type LimitName = LimitFacts['name'];

export type Decision =
  | {
      readonly kind: 'change';
      readonly request: RequestedChange;
      readonly budgetId: BudgetId;
      readonly from: Micros;
      readonly to: Micros;
      readonly amountSource: BudgetFacts['source'];
      readonly currency: string;
      readonly mode: Mode;
      readonly limitedBy: LimitName | undefined;
      readonly change: string;
      readonly reason: string;
      readonly reasonWithoutAmounts: string;
    }
  | {
      readonly kind: 'refused';
      readonly request: RequestedChange;
      readonly refusal: Refusal;
    };
