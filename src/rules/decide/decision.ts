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

/** What a rule was evaluated for, with its names as they were. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly customerId: CustomerId;
  /** Undefined where the subject holds several, or the table does not tell. */
  readonly campaignId: CampaignId | undefined;
  readonly campaignName: string | undefined;
  readonly budgetId: BudgetId | undefined;
  readonly adGroupId: bigint | undefined;
  readonly criterionId: bigint | undefined;
  /** For people: "Trail Shoes (campaign 21)", "budget 987 (3 campaigns)", "account 1234567890". */
  readonly label: string;
}

/** What a rule says of one subject. */
export interface Verdict {
  readonly rule: Rule;
  readonly subject: Subject;
  readonly truth: Truth;
  /** The condition with each value filled in and the days it used. Computed when asked for. */
  explain(): string;
  /** What AND and OR join in the condition of the rule's own day. None decided where another day or the pace did. */
  clauses(): readonly Clause[];
  /** The numbers that the condition looks at and their days, and nothing of what is asked of them; undefined when not all are known. */
  numbersText(): string | undefined;
  /** The alert's text with its values; undefined unless the rule fires and has one. */
  alertText(): string | undefined;
  /** The budget changes that are wished for when the rule fires: one, or for an account one for each of its budgets. */
  wishes(): readonly Wish[];
  /** How the target stands of a rule that paces, whether or not it fires; undefined for other rules. */
  pace?(): PaceReading | undefined;
}

/** A change that a rule asks for, before any limit. */
export interface Wish {
  readonly rule: Rule;
  readonly subject: Subject;
  /** Undefined where the subject's budget is not known. */
  readonly budgetId: BudgetId | undefined;
  /** Micros, a fraction allowed; undefined when the change's expression is unknown. */
  readonly target: Rational | undefined;
  /** The campaigns whose numbers it was decided on, where none of them runs. */
  readonly stopped?: readonly StoppedCampaign[] | undefined;
  /** Numbers that there is too little of; none when there is enough. */
  readonly tooLittle: readonly Shortfall[];
  /** The condition with its values and days. */
  readonly because: string;
  /** Those that the condition, the change and the pace looked at. */
  readonly numbers: readonly DecidedNumber[];
  /** The rule's alert with its values; undefined where it has none. */
  readonly alertText: string | undefined;
}

/** A person's NO to a change of a budget. */
export interface RejectedProposal {
  readonly code: string;
  /** Who said no, for people: "anna". */
  readonly by: string;
  /** The account's calendar day of it. */
  readonly day: CivilDate;
  readonly from: Micros;
  readonly to: Micros;
}

/** What the guards know of one budget. */
export interface BudgetFacts {
  readonly budgetId: BudgetId;
  readonly amount: Micros;
  /** Whether the amount was read from the interface or is declared in the settings. */
  readonly source: 'read' | 'declared';
  /** The service says that the budget is no more. */
  readonly removed: boolean;
  readonly campaigns: readonly {
    readonly id: CampaignId;
    readonly name: string | undefined;
    /** As the service says now; undefined where it does not. */
    readonly status?: CampaignStatus | undefined;
  }[];
  /** What became of the automated change the budget had on the account's today; undefined when it had none. */
  readonly decidedToday: string | undefined;
  /** A change was sent and its outcome is not known. */
  readonly outcomeOpen: boolean;
  /** It shows another amount than we last set, and the reading may be older than that; undefined when nothing is in doubt. */
  readonly inDoubt?: AmountInDoubt | undefined;
  /**
   * What the budget may be beside its reading: the higher end of a change in the works or without an outcome, or our record of an
   * amount in doubt. The account's totals count the higher of the two.
   */
  readonly mayBecome?: Micros | undefined;
  /** A proposal for it waits for a person: its code. */
  readonly proposed: string | undefined;
  /** The newest proposal for it that a person rejected, as far back as `changes` goes. */
  readonly rejected?: RejectedProposal | undefined;
  /** Oldest first, far enough back for every rule's cooldown and drift. */
  readonly changes: readonly PastChange[];
}

/** What the guards know of the account. */
export interface AccountFacts {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly today: CivilDate;
  readonly budgets: ReadonlyMap<BudgetId, BudgetFacts>;
  /** Budgets that there are and whose amounts nobody knows: what all come to together is not known either. */
  readonly unreadable?: readonly BudgetId[] | undefined;
  /** The most that all its daily budgets may come to together; undefined for no bound. */
  readonly dailyTotalMax: Micros | undefined;
  /** The most that one day may cost at worst: twice the highest amount each budget had or gets on that day. */
  readonly dailyExposureMax: Micros | undefined;
  /** Why nothing may be changed now: "frozen by anna since …: budget review"; undefined when it may. */
  readonly frozen: string | undefined;
}

export type LimitName = LimitFacts['name'];

/** What became of a wish. */
export type Decision =
  | {
      readonly kind: 'change';
      readonly wish: Wish;
      readonly budgetId: BudgetId;
      readonly from: Micros;
      readonly to: Micros;
      readonly amountSource: BudgetFacts['source'];
      readonly currency: string;
      /** The narrower of the rule's and the settings' mode. */
      readonly mode: Mode;
      readonly limitedBy: LimitName | undefined;
      /** The change with its amounts, and the limit that held it. */
      readonly change: string;
      /** Why, with the numbers it was decided on, and the change. */
      readonly reason: string;
      /** The same for people who have the amounts beside it. */
      readonly reasonWithoutAmounts: string;
    }
  | {
      readonly kind: 'refused';
      readonly wish: Wish;
      readonly refusal: Refusal;
    };
