import { InvariantError } from '../../domain/errors.ts';
import type { Micros } from '../../domain/micros.ts';
import {
  type Catalogue,
  type CatalogueField,
  type DataType,
  type FieldRow,
  smallCatalogue,
} from '../../language/gaql/catalogue/catalogue.ts';
import { KEYWORD_KEY, SPECIFIED_FIELDS, STATUSES } from '../../language/gaql/catalogue/specification-catalogue.ts';
import type { FieldRef, Query } from '../../language/gaql/syntax/tree.ts';
import { billableUnit } from '../market/billable-units.ts';
import type { Account, Channel } from '../market/market.ts';
import { LAG_DAYS_MAX } from '../market/results.ts';
import { LABELS_BY_PLACE, type Label } from './account-tree.ts';
import type { Entity } from './entities.ts';
import { METRICS } from './metrics.ts';
import { SEGMENTS } from './segments.ts';

/** The JSON value of a field. An int64 is a string. */
export type FieldValue = string | boolean | readonly string[] | { readonly [name: string]: FieldValue };

type Reader = (entity: Entity) => FieldValue | undefined;

/** The resource name. Nothing if the entity has no such id. */
const named =
  (collection: string, idOf: (entity: Entity) => string | undefined): Reader =>
  (entity) => {
    const id = idOf(entity);
    return id && `customers/${entity.account.customerId}/${collection}/${id}`;
  };

const keywordId = ({ keyword }: Entity) => keyword && `${keyword.adGroup.id}~${keyword.criterionId}`;
export const labelPath = ({ customerId }: Pick<Account, 'customerId'>, { id }: Label): string =>
  `customers/${customerId}/labels/${id}`;
const budgetPath = named('campaignBudgets', ({ budget }) => budget?.id);
const campaignPath = named('campaigns', ({ campaign }) => campaign?.id);

const CLIENT_TYPES = ['GOOGLE_ADS_API', 'GOOGLE_ADS_WEB_CLIENT'];
const BIDDING: Readonly<Record<Channel, string>> = {
  SEARCH: 'MANUAL_CPC',
  PERFORMANCE_MAX: 'MAXIMIZE_CONVERSION_VALUE',
  DISPLAY: 'MAXIMIZE_CONVERSIONS',
};
/** PERFORMANCE_MAX is missing, because such campaigns have no ad groups. */
const AD_GROUP_TYPES = { SEARCH: 'SEARCH_STANDARD', DISPLAY: 'DISPLAY_STANDARD' };
const AD_TYPES = { SEARCH: 'RESPONSIVE_SEARCH_AD', DISPLAY: 'RESPONSIVE_DISPLAY_AD' };
const ofAds = (names: typeof AD_TYPES, channel: Channel) =>
  channel === 'PERFORMANCE_MAX' ? undefined : names[channel];

/** Computed from the id of the ad group, so ad ids are unique across accounts. */
const adId = ({ adGroup, ad }: Entity) => (adGroup && ad ? String(BigInt(adGroup.id) * 5n + BigInt(ad)) : undefined);

const adKey = (entity: Entity) => {
  const id = adId(entity);
  return id && `${entity.adGroup?.id}~${id}`;
};

const changedBudget = (amount: Micros) => ({ campaignBudget: { amountMicros: amount.toString() } });

const SPECIFIED: readonly (readonly [name: string, read: Reader])[] = [
  ['campaign.id', ({ campaign }) => campaign?.id],
  ['campaign.name', ({ campaign }) => campaign?.name],
  ['campaign.advertising_channel_type', ({ campaign }) => campaign?.channel],
  ['ad_group.id', ({ adGroup }) => adGroup?.id],
  ['ad_group.name', ({ adGroup }) => adGroup?.name],
  ['ad_group.status', ({ adGroup }) => adGroup?.status],
  ['ad_group_criterion.criterion_id', ({ keyword }) => keyword?.criterionId],
  ['ad_group_criterion.status', ({ keyword }) => keyword?.status],
  ['ad_group_criterion.keyword.text', ({ keyword }) => keyword?.text],
  ['ad_group_criterion.keyword.match_type', ({ keyword }) => keyword?.matchType],
];

/** Fields of the public Google Ads API. */
const PUBLIC: readonly (readonly [
  name: string,
  type: DataType,
  read: Reader,
  values?: readonly string[],
  repeated?: boolean,
])[] = [
  ['keyword_view.resource_name', 'RESOURCE_NAME', named('keywordViews', keywordId)],
  ['campaign.resource_name', 'RESOURCE_NAME', campaignPath],
  ['campaign.status', 'ENUM', ({ statusNow }) => statusNow, STATUSES],
  ['campaign.campaign_budget', 'RESOURCE_NAME', budgetPath],
  [
    'campaign.labels',
    'RESOURCE_NAME',
    ({ account, campaign }) => {
      const own = campaign && LABELS_BY_PLACE[account.campaigns.indexOf(campaign)];
      return own?.map((label) => labelPath(account, label));
    },
    [],
    true,
  ],
  ['ad_group.resource_name', 'RESOURCE_NAME', named('adGroups', ({ adGroup }) => adGroup?.id)],
  ['ad_group_criterion.resource_name', 'RESOURCE_NAME', named('adGroupCriteria', keywordId)],
  ['customer.resource_name', 'RESOURCE_NAME', ({ account }) => `customers/${account.customerId}`],
  ['customer.id', 'INT64', ({ account }) => account.customerId],
  ['customer.descriptive_name', 'STRING', ({ account }) => account.name],
  ['customer.currency_code', 'STRING', ({ account }) => account.currency],
  ['customer.time_zone', 'STRING', ({ account }) => account.timeZone],
  [
    'customer_client.resource_name',
    'RESOURCE_NAME',
    named('customerClients', ({ link }) => link?.client.account.customerId),
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
  [
    'customer_client.applied_labels',
    'RESOURCE_NAME',
    ({ account, link }) => link?.client.labels.map((label) => labelPath(account, label)),
    [],
    true,
  ],
  ['label.resource_name', 'RESOURCE_NAME', named('labels', ({ label }) => label?.id)],
  ['label.id', 'INT64', ({ label }) => label?.id],
  ['label.name', 'STRING', ({ label }) => label?.name],
  ['label.status', 'ENUM', ({ label }) => label && 'ENABLED', ['ENABLED', 'REMOVED']],
  ['currency_constant.resource_name', 'RESOURCE_NAME', ({ currency }) => currency && `currencyConstants/${currency}`],
  ['currency_constant.code', 'STRING', ({ currency }) => currency],
  ['currency_constant.billable_unit_micros', 'INT64', ({ currency }) => currency && billableUnit(currency).toString()],
  ['campaign_budget.resource_name', 'RESOURCE_NAME', budgetPath],
  ['campaign_budget.id', 'INT64', ({ budget }) => budget?.id],
  ['campaign_budget.name', 'STRING', ({ budget }) => budget?.name],
  ['campaign_budget.amount_micros', 'INT64', ({ amountNow, total }) => (total ? undefined : amountNow?.toString())],
  ['campaign_budget.total_amount_micros', 'INT64', ({ total }) => total?.toString()],
  [
    'campaign_budget.period',
    'ENUM',
    ({ budget, total }) => budget && (total ? 'CUSTOM_PERIOD' : 'DAILY'),
    ['CUSTOM_PERIOD', 'DAILY'],
  ],
  ['campaign_budget.explicitly_shared', 'BOOLEAN', ({ budget }) => budget?.explicitlyShared],
  ['campaign_budget.reference_count', 'INT64', ({ budget }) => budget && String(budget.campaignIds.length)],
  [
    'campaign_budget.status',
    'ENUM',
    ({ budget, removed }) => budget && (removed ? 'REMOVED' : 'ENABLED'),
    ['ENABLED', 'REMOVED'],
  ],
  ['change_event.resource_name', 'RESOURCE_NAME', named('changeEvents', ({ change }) => change?.id)],
  ['change_event.change_date_time', 'DATE_TIME', ({ change }) => change?.at],
  ['change_event.change_resource_name', 'STRING', named('campaignBudgets', ({ change }) => change?.budgetId)],
  ['change_event.change_resource_type', 'ENUM', ({ change }) => change && 'CAMPAIGN_BUDGET', ['CAMPAIGN_BUDGET']],
  ['change_event.resource_change_operation', 'ENUM', ({ change }) => change && 'UPDATE', ['UPDATE']],
  ['change_event.client_type', 'ENUM', ({ change }) => change && 'GOOGLE_ADS_API', CLIENT_TYPES],
  ['change_event.user_email', 'STRING', ({ change }) => change && 'api@sandbox.example'],
  ['change_event.old_resource', 'MESSAGE', ({ change }) => change && changedBudget(change.from)],
  ['change_event.new_resource', 'MESSAGE', ({ change }) => change && changedBudget(change.to)],
  [
    'campaign.bidding_strategy_type',
    'ENUM',
    ({ campaign }) => campaign && BIDDING[campaign.channel],
    Object.values(BIDDING),
  ],
  [
    'ad_group.type',
    'ENUM',
    ({ adGroup, campaign }) => adGroup && campaign && ofAds(AD_GROUP_TYPES, campaign.channel),
    Object.values(AD_GROUP_TYPES),
  ],
  ['ad_group_ad.resource_name', 'RESOURCE_NAME', named('adGroupAds', adKey)],
  ['ad_group_ad.status', 'ENUM', ({ ad }) => (ad === undefined ? undefined : 'ENABLED'), STATUSES],
  ['ad_group_ad.ad.id', 'INT64', adId],
  [
    'ad_group_ad.ad.type',
    'ENUM',
    ({ ad, campaign }) => (ad && campaign ? ofAds(AD_TYPES, campaign.channel) : undefined),
    Object.values(AD_TYPES),
  ],
  [
    'ad_group_ad.ad_strength',
    'ENUM',
    ({ ad }) => (ad === undefined ? undefined : ad === 1 ? 'GOOD' : 'AVERAGE'),
    ['PENDING', 'NO_ADS', 'POOR', 'AVERAGE', 'GOOD', 'EXCELLENT'],
  ],
  ['asset_group.resource_name', 'RESOURCE_NAME', named('assetGroups', ({ assetGroup }) => assetGroup?.id)],
  ['asset_group.id', 'INT64', ({ assetGroup }) => assetGroup?.id],
  ['asset_group.name', 'STRING', ({ assetGroup }) => assetGroup?.name],
  ['asset_group.status', 'ENUM', ({ assetGroup }) => assetGroup?.status, STATUSES],
  [
    'search_term_view.resource_name',
    'RESOURCE_NAME',
    named('searchTermViews', ({ adGroup, campaign, searchTerm }) => {
      return searchTerm && `${campaign?.id}~${adGroup?.id}~${Buffer.from(searchTerm).toString('base64url')}`;
    }),
  ],
  ['search_term_view.search_term', 'STRING', ({ searchTerm }) => searchTerm],
  [
    'search_term_view.status',
    'ENUM',
    ({ searchTerm, keyword }) => searchTerm && (searchTerm === keyword?.text ? 'ADDED' : 'NONE'),
    ['ADDED', 'EXCLUDED', 'ADDED_EXCLUDED', 'NONE'],
  ],
  [
    'geographic_view.resource_name',
    'RESOURCE_NAME',
    named('geographicViews', ({ country }) => country && `${country.id}~LOCATION_OF_PRESENCE`),
  ],
  ['geographic_view.country_criterion_id', 'INT64', ({ country }) => country?.id],
  [
    'geographic_view.location_type',
    'ENUM',
    ({ country }) => country && 'LOCATION_OF_PRESENCE',
    ['AREA_OF_INTEREST', 'LOCATION_OF_PRESENCE'],
  ],
  ['conversion_action.resource_name', 'RESOURCE_NAME', named('conversionActions', ({ action }) => action?.id)],
  ['conversion_action.id', 'INT64', ({ action }) => action?.id],
  ['conversion_action.name', 'STRING', ({ action }) => action?.name],
  ['conversion_action.type', 'ENUM', ({ action }) => action?.type, ['AD_CALL', 'WEBPAGE']],
  ['conversion_action.category', 'ENUM', ({ action }) => action?.category, ['PHONE_CALL_LEAD', 'PURCHASE']],
  ['conversion_action.status', 'ENUM', ({ action }) => action && 'ENABLED', ['ENABLED', 'HIDDEN', 'REMOVED']],
  ['conversion_action.include_in_conversions_metric', 'BOOLEAN', ({ action }) => action?.primary],
  ['conversion_action.click_through_lookback_window_days', 'INT64', ({ action }) => action && String(LAG_DAYS_MAX)],
  [
    'recommendation.resource_name',
    'RESOURCE_NAME',
    named('recommendations', ({ campaign, recommended }) => (recommended ? campaign?.id : undefined)),
  ],
  ['recommendation.type', 'ENUM', ({ recommended }) => recommended && 'CAMPAIGN_BUDGET', ['CAMPAIGN_BUDGET']],
  ['recommendation.campaign', 'RESOURCE_NAME', campaignPath],
  ['recommendation.campaign_budget', 'RESOURCE_NAME', budgetPath],
  ['recommendation.dismissed', 'BOOLEAN', ({ recommended }) => recommended && false],
  [
    'recommendation.campaign_budget_recommendation',
    'MESSAGE',
    ({ amountNow, recommended }) =>
      recommended && {
        currentBudgetAmountMicros: String(amountNow),
        recommendedBudgetAmountMicros: String(recommended),
      },
  ],
];

const SEGMENT_ROWS: readonly FieldRow[] = [...SEGMENTS].map(([name, { type, values }]) => [name, type, values]);
const METRIC_ROWS: readonly FieldRow[] = [...METRICS].map(([name, { type }]) => [name, type]);
const SPECIFIED_NAMES = new Set(SPECIFIED_FIELDS.map(([name]) => name));

const ALL_METRICS = [...METRICS.keys()];
const without = (pattern: RegExp) => ALL_METRICS.filter((name) => !pattern.test(name));
const OF_CAMPAIGNS = { metrics: ALL_METRICS, segments: ['segments.date', ...SEGMENTS.keys()] };
const OF_AD_GROUPS = { ...OF_CAMPAIGNS, metrics: without(/budget_lost/) };
const BY_DEVICE = ['segments.date', 'segments.device', 'segments.ad_network_type'];
const OF_PARTS = { metrics: without(/_share$/), segments: BY_DEVICE };
const ONLY_STATES = { metrics: [], segments: [] };

const isNotSpecified = ([name]: FieldRow): boolean => !SPECIFIED_NAMES.has(name);

const NAMES_ONLY = smallCatalogue(
  'sandbox',
  [
    ...SPECIFIED_FIELDS,
    ...PUBLIC.map(([name, type, , values = [], repeated]) => [name, type, values, repeated] as FieldRow),
    ...METRIC_ROWS.filter(isNotSpecified),
    ...SEGMENT_ROWS.filter(isNotSpecified),
  ],
  [
    {
      name: 'keyword_view',
      attributed: ['keyword_view', 'ad_group_criterion', 'ad_group', 'campaign', 'customer'],
      key: KEYWORD_KEY,
      ...OF_AD_GROUPS,
      segments: BY_DEVICE,
    },
    {
      name: 'campaign',
      attributed: ['campaign', 'campaign_budget', 'customer'],
      key: ['campaign.id'],
      ...OF_CAMPAIGNS,
    },
    { name: 'ad_group', attributed: ['ad_group', 'campaign', 'customer'], key: ['ad_group.id'], ...OF_AD_GROUPS },
    {
      name: 'ad_group_ad',
      attributed: ['ad_group_ad', 'ad_group', 'campaign', 'customer'],
      key: ['ad_group.id', 'ad_group_ad.ad.id'],
      ...OF_PARTS,
    },
    { name: 'asset_group', attributed: ['asset_group', 'campaign', 'customer'], key: ['asset_group.id'], ...OF_PARTS },
    {
      name: 'search_term_view',
      attributed: ['search_term_view', 'ad_group', 'campaign', 'customer'],
      key: ['search_term_view.resource_name'],
      ...OF_PARTS,
    },
    {
      name: 'geographic_view',
      attributed: ['geographic_view', 'customer'],
      segmentedBy: ['campaign'],
      key: ['geographic_view.country_criterion_id', 'geographic_view.location_type'],
      ...OF_PARTS,
    },
    {
      name: 'campaign_budget',
      attributed: ['campaign_budget', 'customer'],
      segmentedBy: ['campaign'],
      key: ['campaign_budget.id'],
      ...OF_PARTS,
      segments: ['segments.date'],
    },
    {
      name: 'conversion_action',
      attributed: ['conversion_action', 'customer'],
      key: ['conversion_action.id'],
      metrics: ['metrics.all_conversions', 'metrics.all_conversions_value'],
      segments: ['segments.date'],
    },
    {
      name: 'recommendation',
      attributed: ['recommendation', 'campaign', 'campaign_budget', 'customer'],
      key: ['recommendation.resource_name'],
      ...ONLY_STATES,
    },
    {
      name: 'customer_client',
      attributed: ['customer_client', 'customer'],
      key: ['customer_client.client_customer'],
      ...ONLY_STATES,
    },
    {
      name: 'currency_constant',
      attributed: ['currency_constant'],
      key: ['currency_constant.code'],
      ...ONLY_STATES,
    },
    { name: 'label', attributed: ['label', 'customer'], key: ['label.id'], ...ONLY_STATES },
    {
      name: 'change_event',
      attributed: ['change_event', 'customer'],
      key: ['change_event.resource_name'],
      ...ONLY_STATES,
    },
    { name: 'customer', attributed: ['customer'], key: [], ...OF_CAMPAIGNS },
  ],
);

const isShare = (name: string) => name.endsWith('_share');

function partnersOf({ name }: CatalogueField): ReadonlySet<string> {
  const offers = [...NAMES_ONLY.resources.values()].map(({ metrics, segments }) => new Set([...metrics, ...segments]));
  const together = offers.flatMap((offer) => (offer.has(name) ? [...offer] : []));
  const isApart = (other: string) =>
    (isShare(name) && other === 'segments.hour') || (name === 'segments.hour' && isShare(other));
  return new Set(together.filter((other) => other !== name && !isApart(other)));
}

export const SANDBOX_CATALOGUE: Catalogue = {
  ...NAMES_ONLY,
  fields: new Map(
    [...NAMES_ONLY.fields].map(([name, field]) => {
      const isPlain = field.type !== 'MESSAGE';
      const facts = { selectable: true, filterable: isPlain, sortable: isPlain };
      const partners = field.role === 'attribute' ? {} : { selectableWith: partnersOf(field) };
      return [name, { ...field, ...facts, ...partners }];
    }),
  ),
};

const READERS: ReadonlyMap<string, Reader> = new Map([
  ...SPECIFIED,
  ...PUBLIC.map(([name, , read]) => [name, read] as const),
]);

export function fieldsNamed({ select, where, orderBy }: Query): FieldRef[] {
  const filters = where.map(({ field }) => field);
  const orderings = orderBy.map(({ field }) => field);
  return [...select, ...filters, ...orderings];
}

export const isMetric = (field: string): boolean => field.startsWith('metrics.');

export function asksMetrics(query: Query): boolean {
  return fieldsNamed(query).some(({ name }) => isMetric(name));
}

export function readField(field: string, entity: Entity): FieldValue | undefined {
  const reader = READERS.get(field);
  if (reader === undefined) throw new InvariantError(`The sandbox has no values for the field ${field}.`);
  const value = reader(entity);
  // The public service omits empty lists.
  return isList(value) && value.length === 0 ? undefined : value;
}

export function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
