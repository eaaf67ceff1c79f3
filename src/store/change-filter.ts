import type { CampaignId, CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';

/** Which changes of the past are wanted; what is left out narrows nothing. */
export interface ChangeFilter {
  readonly customers?: readonly CustomerId[];
  /** Of a campaign all those of the budgets that were ever changed for it. */
  readonly campaignId?: CampaignId | undefined;
  readonly limit?: number | undefined;
}

/** The budgets that were ever changed for the campaign, as a part of a query. */
export function budgetsChangedFor(db: StateDb, campaign: CampaignId) {
  return db.selectFrom('budgetIntent').select('budgetId').where('campaignId', '=', campaign);
}
