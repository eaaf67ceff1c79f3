import { type FieldRow, smallCatalogue } from '../../gaql/catalogue/catalogue.ts';
import { KEYWORD_KEY, SPECIFIED_FIELDS, STATUSES } from '../../gaql/catalogue/specification-catalogue.ts';

/** What the sandbox's market has beside the specification's fields, named as in the public interface. */
const PUBLIC_FIELDS: readonly FieldRow[] = [
  ['keyword_view.resource_name', 'RESOURCE_NAME'],
  ['campaign.resource_name', 'RESOURCE_NAME'],
  ['campaign.status', 'ENUM', STATUSES],
  ['campaign.campaign_budget', 'RESOURCE_NAME'],
  ['ad_group.resource_name', 'RESOURCE_NAME'],
  ['ad_group_criterion.resource_name', 'RESOURCE_NAME'],
  ['customer.resource_name', 'RESOURCE_NAME'],
  ['customer.id', 'INT64'],
  ['customer.descriptive_name', 'STRING'],
  ['customer.currency_code', 'STRING'],
  ['customer.time_zone', 'STRING'],
  ['customer_client.resource_name', 'RESOURCE_NAME'],
  ['customer_client.client_customer', 'RESOURCE_NAME'],
  ['customer_client.id', 'INT64'],
  ['customer_client.level', 'INT64'],
  ['customer_client.manager', 'BOOLEAN'],
  ['customer_client.status', 'ENUM', ['CANCELED', 'CLOSED', 'ENABLED', 'SUSPENDED']],
  ['customer_client.hidden', 'BOOLEAN'],
  ['customer_client.descriptive_name', 'STRING'],
  ['customer_client.currency_code', 'STRING'],
  ['customer_client.time_zone', 'STRING'],
  ['campaign_budget.resource_name', 'RESOURCE_NAME'],
  ['campaign_budget.id', 'INT64'],
  ['campaign_budget.name', 'STRING'],
  ['campaign_budget.amount_micros', 'INT64'],
  ['campaign_budget.explicitly_shared', 'BOOLEAN'],
  ['campaign_budget.reference_count', 'INT64'],
  ['campaign_budget.status', 'ENUM', ['ENABLED', 'REMOVED']],
  ['change_event.resource_name', 'RESOURCE_NAME'],
  ['change_event.change_date_time', 'DATE_TIME'],
  ['change_event.change_resource_name', 'STRING'],
  ['change_event.change_resource_type', 'ENUM', ['CAMPAIGN_BUDGET']],
  ['change_event.resource_change_operation', 'ENUM', ['UPDATE']],
  ['change_event.old_resource', 'MESSAGE'],
  ['change_event.new_resource', 'MESSAGE'],
];

/** Every field and resource that the sandbox has values for. */
export const SANDBOX_CATALOGUE = smallCatalogue(
  'sandbox',
  [...SPECIFIED_FIELDS, ...PUBLIC_FIELDS],
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
