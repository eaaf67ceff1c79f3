import type { PastChange } from '../../domain/budget-change.ts';
import type { CampaignStatus } from '../../domain/campaign-status.ts';
import type { Shortfall } from '../evaluate/decided-number.ts';

/** A campaign that does not run now, and what it is called. */
export interface StoppedCampaign {
  readonly label: string;
  readonly status: Exclude<CampaignStatus, 'ENABLED'>;
}

/** Micros as decimal text: JSON has no integers of 64 bits. */
type Amount = string;

/** A limit with its value. Shares are exact texts. */
export type LimitFacts =
  | { readonly name: 'step'; readonly share: string }
  /** `base`: the amount that it is measured from. */
  | { readonly name: 'drift'; readonly share: string; readonly days: number; readonly base: Amount }
  | { readonly name: 'floor' | 'ceiling'; readonly amount: Amount };

interface Implausible {
  /** As the rule's file has it; null for an amount that a person sets. */
  readonly change: string | null;
  readonly from: Amount;
  /** Rounded to a whole micro, and perhaps beyond int64. */
  readonly to: Amount;
  readonly currency: string;
}

interface AtLimit {
  readonly budgetId: string;
  readonly amount: Amount;
  readonly limit: LimitFacts;
  /** The last amount that the limit allows. */
  readonly end: Amount;
  readonly currency: string;
}

/** A change with which the account's budgets come to more than they may. */
interface BeyondBound {
  readonly from: Amount;
  readonly to: Amount;
  readonly sum: Amount;
  readonly most: Amount;
  readonly currency: string | null;
}

/** The facts of each refusal: plain JSON data, which `refusalWords` makes a sentence of. */
export interface RefusalFacts {
  FROZEN: { readonly why: string };
  /** `amount` is null where it is not known; one that is known is not above zero. */
  BUDGET_NOT_KNOWN: {
    readonly subject: string;
    readonly budgetId: string | null;
    readonly amount: Amount | null;
    readonly currency: string | null;
  };
  BUDGET_REMOVED: { readonly budgetId: string };
  /** Null for an account without one. A currency that is named has no known smallest amount. */
  CURRENCY_NOT_KNOWN: { readonly currency: string | null };
  OUTCOME_OPEN: { readonly budgetId: string };
  AMOUNT_IN_DOUBT: {
    readonly budgetId: string;
    readonly expected: Amount;
    readonly found: Amount;
    readonly until: string;
    readonly currency: string;
  };
  NOT_SERVING: /** The first of the campaigns that do not run, how many there are, and how many of these are paused. */
    | { readonly campaigns: readonly StoppedCampaign[]; readonly count: number; readonly paused: number }
    /** A campaign that spends from another budget now. */
    | { readonly campaignId: string; readonly budgetId: string };
  /** What became of the change of the day; null where it may still be under way. */
  ALREADY_DECIDED_TODAY: { readonly budgetId: string; readonly state: string | null };
  /** `proposal` is null for one that was made at the same time. */
  WAITS_FOR_APPROVAL: { readonly budgetId: string; readonly proposal: string | null };
  REJECTED: {
    readonly proposal: string;
    readonly by: string;
    readonly day: string;
    readonly from: Amount;
    readonly to: Amount;
    readonly currency: string;
    /** 0 for a rule without. */
    readonly cooldownDays: number;
    readonly until: string;
  };
  DECIDED_BY_OTHER: { readonly budgetId: string; readonly rule: string; readonly subject: string };
  FOREIGN_CHANGE: {
    readonly budgetId: string;
    readonly from: Amount;
    readonly to: Amount;
    readonly currency: string;
    /** Null for a change that a person wants: no day makes it possible. */
    readonly until: string | null;
  };
  COOLDOWN: {
    readonly budgetId: string;
    readonly by: PastChange['by'];
    readonly day: string;
    /** 0 for a rule without. */
    readonly cooldownDays: number;
    readonly until: string;
  };
  NOT_ENOUGH_DATA: { readonly missing: readonly Shortfall[]; readonly currency: string };
  TARGET_UNKNOWN: { readonly change: string; readonly subject: string };
  NOT_POSITIVE: Implausible;
  TOO_LARGE: Implausible;
  UNIT_SANITY: Implausible;
  AT_FLOOR: AtLimit;
  AT_CEILING: AtLimit;
  AT_DRIFT: AtLimit;
  NO_CHANGE: {
    /** As the rule's file has it; null for an amount that a person sets. */
    readonly change: string | null;
    readonly amount: Amount;
    readonly currency: string;
    /** The smallest amount, which the change does not come to; null where it would change nothing. */
    readonly unit: Amount | null;
    /** The limit that holds the change. */
    readonly limit: LimitFacts | null;
  };
  OUTSIDE_LIMITS:
    | {
        readonly to: Amount;
        readonly currency: string;
        readonly side: 'below' | 'above';
        readonly limit: LimitFacts;
      }
    /** No multiple of the smallest amount. */
    | { readonly to: Amount; readonly currency: string; readonly unit: Amount };
  TOTAL_UNKNOWN: { readonly budgetId: string };
  ACCOUNT_TOTAL: BeyondBound;
  EXPOSURE: BeyondBound;
  CHANGES_PER_RUN: { readonly most: number };
}

export type RefusalCode = keyof RefusalFacts;

export interface Refused<Code extends RefusalCode> {
  readonly kind: 'refused';
  readonly code: Code;
  readonly facts: RefusalFacts[Code];
}

export type Refusal = { readonly [Code in RefusalCode]: Refused<Code> }[RefusalCode];

export function refused<Code extends RefusalCode>(code: Code, facts: RefusalFacts[Code]): Refused<Code> {
  return { kind: 'refused', code, facts };
}
