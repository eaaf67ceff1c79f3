import type { PastChange } from '../../../domain/budget-change.ts';
import type { CampaignStatus } from '../../../domain/campaign-status.ts';
import type { Shortfall } from '../evaluate/decided-number.ts';

export interface StoppedCampaign {
  readonly label: string;
  readonly status: Exclude<CampaignStatus, 'ENABLED'>;
}

/** Micros as decimal text, because JSON has no 64-bit integers. */
type Amount = string;

/** `share` is an exact number as text. */
export type LimitFacts =
  | { readonly name: 'step'; readonly share: string }
  /** `base` is the amount before the first change within `days`, or after the last change elsewhere if that is later. */
  | { readonly name: 'drift'; readonly share: string; readonly days: number; readonly base: Amount }
  | { readonly name: 'floor' | 'ceiling'; readonly amount: Amount };

interface Implausible {
  /** Null for an amount that a person sets. */
  readonly change: string | null;
  readonly from: Amount;
  readonly to: Amount;
  readonly currency: string;
}

interface AtLimit {
  readonly budgetId: string;
  readonly amount: Amount;
  readonly limit: LimitFacts;
  readonly end: Amount;
  readonly currency: string;
}

interface BeyondBound {
  readonly from: Amount;
  readonly to: Amount;
  readonly sum: Amount;
  readonly most: Amount;
  readonly currency: string | null;
}

export interface RefusalFacts {
  FROZEN: { readonly why: string };
  /** `amount` is null if unknown, otherwise zero or less. */
  BUDGET_NOT_KNOWN: {
    readonly subject: string;
    readonly budgetId: string | null;
    readonly amount: Amount | null;
    readonly currency: string | null;
  };
  /** `amount` is for the whole period. Null if unknown. */
  TOTAL_BUDGET: { readonly budgetId: string; readonly amount: Amount | null; readonly currency: string | null };
  BUDGET_REMOVED: { readonly budgetId: string };
  /** `currency` is null if the account's currency is unknown. Otherwise, its smallest amount is unknown. */
  CURRENCY_NOT_KNOWN: { readonly currency: string | null };
  OUTCOME_OPEN: { readonly budgetId: string };
  AMOUNT_IN_DOUBT: {
    readonly budgetId: string;
    readonly expected: Amount;
    readonly found: Amount;
    readonly until: string;
    readonly currency: string;
  };
  NOT_SERVING:
    | { readonly campaigns: readonly StoppedCampaign[]; readonly count: number; readonly paused: number }
    | { readonly campaignId: string; readonly budgetId: string };
  /** `state` is the state of today's change. Null if that change may still be under way. */
  ALREADY_DECIDED_TODAY: { readonly budgetId: string; readonly state: string | null };
  /** `proposal` is null if another run creates the proposal at the same time. */
  WAITS_FOR_APPROVAL: { readonly budgetId: string; readonly proposal: string | null };
  REJECTED: {
    readonly proposal: string;
    readonly by: string;
    readonly day: string;
    readonly from: Amount;
    readonly to: Amount;
    readonly currency: string;
    readonly cooldownDays: number;
    readonly until: string;
  };
  DECIDED_BY_OTHER: { readonly budgetId: string; readonly rule: string; readonly subject: string };
  FOREIGN_CHANGE: {
    readonly budgetId: string;
    readonly from: Amount;
    readonly to: Amount;
    readonly currency: string;
    /** Null for an approval or an undo, because waiting does not help. */
    readonly until: string | null;
  };
  COOLDOWN: {
    readonly budgetId: string;
    readonly by: PastChange['by'];
    readonly day: string;
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
    readonly change: string | null;
    readonly amount: Amount;
    readonly currency: string;
    /** Null unless the change is smaller than the currency's smallest amount. */
    readonly unit: Amount | null;
    readonly limit: LimitFacts | null;
  };
  OUTSIDE_LIMITS:
    | {
        readonly to: Amount;
        readonly currency: string;
        readonly side: 'below' | 'above';
        readonly limit: LimitFacts;
      }
    | { readonly to: Amount; readonly currency: string; readonly unit: Amount };
  /** `isTotal` is true for a total budget, which has no daily amount. */
  TOTAL_UNKNOWN: { readonly budgetId: string; readonly isTotal?: boolean };
  ACCOUNT_TOTAL: BeyondBound;
  EXPOSURE: BeyondBound;
  CHANGES_PER_RUN: { readonly most: number };
  /** Another change of the same reallocation was refused with `code`. `code` is null if it was limited or is missing. */
  PLAN_INCOMPLETE: { readonly rule: string; readonly budgetId: string | null; readonly code: string | null };
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
