/** The value types of the service; `RESOURCE_NAME` is text with the shape of a path. */
export type DataType = 'INT64' | 'DOUBLE' | 'STRING' | 'ENUM' | 'BOOLEAN' | 'DATE' | 'RESOURCE_NAME';

export type FieldRole = 'attribute' | 'metric' | 'segment';

export interface CatalogueField {
  readonly name: string;
  readonly type: DataType;
  readonly role: FieldRole;
  /** The constants of an ENUM. */
  readonly values: readonly string[];
}

export interface CatalogueResource {
  readonly name: string;
  /** The resources whose attributes can be selected with it, itself first. */
  readonly attributed: readonly string[];
  readonly metrics: boolean;
}

/** What can be asked of a service: resources, and fields by their full name. */
export interface Catalogue {
  readonly name: string;
  readonly resources: ReadonlyMap<string, CatalogueResource>;
  readonly fields: ReadonlyMap<string, CatalogueField>;
}

/** The fields that can be selected FROM the resource. */
export function selectableFields(catalogue: Catalogue, resource: CatalogueResource): CatalogueField[] {
  return [...catalogue.fields.values()].filter((field) => isSelectable(resource, field));
}

export function isSelectable(resource: CatalogueResource, field: CatalogueField): boolean {
  if (field.role !== 'attribute') return resource.metrics;
  return resource.attributed.includes(field.name.slice(0, field.name.indexOf('.')));
}

const STATUSES = ['ENABLED', 'PAUSED', 'REMOVED'];
const CHANNELS = [
  ...['SEARCH', 'DISPLAY', 'SHOPPING', 'HOTEL', 'VIDEO', 'MULTI_CHANNEL', 'LOCAL', 'SMART'],
  ...['PERFORMANCE_MAX', 'LOCAL_SERVICES', 'TRAVEL', 'DEMAND_GEN'],
];

type Row = readonly [name: string, type: DataType, role?: FieldRole, values?: readonly string[]];

/** The specification's table 2.8, every field of it. */
const SPECIFIED: readonly Row[] = [
  ['campaign.id', 'INT64'],
  ['campaign.name', 'STRING'],
  ['campaign.advertising_channel_type', 'ENUM', 'attribute', CHANNELS],
  ['ad_group.id', 'INT64'],
  ['ad_group.name', 'STRING'],
  ['ad_group.status', 'ENUM', 'attribute', STATUSES],
  ['ad_group_criterion.criterion_id', 'INT64'],
  ['ad_group_criterion.status', 'ENUM', 'attribute', STATUSES],
  ['ad_group_criterion.keyword.text', 'STRING'],
  ['ad_group_criterion.keyword.match_type', 'ENUM', 'attribute', ['EXACT', 'PHRASE', 'BROAD']],
  ['metrics.impressions', 'INT64', 'metric'],
  ['metrics.clicks', 'INT64', 'metric'],
  ['metrics.cost_micros', 'INT64', 'metric'],
  ['segments.date', 'DATE', 'segment'],
];

/** What the public interface offers beside it, as far as the pipeline itself needs it. */
const PUBLIC: readonly Row[] = [
  ['keyword_view.resource_name', 'RESOURCE_NAME'],
  ['campaign.resource_name', 'RESOURCE_NAME'],
  ['campaign.status', 'ENUM', 'attribute', STATUSES],
  ['campaign.campaign_budget', 'RESOURCE_NAME'],
  ['ad_group.resource_name', 'RESOURCE_NAME'],
  ['ad_group_criterion.resource_name', 'RESOURCE_NAME'],
  ['customer.resource_name', 'RESOURCE_NAME'],
  ['customer.id', 'INT64'],
  ['customer.descriptive_name', 'STRING'],
  ['customer.currency_code', 'STRING'],
  ['customer.time_zone', 'STRING'],
  ['campaign_budget.resource_name', 'RESOURCE_NAME'],
  ['campaign_budget.id', 'INT64'],
  ['campaign_budget.name', 'STRING'],
  ['campaign_budget.amount_micros', 'INT64'],
  ['campaign_budget.explicitly_shared', 'BOOLEAN'],
  ['campaign_budget.reference_count', 'INT64'],
  ['campaign_budget.status', 'ENUM', 'attribute', ['ENABLED', 'REMOVED']],
];

function catalogue(name: string, rows: readonly Row[], resources: readonly CatalogueResource[]): Catalogue {
  const fields = rows.map(([field, type, role = 'attribute', values = []]) => ({ name: field, type, role, values }));
  return {
    name,
    resources: new Map(resources.map((resource) => [resource.name, resource])),
    fields: new Map(fields.map((field) => [field.name, field])),
  };
}

/** The specification as written: one resource, the fields of table 2.8. */
export const SPECIFICATION_CATALOGUE = catalogue('spec', SPECIFIED, [
  { name: 'keyword_view', attributed: ['keyword_view', 'ad_group_criterion', 'ad_group', 'campaign'], metrics: true },
]);

/** The specification's table and the three resources that say what an account, a campaign and a budget are. */
export const PUBLIC_CATALOGUE = catalogue(
  'public',
  [...SPECIFIED, ...PUBLIC],
  [
    {
      name: 'keyword_view',
      attributed: ['keyword_view', 'ad_group_criterion', 'ad_group', 'campaign', 'customer'],
      metrics: true,
    },
    { name: 'campaign', attributed: ['campaign', 'campaign_budget', 'customer'], metrics: true },
    { name: 'campaign_budget', attributed: ['campaign_budget', 'customer'], metrics: false },
    { name: 'customer', attributed: ['customer'], metrics: true },
  ],
);
