import { type FieldRow, smallCatalogue } from './catalogue.ts';

export const STATUSES = ['ENABLED', 'PAUSED', 'REMOVED'];
const CHANNELS = [
  'SEARCH',
  'DISPLAY',
  'SHOPPING',
  'HOTEL',
  'VIDEO',
  'MULTI_CHANNEL',
  'LOCAL',
  'SMART',
  'PERFORMANCE_MAX',
  'LOCAL_SERVICES',
  'TRAVEL',
  'DEMAND_GEN',
];

export const SPECIFIED_FIELDS: readonly FieldRow[] = [
  ['campaign.id', 'INT64'],
  ['campaign.name', 'STRING'],
  ['campaign.advertising_channel_type', 'ENUM', CHANNELS],
  ['ad_group.id', 'INT64'],
  ['ad_group.name', 'STRING'],
  ['ad_group.status', 'ENUM', STATUSES],
  ['ad_group_criterion.criterion_id', 'INT64'],
  ['ad_group_criterion.status', 'ENUM', STATUSES],
  ['ad_group_criterion.keyword.text', 'STRING'],
  ['ad_group_criterion.keyword.match_type', 'ENUM', ['EXACT', 'PHRASE', 'BROAD']],
  ['metrics.impressions', 'INT64'],
  ['metrics.clicks', 'INT64'],
  ['metrics.cost_micros', 'INT64'],
  ['segments.date', 'DATE'],
];

/** A criterion's id is unique only within its ad group. */
export const KEYWORD_KEY: readonly string[] = ['ad_group.id', 'ad_group_criterion.criterion_id'];

/** The fields of table 2.8 of the specification. */
export const SPECIFICATION_CATALOGUE = smallCatalogue('spec', SPECIFIED_FIELDS, [
  {
    name: 'keyword_view',
    attributed: ['keyword_view', 'ad_group_criterion', 'ad_group', 'campaign'],
    metrics: ['metrics.impressions', 'metrics.clicks', 'metrics.cost_micros'],
    segments: ['segments.date'],
    key: KEYWORD_KEY,
  },
]);
