import type { BudgetId, CampaignId } from './ids.ts';
import type { Micros } from './micros.ts';

/** A budget whose daily amount the service does not show. */
export interface UnreadableBudget {
  readonly budgetId: BudgetId;
  readonly campaigns: readonly CampaignId[];
  /** Set for a total budget (`CUSTOM_PERIOD`), which has one amount for its whole period. */
  readonly total: { readonly amount: Micros | undefined } | undefined;
}
