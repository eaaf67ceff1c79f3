import type { CampaignStatus } from '../../../domain/campaign-status.ts';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/micros.ts';
import type { UnreadableBudget } from '../../../domain/unreadable-budget.ts';
import type { KnownCalendar } from './resolve-window.ts';

export interface CampaignBudget {
  readonly budgetId: BudgetId;
  readonly campaignName: string | undefined;
  readonly amount: Micros;
  readonly campaignStatus?: CampaignStatus | undefined;
}

export type LabelsByName = ReadonlyMap<string, readonly string[]>;

export interface EvaluatedAccount extends KnownCalendar {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly budgetUnit?: Micros | undefined;
  readonly highestOn: (budgetId: BudgetId, day: CivilDate) => Micros | undefined;
  readonly budgets: ReadonlyMap<CampaignId, CampaignBudget>;
  /** Resource names of labels, by name. Only for rules that use labels. */
  readonly labels?: LabelsByName | undefined;
  readonly unreadable?: readonly UnreadableBudget[] | undefined;
}
