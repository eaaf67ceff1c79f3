import type { CampaignStatus } from '../../domain/campaign-status.ts';
import { InvariantError } from '../../domain/errors.ts';
import { type BudgetId, budgetResourceName } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { Account, Budget, Campaign, Keyword } from '../market/market.ts';
import type { LinkedClient } from './account-tree.ts';

/** What a result row is about. Parts that its resource does not have are absent. */
export interface Entity {
  readonly account: Account;
  readonly keyword?: Keyword;
  readonly campaign?: Campaign;
  readonly budget?: Budget;
  /** An account below the one that was asked, or that one itself. */
  readonly link?: LinkedClient;
  /** The budget's amount at the time of the request. */
  readonly amountNow?: Micros;
  /** The campaign's at the time of the request. */
  readonly statusNow?: CampaignStatus;
  /** Whether somebody removed the budget. */
  readonly removed?: boolean;
  readonly change?: BudgetChanged;
}

/** A change of a budget, whoever made it. */
export interface BudgetChanged {
  readonly id: string;
  readonly budgetId: BudgetId;
  readonly from: Micros;
  readonly to: Micros;
  /** On the account's clock: `2026-11-20 13:00:00.000000`. */
  readonly at: string;
}

/** What a budget is at the time of a request. */
export interface BudgetNow {
  readonly amountNow: Micros;
  readonly removed: boolean;
}

/** Amounts and statuses at the time of the request. */
export interface Now {
  readonly budgetNow: (budget: Budget) => BudgetNow;
  /** The market's own when absent. */
  readonly statusNow?: (campaign: Campaign) => CampaignStatus;
}

/** As it stands in JSON: int64 as text, enums by name, booleans as booleans, messages as objects. */
export type FieldValue = string | boolean | { readonly [name: string]: FieldValue };

type Reader = (entity: Entity) => FieldValue | undefined;

const keywordPath = (entity: Entity, collection: string) =>
  entity.keyword &&
  `customers/${entity.account.customerId}/${collection}/${entity.keyword.adGroup.id}~${entity.keyword.criterionId}`;

const budgetPath = ({ account, budget }: Entity) => budget && budgetResourceName(account.customerId, budget.id);

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['keyword_view.resource_name', (entity) => keywordPath(entity, 'keywordViews')],
  ['ad_group_criterion.resource_name', (entity) => keywordPath(entity, 'adGroupCriteria')],
  ['ad_group_criterion.criterion_id', ({ keyword }) => keyword?.criterionId],
  ['ad_group_criterion.status', ({ keyword }) => keyword?.status],
  ['ad_group_criterion.keyword.text', ({ keyword }) => keyword?.text],
  ['ad_group_criterion.keyword.match_type', ({ keyword }) => keyword?.matchType],
  [
    'ad_group.resource_name',
    ({ account, keyword }) => keyword && `customers/${account.customerId}/adGroups/${keyword.adGroup.id}`,
  ],
  ['ad_group.id', ({ keyword }) => keyword?.adGroup.id],
  ['ad_group.name', ({ keyword }) => keyword?.adGroup.name],
  ['ad_group.status', ({ keyword }) => keyword?.adGroup.status],
  [
    'campaign.resource_name',
    ({ account, campaign }) => campaign && `customers/${account.customerId}/campaigns/${campaign.id}`,
  ],
  ['campaign.id', ({ campaign }) => campaign?.id],
  ['campaign.name', ({ campaign }) => campaign?.name],
  ['campaign.status', ({ statusNow }) => statusNow],
  ['campaign.advertising_channel_type', ({ campaign }) => campaign && 'SEARCH'],
  ['campaign.campaign_budget', budgetPath],
  ['campaign_budget.resource_name', budgetPath],
  ['campaign_budget.id', ({ budget }) => budget?.id],
  ['campaign_budget.name', ({ budget }) => budget?.name],
  ['campaign_budget.amount_micros', ({ amountNow }) => amountNow?.toString()],
  ['campaign_budget.explicitly_shared', ({ budget }) => budget?.explicitlyShared],
  ['campaign_budget.reference_count', ({ budget }) => budget && String(budget.campaignIds.length)],
  ['campaign_budget.status', ({ budget, removed }) => budget && (removed ? 'REMOVED' : 'ENABLED')],
  [
    'customer_client.resource_name',
    ({ account, link }) => link && `customers/${account.customerId}/customerClients/${link.client.account.customerId}`,
  ],
  ['customer_client.client_customer', ({ link }) => link && `customers/${link.client.account.customerId}`],
  ['customer_client.id', ({ link }) => link?.client.account.customerId],
  ['customer_client.level', ({ link }) => link && String(link.level)],
  ['customer_client.manager', ({ link }) => link?.client.manager],
  ['customer_client.status', ({ link }) => link?.client.status],
  ['customer_client.hidden', ({ link }) => link?.client.hidden],
  ['customer_client.descriptive_name', ({ link }) => link?.client.account.name],
  ['customer_client.currency_code', ({ link }) => link?.client.account.currency],
  ['customer_client.time_zone', ({ link }) => link?.client.account.timeZone],
  [
    'change_event.resource_name',
    ({ account, change }) => change && `customers/${account.customerId}/changeEvents/${change.id}`,
  ],
  ['change_event.change_date_time', ({ change }) => change?.at],
  [
    'change_event.change_resource_name',
    ({ account, change }) => change && budgetResourceName(account.customerId, change.budgetId),
  ],
  ['change_event.change_resource_type', ({ change }) => change && 'CAMPAIGN_BUDGET'],
  ['change_event.resource_change_operation', ({ change }) => change && 'UPDATE'],
  ['change_event.old_resource', ({ change }) => change && changedBudget(change.from)],
  ['change_event.new_resource', ({ change }) => change && changedBudget(change.to)],
  ['customer.resource_name', ({ account }) => `customers/${account.customerId}`],
  ['customer.id', ({ account }) => account.customerId],
  ['customer.descriptive_name', ({ account }) => account.name],
  ['customer.currency_code', ({ account }) => account.currency],
  ['customer.time_zone', ({ account }) => account.timeZone],
]);

const changedBudget = (amount: Micros) => ({ campaignBudget: { amountMicros: amount.toString() } });

/** The attribute's value; undefined where the entity has none (NULL in a query). */
export function readField(field: string, entity: Entity): FieldValue | undefined {
  const reader = READERS.get(field);
  if (reader === undefined) throw new InvariantError(`The sandbox has no values for the field ${field}.`);
  return reader(entity);
}

/** The entities a query FROM the resource has rows for. */
export function entitiesOf(
  resource: string,
  account: Account,
  { budgetNow, statusNow = ({ status }) => status }: Now,
  links: readonly LinkedClient[],
  changes: readonly BudgetChanged[],
): Entity[] {
  const ofBudget = (budget: Budget) => ({ budget, ...budgetNow(budget) });
  switch (resource) {
    case 'keyword_view':
      return account.keywords.map((keyword) => {
        const { campaign } = keyword;
        return { account, keyword, campaign, statusNow: statusNow(campaign), budget: campaign.budget };
      });
    case 'campaign':
      return account.campaigns.map((campaign) => ({
        account,
        campaign,
        statusNow: statusNow(campaign),
        ...ofBudget(campaign.budget),
      }));
    case 'campaign_budget':
      return account.budgets.map((budget) => ({ account, ...ofBudget(budget) }));
    case 'customer':
      return [{ account }];
    case 'customer_client':
      return links.map((link) => ({ account, link }));
    case 'change_event':
      return changes.map((change) => ({ account, change }));
    default:
      throw new InvariantError(`The sandbox has no rows for the resource ${resource}.`);
  }
}
