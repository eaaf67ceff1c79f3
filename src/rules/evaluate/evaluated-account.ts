import type { CampaignStatus } from '../../domain/campaign-status.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { AccountCalendar } from './resolve-window.ts';

/** The budget of a campaign now. */
export interface CampaignBudget {
  readonly budgetId: BudgetId;
  readonly campaignName: string | undefined;
  readonly amount: Micros;
  /** As the service says now; undefined where it was not asked, or does not say. */
  readonly campaignStatus?: CampaignStatus | undefined;
}

/** What stands around the members of an account while its rules are evaluated. */
export interface EvaluatedAccount extends AccountCalendar {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  /** Whether the table holds the day's final numbers. */
  readonly settled: (day: CivilDate) => boolean;
  readonly readToday: boolean;
  /** Days that are like no other, by the settings. */
  readonly holidays: ReadonlySet<CivilDate>;
  /** The budget's highest amount on a day; undefined where the budget is not known. */
  readonly highestOn: (budgetId: BudgetId, day: CivilDate) => Micros | undefined;
  readonly budgets: ReadonlyMap<CampaignId, CampaignBudget>;
  /** Budgets beside these whose amounts nobody knows. */
  readonly unreadable?: readonly BudgetId[] | undefined;
}
