import type { CampaignStatus } from '../../../domain/campaign-status.ts';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import type { UnreadableBudget } from '../../../domain/unreadable-budget.ts';
import type { PaceFinding } from '../pacing/evaluate-pace.ts';
import type { AccountPart } from '../pacing/merge-parts.ts';
import type { KnownCalendar } from './resolve-window.ts';

export interface CampaignBudget {
  readonly budgetId: BudgetId;
  readonly campaignName: string | undefined;
  readonly amount: Micros;
  readonly campaignStatus?: CampaignStatus | undefined;
}

export interface EvaluatedAccount extends KnownCalendar {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly budgetUnit?: Micros | undefined;
  readonly highestOn: (budgetId: BudgetId, day: CivilDate) => Micros | undefined;
  readonly budgets: ReadonlyMap<CampaignId, CampaignBudget>;
  readonly unreadable?: readonly UnreadableBudget[] | undefined;
  /** For parts of targets, which need what other accounts know. */
  readonly ofTargets?: OfTargets | undefined;
}

/** First, each account says what it knows of the targets, by name. Then it does its part of what was decided together. */
export type OfTargets =
  | { readonly kind: 'asked'; say(target: string, part: AccountPart): void }
  | { readonly kind: 'decided'; readonly parts: ReadonlyMap<string, TargetPart> };

/** `because` says why the target is not paced now. */
export type TargetPart =
  | { readonly kind: 'paced'; readonly finding: PaceFinding }
  | { readonly kind: 'withheld'; readonly because: string };
