import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { REMOVED_FIELDS } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { errorsOf, marked, messagesOf, placesOf } from '../findings.ts';

const SELECT_RESOURCE = 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE';
const WHERE_RESOURCE = 'PROHIBITED_RESOURCE_TYPE_IN_WHERE_CLAUSE';
const METRIC = 'PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE';
const SEGMENT = 'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE';
const IN_SELECT = 'PROHIBITED_FIELD_IN_SELECT_CLAUSE';
const IN_WHERE = 'PROHIBITED_FIELD_IN_WHERE_CLAUSE';
const IN_ORDER = 'PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE';

describe('a field in the wrong clause or resource', () => {
  it.each([
    [
      'an attribute of a resource that is not attributed',
      'SELECT campaign.id, «ad_group.id» FROM campaign',
      SELECT_RESOURCE,
    ],
    ['the same in WHERE', 'SELECT campaign.id FROM campaign WHERE «ad_group.id» = 5', WHERE_RESOURCE],
    ['the same in ORDER BY', 'SELECT campaign.id FROM campaign ORDER BY «ad_group.id»', IN_ORDER],
    [
      'a budget, which keyword_view does not give',
      'SELECT ad_group.id, ad_group_criterion.criterion_id, «campaign_budget.amount_micros» FROM keyword_view',
      SELECT_RESOURCE,
    ],
    ['a metric of another resource', 'SELECT label.id, «metrics.clicks» FROM label', METRIC],
    ['the same in WHERE', 'SELECT label.id FROM label WHERE «metrics.clicks» > 0', METRIC],
    ['the same in ORDER BY', 'SELECT label.id FROM label ORDER BY «metrics.clicks»', IN_ORDER],
    ['a segment of another resource', 'SELECT label.id, «segments.device» FROM label', SEGMENT],
    ['a day of a resource without days', 'SELECT label.id FROM label WHERE «segments.date» DURING TODAY', SEGMENT],
    ['a whole resource', 'SELECT «campaign» FROM campaign', IN_SELECT],
    ['another whole resource', 'SELECT campaign.id, «ad_group» FROM campaign', IN_SELECT],
    ['all metrics', 'SELECT campaign.id, «metrics» FROM campaign', IN_SELECT],
    ['all segments of a resource without segments', 'SELECT label.id, «segments» FROM label', IN_SELECT],
    ['a whole message', 'SELECT «campaign.network_settings», campaign.id FROM campaign', IN_SELECT],
    ['a whole message in WHERE', 'SELECT campaign.id FROM campaign WHERE «campaign.network_settings» = 5', IN_WHERE],
    ['a list in ORDER BY', 'SELECT campaign.id, campaign.labels FROM campaign ORDER BY «campaign.labels»', IN_ORDER],
    ['a whole message in ORDER BY', 'SELECT campaign.id FROM campaign ORDER BY «campaign.network_settings»', IN_ORDER],
    [
      'a part of a list',
      'SELECT ad_group_ad.ad.id, ad_group.id, «ad_group_ad.ad.responsive_search_ad.headlines.text» FROM ad_group_ad',
      IN_SELECT,
    ],
    [
      'a part of a part of a list',
      'SELECT ad_group_ad.ad.id, ad_group.id, «ad_group_ad.policy_summary.policy_topic_entries.evidences.text» FROM ad_group_ad',
      IN_SELECT,
    ],
    ['a part of a list in WHERE', "SELECT campaign.id FROM campaign WHERE «campaign.labels.name» = 'x'", IN_WHERE],
    [
      'a message that can be selected, in WHERE',
      "SELECT ad.id FROM ad WHERE «ad.demand_gen_product_ad.description» = 'x'",
      IN_WHERE,
    ],
    [
      'a message that can be selected, in ORDER BY',
      'SELECT ad.id, ad.demand_gen_product_ad.description FROM ad ORDER BY «ad.demand_gen_product_ad.description»',
      IN_ORDER,
    ],
  ])('%s', (_, text, code) => {
    const { source, places } = marked(text, code);
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['a list as a whole', 'SELECT campaign.id, campaign.labels FROM campaign'],
    ['a message without parts', 'SELECT ad.id, ad.demand_gen_product_ad.description FROM ad'],
    ['a list of messages', 'SELECT ad.id, ad.app_ad.descriptions FROM ad'],
    [
      'attributes of attributed resources',
      'SELECT campaign.id, campaign_budget.amount_micros, customer.currency_code, bidding_strategy.name FROM campaign',
    ],
    ['attributes of resources that split the rows', 'SELECT campaign_budget.id, campaign.id FROM campaign_budget'],
    ['a field of a message', 'SELECT campaign.id, campaign.network_settings.target_google_search FROM campaign'],
  ])('is not %s', (_, source) => {
    expect(placesOf(source)).toEqual([]);
  });
});

describe('a renamed field', () => {
  it.each([
    ['campaign.start_date', 'campaign.start_date_time', 'v23'],
    ['campaign.end_date', 'campaign.end_date_time', 'v23'],
    ['metrics.average_cpv', 'metrics.trueview_average_cpv', 'v22'],
    ['metrics.video_views', 'metrics.video_trueview_views', 'v22'],
    ['metrics.video_view_rate', 'metrics.video_trueview_view_rate', 'v22'],
    ['metrics.video_view_rate_in_feed', 'metrics.video_trueview_view_rate_in_feed', 'v22'],
  ])('%s gets a hint with its new name %s', (old, name, since) => {
    const { source, places } = marked(`SELECT campaign.id, «${old}» FROM campaign`, 'UNRECOGNIZED_FIELD');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)).toEqual([`"${old}" was renamed to ${name} in ${since}. Write ${name}.`]);
    expect(errorsOf(`SELECT campaign.id, ${name} FROM campaign`)).toEqual([]);
  });

  it('gets no hint with a name outside the catalogue', () => {
    const { source } = marked('SELECT «ad_group.id», metrics.video_views FROM keyword_view');
    expect(messagesOf(source.replace('video_views', 'video_viewz'))[0]).toContain('is not a field of keyword_view');
  });
});

describe('a removed or foreign name', () => {
  it.each([
    ['segments.weekday', 'campaign', 'segments.day_of_week'],
    [
      'metrics.average_position',
      'campaign',
      'metrics.top_impression_percentage or metrics.absolute_top_impression_percentage',
    ],
    [
      'asset_group_asset.performance_label',
      'asset_group_asset',
      'asset_group_asset.primary_status or metrics.conversions',
    ],
    ['campaign.url_expansion_opt_out', 'campaign', 'campaign.asset_automation_settings'],
  ])('%s gets a hint with the fields to use instead', (old, resource, instead) => {
    expect(messagesOf(`SELECT ${old} FROM ${resource}`)).toEqual([
      `"${old}" is not a field of ${resource}. Use ${instead} instead.`,
    ]);
  });

  it.each([...REMOVED_FIELDS])('%s is gone, and its substitutes exist', (old, instead) => {
    const { fields } = loadCatalogue('v25');
    expect(fields.has(old)).toBe(false);
    expect(instead.filter((name) => !fields.has(name))).toEqual([]);
  });
});

describe('a part of a message', () => {
  const part = 'recommendation.impact.base_metrics.clicks';

  it('is refused with the whole message as next step', () => {
    const { source, places } = marked(`SELECT «${part}» FROM recommendation`, IN_SELECT);
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain('Use recommendation.impact: the column holds the message as JSON.');
  });

  it('is not compared', () => {
    const text = `SELECT recommendation.resource_name FROM recommendation WHERE «${part}» > 5`;
    const { source, places } = marked(text, 'PROHIBITED_FIELD_IN_WHERE_CLAUSE');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain('Select recommendation.impact, and use SQL on the table.');
  });
});

describe('a part of a list that only WHERE accepts', () => {
  const S = 'SELECT experiment_arm.resource_name FROM experiment_arm';
  const group = 'experiment_arm.asset_groups.asset_group';

  it.each([
    ['filters the rows', `${S} WHERE ${group} = 'customers/1/assetGroups/2'`],
    ['filters by a list', `${S} WHERE ${group} IN ('customers/1/assetGroups/2')`],
    ['deeper in the list', `${S} WHERE experiment_arm.asset_groups.asset_group_assets.asset = 'customers/1/assets/2'`],
    ['is not selected', `SELECT «${group}» FROM experiment_arm`, IN_SELECT],
    ['does not sort', `${S} ORDER BY «${group}»`, IN_ORDER],
    ['is no field of other resources', `SELECT label.id FROM label WHERE «${group}» = 'a'`, WHERE_RESOURCE],
    ['opens no way to other names', `${S} WHERE «experiment_arm.asset_groups.nothing» = 'a'`, 'UNRECOGNIZED_FIELD'],
  ])('%s', (_, text, ...codes) => {
    const { source, places } = marked(text, ...codes);
    expect(errorsOf(source)).toEqual(places);
  });
});

describe('a misspelt name gets hints with valid names', () => {
  it('among the fields of the resource only', () => {
    const texts = [
      'SELECT campaign.id, campaign.nme FROM campaign',
      'SELECT campaign.id, metrics.click FROM campaign',
      'SELECT campaign.id, impressions FROM campaign',
      'SELECT campaign.id FROM campaign WHERE segments.dat DURING TODAY',
      'SELECT campaign.id FROM campaign ORDER BY campaing.name',
      'SELECT ad_group.id, campaign_budget.amount_micros FROM ad_group',
      'SELECT label.id, metrics.clicks FROM label',
      'SELECT label.id, segments.week FROM label',
      'SELECT label.id, segments FROM label',
      'SELECT campaign.id, nonsense_of_all_sorts FROM campaign',
      'SELECT campaign.network_settings FROM campaign',
      "SELECT campaign.id FROM campaign WHERE campaign.labels.name = 'x'",
      "SELECT ad.id FROM ad WHERE ad.demand_gen_product_ad.description = 'x'",
      'SELECT campaign.id, segments.click_type FROM campaign_budget',
    ];
    expect(texts.flatMap((text) => messagesOf(text)).join('\n')).toMatchInlineSnapshot(`
      ""campaign.nme" is not a field of campaign. Did you mean campaign.name?
      "metrics.click" is not a field of campaign. Did you mean metrics.clicks?
      "impressions" is not a field of campaign. Did you mean metrics.impressions?
      "segments.dat" is not a field of campaign. Did you mean segments.date?
      "campaing.name" is not a field of campaign. Did you mean campaign.name?
      "campaign_budget.amount_micros" cannot be used in a query FROM ad_group. Select it FROM campaign_budget.
      "metrics.clicks" cannot be used in a query FROM label. It can be selected FROM ad_group, ad_group_ad, ad_group_ad_asset_view, ad_group_asset and others.
      "segments.week" cannot be used in a query FROM label. It can be selected FROM ad_group, ad_group_ad, ad_group_ad_asset_combination_view, ad_group_ad_asset_view and others.
      "segments" is a whole resource or message, not a field of label. Run pacekeeper fields label to list its fields.
      "nonsense_of_all_sorts" is not a field of campaign. Run pacekeeper fields campaign to list its fields.
      "campaign.network_settings" is a whole resource or message, not a field of campaign. Use its fields: campaign.network_settings.target_content_network, campaign.network_settings.target_google_search, campaign.network_settings.target_google_tv_network, campaign.network_settings.target_partner_search_network and others.
      "campaign.labels.name" is part of the list campaign.labels. A query can use only the whole list. Use campaign.labels: the column holds the list as JSON.
      "ad.demand_gen_product_ad.description" is a message: WHERE and ORDER BY do not accept it.
      "segments.click_type" cannot be used in a query FROM campaign_budget. It can be selected FROM ad_group, ad_group_ad, ad_group_audience_view, age_range_view and others."
    `);
  });

  it('among all fields if the resource is unknown', () => {
    expect(messagesOf('SELECT campaign.nam FROM campain')).toEqual([
      '"campaign.nam" is not a field. Did you mean campaign.name?',
      'Unknown resource "campain". Did you mean campaign?',
    ]);
    expect(messagesOf('SELECT nonsense_of_all_sorts FROM zzzzzz')).toEqual([
      '"nonsense_of_all_sorts" is not a field.',
      'Unknown resource "zzzzzz". Run pacekeeper fields to list the resources.',
    ]);
  });
});

it('the fields of an unknown resource are not reported', () => {
  expect(placesOf('SELECT feed.id, feed.name, campaign.nam FROM feed WHERE feed.id = 1')).toEqual([
    'UNRECOGNIZED_FIELD 1:28-1:40',
    'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:46-1:50',
  ]);
});
