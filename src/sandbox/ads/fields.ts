import type { CampaignStatus } from '../../domain/campaign-status.ts';
import { InvariantError } from '../../domain/errors.ts';
import { type BudgetId, budgetResourceName } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { type DataType, smallCatalogue } from '../../gaql/catalogue/catalogue.ts';
import { KEYWORD_KEY, SPECIFIED_FIELDS, STATUSES } from '../../gaql/catalogue/specification-catalogue.ts';
import type { FieldRef, Query } from '../../gaql/syntax/tree.ts';
import type { Account, Budget, Campaign, Keyword } from '../market/market.ts';
import type { LinkedClient } from './account-tree.ts';

export interface Entity {
  readonly account: Account;
  readonly keyword?: Keyword;
  readonly campaign?: Campaign;
  readonly budget?: Budget;
  readonly link?: LinkedClient;
  readonly amountNow?: Micros;
  readonly statusNow?: CampaignStatus;
  readonly removed?: boolean;
  readonly change?: BudgetChanged;
}

export interface BudgetChanged {
  readonly id: string;
  readonly budgetId: BudgetId;
  readonly from: Micros;
  readonly to: Micros;
  /** Account time, such as `2026-11-20 13:00:00.000000`. */
  readonly at: string;
}

export interface Now {
  readonly budgetNow: (budget: Budget) => { readonly amountNow: Micros; readonly removed: boolean };
  /** Default: the market's own status. */
  readonly statusNow?: (campaign: Campaign) => CampaignStatus;
}

/** As in JSON, with int64 as text. */
export type FieldValue = string | boolean | { readonly [name: string]: FieldValue };

type Reader = (entity: Entity) => FieldValue | undefined;

const keywordPath = (entity: Entity, collection: string) =>
  entity.keyword &&
  `customers/${entity.account.customerId}/${collection}/${entity.keyword.adGroup.id}~${entity.keyword.criterionId}`;

const budgetPath = ({ account, budget }: Entity) => budget && budgetResourceName(account.customerId, budget.id);

const changedBudget = (amount: Micros) => ({ campaignBudget: { amountMicros: amount.toString() } });

const SPECIFIED: readonly (readonly [name: string, read: Reader])[] = [
  ['campaign.id', ({ campaign }) => campaign?.id],
  ['campaign.name', ({ campaign }) => campaign?.name],
  ['campaign.advertising_channel_type', ({ campaign }) => campaign && 'SEARCH'],
  ['ad_group.id', ({ keyword }) => keyword?.adGroup.id],
  ['ad_group.name', ({ keyword }) => keyword?.adGroup.name],
  ['ad_group.status', ({ keyword }) => keyword?.adGroup.status],
  ['ad_group_criterion.criterion_id', ({ keyword }) => keyword?.criterionId],
  ['ad_group_criterion.status', ({ keyword }) => keyword?.status],
  ['ad_group_criterion.keyword.text', ({ keyword }) => keyword?.text],
  ['ad_group_criterion.keyword.match_type', ({ keyword }) => keyword?.matchType],
];

/** Named as in the public interface. */
const PUBLIC: readonly (readonly [name: string, type: DataType, read: Reader, values?: readonly string[]])[] = [
  ['keyword_view.resource_name', 'RESOURCE_NAME', (entity) => keywordPath(entity, 'keywordViews')],
  [
    'campaign.resource_name',
    'RESOURCE_NAME',
    ({ account, campaign }) => campaign && `customers/${account.customerId}/campaigns/${campaign.id}`,
  ],
  ['campaign.status', 'ENUM', ({ statusNow }) => statusNow, STATUSES],
  ['campaign.campaign_budget', 'RESOURCE_NAME', budgetPath],
  [
    'ad_group.resource_name',
    'RESOURCE_NAME',
    ({ account, keyword }) => keyword && `customers/${account.customerId}/adGroups/${keyword.adGroup.id}`,
  ],
  ['ad_group_criterion.resource_name', 'RESOURCE_NAME', (entity) => keywordPath(entity, 'adGroupCriteria')],
  ['customer.resource_name', 'RESOURCE_NAME', ({ account }) => `customers/${account.customerId}`],
  ['customer.id', 'INT64', ({ account }) => account.customerId],
  ['customer.descriptive_name', 'STRING', ({ account }) => account.name],
  ['customer.currency_code', 'STRING', ({ account }) => account.currency],
  ['customer.time_zone', 'STRING', ({ account }) => account.timeZone],
  [
    'customer_client.resource_name',
    'RESOURCE_NAME',
    ({ account, link }) => link && `customers/${account.customerId}/customerClients/${link.client.account.customerId}`,
  ],
  [
    'customer_client.client_customer',
    'RESOURCE_NAME',
    ({ link }) => link && `customers/${link.client.account.customerId}`,
  ],
  ['customer_client.id', 'INT64', ({ link }) => link?.client.account.customerId],
  ['customer_client.level', 'INT64', ({ link }) => link && String(link.level)],
  ['customer_client.manager', 'BOOLEAN', ({ link }) => link?.client.manager],
  ['customer_client.status', 'ENUM', ({ link }) => link?.client.status, ['CANCELED', 'CLOSED', 'ENABLED', 'SUSPENDED']],
  ['customer_client.hidden', 'BOOLEAN', ({ link }) => link?.client.hidden],
  ['customer_client.descriptive_name', 'STRING', ({ link }) => link?.client.account.name],
  ['customer_client.currency_code', 'STRING', ({ link }) => link?.client.account.currency],
  ['customer_client.time_zone', 'STRING', ({ link }) => link?.client.account.timeZone],
  ['campaign_budget.resource_name', 'RESOURCE_NAME', budgetPath],
  ['campaign_budget.id', 'INT64', ({ budget }) => budget?.id],
  ['campaign_budget.name', 'STRING', ({ budget }) => budget?.name],
  ['campaign_budget.amount_micros', 'INT64', ({ amountNow }) => amountNow?.toString()],
  ['campaign_budget.explicitly_shared', 'BOOLEAN', ({ budget }) => budget?.explicitlyShared],
  ['campaign_budget.reference_count', 'INT64', ({ budget }) => budget && String(budget.campaignIds.length)],
  [
    'campaign_budget.status',
    'ENUM',
    ({ budget, removed }) => budget && (removed ? 'REMOVED' : 'ENABLED'),
    ['ENABLED', 'REMOVED'],
  ],
  [
    'change_event.resource_name',
    'RESOURCE_NAME',
    ({ account, change }) => change && `customers/${account.customerId}/changeEvents/${change.id}`,
  ],
  ['change_event.change_date_time', 'DATE_TIME', ({ change }) => change?.at],
  [
    'change_event.change_resource_name',
    'STRING',
    ({ account, change }) => change && budgetResourceName(account.customerId, change.budgetId),
  ],
  ['change_event.change_resource_type', 'ENUM', ({ change }) => change && 'CAMPAIGN_BUDGET', ['CAMPAIGN_BUDGET']],
  ['change_event.resource_change_operation', 'ENUM', ({ change }) => change && 'UPDATE', ['UPDATE']],
  ['change_event.old_resource', 'MESSAGE', ({ change }) => change && changedBudget(change.from)],
  ['change_event.new_resource', 'MESSAGE', ({ change }) => change && changedBudget(change.to)],
];

export const SANDBOX_CATALOGUE = smallCatalogue(
  'sandbox',
  [...SPECIFIED_FIELDS, ...PUBLIC.map(([name, type, , values = []]) => [name, type, values] as const)],
  [
    {
      name: 'keyword_view',
      attributed: ['keyword_view', 'ad_group_criterion', 'ad_group', 'campaign', 'customer'],
      metrics: true,
      key: KEYWORD_KEY,
    },
    { name: 'campaign', attributed: ['campaign', 'campaign_budget', 'customer'], metrics: true, key: ['campaign.id'] },
    {
      name: 'campaign_budget',
      attributed: ['campaign_budget', 'customer'],
      metrics: false,
      key: ['campaign_budget.id'],
    },
    {
      name: 'customer_client',
      attributed: ['customer_client', 'customer'],
      metrics: false,
      key: ['customer_client.id'],
    },
    {
      name: 'change_event',
      attributed: ['change_event', 'customer'],
      metrics: false,
      key: ['change_event.resource_name'],
    },
    { name: 'customer', attributed: ['customer'], metrics: true, key: [] },
  ],
);

const READERS: ReadonlyMap<string, Reader> = new Map([
  ...SPECIFIED,
  ...PUBLIC.map(([name, , read]) => [name, read] as const),
]);

/** Wherever the query names them. */
export function fieldsNamed({ select, where, orderBy }: Query): FieldRef[] {
  return [...select, ...[...where, ...orderBy].map(({ field }) => field)];
}

export const isMetric = (field: string): boolean => field.startsWith('metrics.');

export function asksMetrics(query: Query): boolean {
  return fieldsNamed(query).some(({ name }) => isMetric(name));
}

export function readField(field: string, entity: Entity): FieldValue | undefined {
  const reader = READERS.get(field);
  if (reader === undefined) throw new InvariantError(`The sandbox has no values for the field ${field}.`);
  return reader(entity);
}

export function entitiesOf(
  resource: string,
  account: Account,
  { budgetNow, statusNow = ({ status }) => status }: Now,
  links: readonly LinkedClient[],
  changes: readonly BudgetChanged[],
): Entity[] {
  const ofBudget = (budget: Budget) => ({ budget, ...budgetNow(budget) });
  switch (resource) {
    case 'keyword_view': {
      const statuses = new Map(account.campaigns.map((campaign) => [campaign, statusNow(campaign)]));
      return account.keywords.map((keyword) => {
        const { campaign } = keyword;
        return {
          account,
          keyword,
          campaign,
          statusNow: statuses.get(campaign) ?? campaign.status,
          budget: campaign.budget,
        };
      });
    }
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
