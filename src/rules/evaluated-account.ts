import type { CivilDate } from '../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { AccountCalendar } from './resolve-window.ts';

/** The budget of a campaign now. */
export interface CampaignBudget {
  readonly budgetId: BudgetId;
  readonly campaignName: string | undefined;
  readonly amount: Micros;
}

/** What stands around the members of an account while its rules are evaluated. */
export interface EvaluatedAccount extends AccountCalendar {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  /** Whether the table holds the day's final numbers. */
  readonly settled: (day: CivilDate) => boolean;
  readonly budgets: ReadonlyMap<CampaignId, CampaignBudget>;
}
