import type { BudgetId, CampaignId } from './ids.ts';

/** What a decision names a budget by; without a campaign it is of more than one. */
export interface BudgetSubject {
  readonly budgetId: BudgetId;
  readonly campaignId?: CampaignId | undefined;
  readonly campaignName?: string | undefined;
}

/**
 * "Trail Shoes (campaign 21)", or "Trail Shoes" where it is short; "campaign 21" without a name; "budget 987" of several
 * campaigns. `written`: how the place writes names of others.
 */
export function subjectOf(
  { budgetId, campaignId, campaignName }: BudgetSubject,
  form: 'with id' | 'short',
  written: (name: string) => string = (name) => name,
): string {
  const name = campaignName === undefined ? '' : written(campaignName);
  const id = campaignId === undefined ? `budget ${budgetId}` : `campaign ${campaignId}`;
  if (name === '') return id;
  if (form === 'short') return name;
  return campaignId === undefined ? id : `${name} (${id})`;
}
