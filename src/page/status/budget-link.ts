import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import { type Html, html } from '../html.ts';
import { named } from '../table.ts';
import { rootFrom } from './frame.ts';
import { line } from './parts.ts';

/** What a decision names a budget by. */
export interface NamedBudget {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly campaignId?: CampaignId | undefined;
  readonly campaignName?: string | undefined;
}

/** The campaign's name, or the budget's number, leading to the budget's own page; `path` is that of the page it stands on. */
export function budgetLink(path: string, budget: NamedBudget): Html {
  const href = `${rootFrom(path)}budgets/${budget.customerId}/${budget.budgetId}`;
  return html`<a href="${href}">${named(budgetName(budget))}</a>`;
}

export function budgetName({ budgetId, campaignId, campaignName }: NamedBudget): string {
  if (campaignName !== undefined) return line(campaignName) || `budget ${budgetId}`;
  return campaignId === undefined ? `budget ${budgetId}` : `campaign ${campaignId}`;
}
