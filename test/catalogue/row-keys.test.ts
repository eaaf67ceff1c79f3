import { describe, expect, it } from 'vitest';
import { findRowKey } from '../../catalogue/row-keys.ts';

function keyOf(resource: string, pattern: string, types: Readonly<Record<string, string>>): string[] {
  return findRowKey({
    resource,
    pattern,
    typeOf: (name) => (Object.hasOwn(types, name) ? types[name] : undefined),
  });
}

const C = 'customers/{customer_id}';
const ID = 'INT64';

describe('the key of a resource, derived from its name format', () => {
  it.each([
    ['nothing for the account itself', 'customer', C, {}, []],
    ['its own id', 'campaign', `${C}/campaigns/{campaign_id}`, { 'campaign.id': ID }, ['campaign.id']],
    ['its own field of that name', 'goal', `${C}/goals/{goal_id}`, { 'goal.goal_id': ID }, ['goal.goal_id']],
    [
      'its own name where no part has a field',
      'bidding_strategy',
      `${C}/biddingStrategies/{strategy}_{x_id}`,
      { 'bidding_strategy.id': ID },
      ['bidding_strategy.resource_name'],
    ],
    [
      'its own id where the only part of the format is another word',
      'asset_set',
      `${C}/assetSets/{set_id}`,
      { 'asset_set.id': ID },
      ['asset_set.id'],
    ],
    [
      'its own id named after itself',
      'experiment',
      `${C}/experiments/{trial_id}`,
      { 'experiment.experiment_id': ID },
      ['experiment.experiment_id'],
    ],
    [
      'ids of attributed resources',
      'keyword_view',
      `${C}/keywordViews/{ad_group_id}~{criterion_id}`,
      { 'ad_group.id': ID, 'ad_group_criterion.criterion_id': ID },
      ['ad_group.id', 'ad_group_criterion.criterion_id'],
    ],
    [
      'the old spelling of the ad group',
      'age_range_view',
      `${C}/ageRangeViews/{adgroup_id}~{criterion_id}`,
      { 'ad_group.id': ID, 'ad_group_criterion.criterion_id': ID },
      ['ad_group.id', 'ad_group_criterion.criterion_id'],
    ],
    [
      'the criterion of a campaign',
      'location_view',
      `${C}/locationViews/{campaign_id}~{criterion_id}`,
      { 'campaign.id': ID, 'campaign_criterion.criterion_id': ID },
      ['campaign.id', 'campaign_criterion.criterion_id'],
    ],
    [
      'its own name where a criterion may belong to either',
      'both_view',
      `${C}/bothViews/{campaign_id}~{ad_group_id}~{criterion_id}`,
      {
        'campaign.id': ID,
        'ad_group.id': ID,
        'campaign_criterion.criterion_id': ID,
        'ad_group_criterion.criterion_id': ID,
      },
      ['both_view.resource_name'],
    ],
    [
      'its own name where a criterion belongs to neither',
      'topic_view',
      `${C}/topicViews/{criterion_id}`,
      { 'ad_group_criterion.criterion_id': ID },
      ['topic_view.resource_name'],
    ],
    [
      'the ad within its ad group',
      'ad_group_ad',
      `${C}/adGroupAds/{ad_group_id}~{ad_id}`,
      { 'ad_group.id': ID, 'ad_group_ad.ad.id': ID },
      ['ad_group.id', 'ad_group_ad.ad.id'],
    ],
    [
      'a segment',
      'click_view',
      `${C}/clickViews/{date}~{gclid}`,
      { 'segments.date': 'DATE', 'click_view.gclid': 'STRING' },
      ['segments.date', 'click_view.gclid'],
    ],
    [
      'a constant',
      'asset_type_view',
      `${C}/assetTypeViews/{field_type}`,
      { 'asset_type_view.field_type': 'ENUM:AssetFieldType' },
      ['asset_type_view.field_type'],
    ],
    [
      'the resource name of an entity',
      'customer_label',
      `${C}/customerLabels/{label_id}`,
      { 'customer_label.label': 'RESOURCE_NAME' },
      ['customer_label.label'],
    ],
    [
      'no field that is not a resource name',
      'customer_label',
      `${C}/customerLabels/{label_id}`,
      { 'customer_label.label': 'STRING' },
      ['customer_label.resource_name'],
    ],
    [
      'the id that its own name ends with',
      'campaign_draft',
      `${C}/campaignDrafts/{base_id}~{draft_id}`,
      { 'base.id': ID, 'campaign_draft.id': ID },
      ['base.id', 'campaign_draft.id'],
    ],
    [
      'its own name where one part has no field',
      'search_view',
      `${C}/searchViews/{ad_group_id}~{query}`,
      { 'ad_group.id': ID },
      ['search_view.resource_name'],
    ],
    [
      'its own name where a text may be shortened',
      'search_view',
      `${C}/searchViews/{search_term}`,
      { 'search_view.search_term': 'STRING' },
      ['search_view.resource_name'],
    ],
    [
      'its own name where the field is a message',
      'page',
      `${C}/pages/{place}`,
      { 'page.place': 'MESSAGE' },
      ['page.resource_name'],
    ],
    [
      'its own name where the field is a list',
      'page',
      `${C}/pages/{place}`,
      { 'page.place': 'STRING[]' },
      ['page.resource_name'],
    ],
    [
      'its own name where a part of the format is not a word',
      'page',
      `${C}/pages/{page=**}`,
      { 'page.id': ID },
      ['page.resource_name'],
    ],
    [
      'nothing for a resource that exists once per account',
      'shopping_performance_view',
      `${C}/shoppingPerformanceView`,
      { 'shopping_performance_view.resource_name': 'RESOURCE_NAME', 'segments.product_item_id': 'STRING' },
      [],
    ],
  ])('is %s', (_, resource, pattern, types, key) => {
    expect(keyOf(resource, pattern, types as Readonly<Record<string, string>>)).toEqual(key);
  });
});
