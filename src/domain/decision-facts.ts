import type { Origin } from './budget-change.ts';
import type { CivilDate } from './civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from './ids.ts';
import type { Micros } from './micros.ts';

/**
 * The one shape of a decision. A run reads it from the ledger. A preview, such as `pacing`, records nothing and makes it
 * from the plan. `views/report/decision-words.ts` has the words for it.
 */
export interface DecisionFacts {
  readonly kind: 'change' | 'proposal' | 'refusal' | 'would_change';
  readonly origin: Origin;
  /** For an undo: the rule of the undone change. */
  readonly rule: string;
  readonly ruleVersion: string | undefined;
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId | undefined;
  readonly campaignId: CampaignId | undefined;
  readonly campaignName: string | undefined;
  /** A name for people, such as "Trail Shoes (campaign 21)". */
  readonly subject: string | undefined;
  readonly currency: string | undefined;
  readonly from: Micros | undefined;
  readonly to: Micros | undefined;
  readonly mode: 'propose' | 'approve' | 'apply' | undefined;
  /** The code of the reason for a refusal. The facts are the numbers of this reason. */
  readonly code: string | undefined;
  readonly facts: unknown;
  readonly reason: string;
  /** The change or undo of a person that the ledger does not have, because it was refused. */
  readonly refused?: { readonly by: string; readonly undoes: bigint | undefined; readonly because: string };
  readonly intent: IntentFacts | undefined;
  /** The proposal that this decision created, or the proposal behind this change. */
  readonly proposal: ProposalFacts | undefined;
}

type WhatAndWhy = Pick<DecisionFacts, 'kind' | 'code'>;

/** The budget has a request that no person has decided. So the guards hold another change, and refuse nothing for good. */
export function isWaiting({ kind, code }: WhatAndWhy): boolean {
  return kind === 'refusal' && code === 'WAITS_FOR_APPROVAL';
}

export function isRefused(decision: WhatAndWhy): boolean {
  return decision.kind === 'refusal' && !isWaiting(decision);
}

export interface IntentFacts {
  readonly id: bigint;
  readonly state:
    | 'planned'
    | 'validated'
    | 'sending'
    | 'applied'
    | 'rejected'
    | 'unknown'
    | 'confirmed'
    | 'superseded'
    | 'expired';
  readonly undoes: bigint | undefined;
  readonly actor: string;
  readonly code: string | undefined;
  readonly outcome: string | undefined;
  /** True if this run could not read the account, so `outcome` is from an earlier run. */
  readonly isUnread?: boolean;
}

export interface ProposalFacts {
  readonly code: string;
  readonly state: 'open' | 'approved' | 'rejected' | 'expired' | 'superseded';
  readonly decidedBy: string | undefined;
  readonly accountDay: CivilDate;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly timeZone: string | undefined;
}

/** A decision before anything is done. `change` has the amounts, without the condition that `reason` also contains. */
export interface PlannedDecision extends DecisionFacts {
  readonly kind: 'refusal' | 'would_change';
  readonly change?: string;
}
