import type { AmountInDoubt, PastChange } from '../../domain/budget-change.ts';
import type { CampaignStatus } from '../../domain/campaign-status.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { Rational } from '../../domain/rational.ts';
import type { DecidedNumber, Shortfall } from '../evaluate/decided-number.ts';
import type { Truth } from '../evaluate/evaluate-condition.ts';
import type { Clause } from '../evaluate/explain.ts';
import type { PaceReading } from '../pacing/pace.ts';
import type { Mode, Rule, SubjectKind } from '../rule.ts';
import type { LimitFacts, Refusal, StoppedCampaign } from './refusal.ts';

export interface Subject {
  readonly kind: SubjectKind;
  readonly customerId: CustomerId;
  /** Undefined if the subject has several campaigns, or the table has no campaigns. */
  readonly campaignId: CampaignId | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: BudgetId | undefined;
  readonly adGroupId: bigint | undefined;
  readonly criterionId: bigint | undefined;
  /** For people: "Trail Shoes (campaign 21)", "budget 987 (3 campaigns)", "account 1234567890". */
  readonly label: string;
}

export interface Verdict {
  readonly rule: Rule;
  readonly subject: Subject;
  readonly truth: Truth;
  /** The condition with its values and days. Computed on demand. */
  explain(): string;
  /** The conditions that AND and OR join. If another day or the pace decided, no condition is decisive. */
  clauses(): readonly Clause[];
  /** The numbers of the condition and their days. Undefined if one of the numbers is unknown. */
  numbersText(): string | undefined;
  /** The alert with its values. Undefined if the rule does not fire or has no alert. */
  alertText(): string | undefined;
  requests(): readonly RequestedChange[];
  /** State of a pacing rule's target, even if the rule does not fire. Undefined for other rules. */
  pace?(): PaceReading | undefined;
}

/** A requested change, before any limit. */
export interface RequestedChange {
  readonly rule: Rule;
  readonly subject: Subject;
  readonly budgetId: BudgetId | undefined;
  /** In micros, possibly with a fraction. Undefined if the value of the change's expression is unknown. */
  readonly target: Rational | undefined;
  /** The subject's campaigns that use this budget, if all of them are stopped. */
  readonly stopped?: readonly StoppedCampaign[] | undefined;
  /** Numbers below the rule's minimum. */
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
    /** The service's current status. Undefined if unknown. */
    readonly status?: CampaignStatus | undefined;
  }[];
  /**
   * State of the change that a rule decided today, in the account's time zone. Undefined if no rule decided a change
   * today.
   */
  readonly decidedToday: string | undefined;
  /** True if a change was sent and its outcome is unknown. */
  readonly outcomeOpen: boolean;
  /** Defined if the service shows another amount than pacekeeper last set. The service possibly shows a change late. */
  readonly inDoubt?: AmountInDoubt | undefined;
  /**
   * The higher amount of a pending or unknown change. For a budget in doubt, the recorded amount. Totals use this
   * amount if it is above `amount`.
   */
  readonly mayBecome?: Micros | undefined;
  readonly proposed: string | undefined;
  /** The newest rejection in the time that `changes` covers. */
  readonly rejected?: RejectedProposal | undefined;
  /** Oldest first, far enough back for every rule's cooldown and drift. */
  readonly changes: readonly PastChange[];
}

export interface AccountFacts {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly today: CivilDate;
  readonly budgets: ReadonlyMap<BudgetId, BudgetFacts>;
  /** Budgets whose amount could not be read. They make the account's total unknown. */
  readonly unreadable?: readonly BudgetId[] | undefined;
  /** Limit for the sum of all daily budgets. Undefined for no limit. */
  readonly dailyTotalMax: Micros | undefined;
  /** Limit for the worst cost of a day: twice the highest amount of each budget on that day. */
  readonly dailyExposureMax: Micros | undefined;
  /** The reason, such as "frozen by anna since …: budget review". Undefined while changes are allowed. */
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
      /** The narrower of the rule's and the settings' mode. */
      readonly mode: Mode;
      readonly limitedBy: LimitName | undefined;
      readonly change: string;
      readonly reason: string;
      /** For readers who see the amounts beside this text. */
      readonly reasonWithoutAmounts: string;
    }
  | {
      readonly kind: 'refused';
      readonly request: RequestedChange;
      readonly refusal: Refusal;
    };
