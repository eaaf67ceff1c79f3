import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { selectableFields, smallCatalogue } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { checkColumns } from '../../../src/language/gaql/check/check-columns.ts';
import type { SelectedField } from '../../../src/language/gaql/syntax/tree.ts';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const columnsOf = (source: string) => check(source).query?.columns.map(({ name }) => name);

describe('a column takes its alias', () => {
  it.each([
    ['a short one', 'SELECT campaign.id AS c FROM campaign', ['c']],
    ['digits and underscores', 'SELECT campaign.id AS c_1_ FROM campaign', ['c_1_']],
    ['63 letters', `SELECT campaign.id AS ${'c'.repeat(63)} FROM campaign`, ['c'.repeat(63)]],
    ['its own', 'SELECT campaign.id AS campaign_id FROM campaign', ['campaign_id']],
    [
      'the name of a field with another alias',
      'SELECT campaign.id AS campaign_name, campaign.name AS n FROM campaign',
      ['campaign_name', 'n'],
    ],
    [
      'the day’s, which is always date',
      'SELECT campaign.id, segments.date AS date FROM campaign WHERE segments.date DURING TODAY',
      ['campaign_id', 'date'],
    ],
    [
      'the account’s, which has its own column',
      'SELECT customer.id AS customer_id, campaign.id FROM campaign',
      ['campaign_id'],
    ],
    [
      'another one beside the account’s',
      'SELECT customer.id AS account, campaign.id FROM campaign',
      ['account', 'campaign_id'],
    ],
  ])('%s', (_, source, columns) => {
    expect(placesOf(source)).toEqual([]);
    expect(columnsOf(source)).toEqual(columns);
  });
});

describe('an invalid column name', () => {
  const NO_DAY = 'The column date always holds segments.date: table updates and rules rely on it.';
  it.each([
    [
      'capitals',
      'SELECT campaign.id AS «Campaign» FROM campaign',
      'Invalid column name "Campaign". Use at most 63 lower-case letters, digits and underscores, starting with a letter.',
    ],
    ['64 letters', `SELECT campaign.id AS «${'c'.repeat(64)}» FROM campaign`, undefined],
    ['date for another field', 'SELECT campaign.id AS «date» FROM campaign', `${NO_DAY} Choose another name.`],
    [
      'another name for the day',
      'SELECT campaign.id, segments.date AS «day» FROM campaign WHERE segments.date DURING TODAY',
      `${NO_DAY} Remove the alias.`,
    ],
  ])('%s', (_, text, message) => {
    const { source, places } = marked(text, 'BAD_ALIAS');
    expect(placesOf(source)).toEqual(places);
    if (message) expect(messagesOf(source)).toEqual([message]);
  });
});

describe('two columns with one name', () => {
  it.each([
    [
      'an alias that is another field’s column',
      'SELECT campaign.id, campaign.name AS «campaign_id» FROM campaign',
      '"campaign.name" needs the column name campaign_id, but campaign.id already has it',
    ],
    [
      'a column that is another field’s alias',
      'SELECT campaign.name AS campaign_id, «campaign.id» FROM campaign',
      '"campaign.id" needs the column name campaign_id, but campaign.name already has it',
    ],
    [
      'one alias twice',
      'SELECT campaign.id AS a, campaign.name AS «a» FROM campaign',
      '"campaign.name" needs the column name a, but campaign.id already has it',
    ],
    [
      'the account’s column',
      'SELECT campaign.id AS «customer_id» FROM campaign',
      '"campaign.id" needs the column name customer_id, but the account already has it',
    ],
    [
      'the published amount after its micros',
      'SELECT campaign.id, metrics.cost_micros, metrics.clicks AS «cost» FROM campaign',
      '"metrics.clicks" needs the column name cost, but the amount of metrics.cost_micros in currency units already has it',
    ],
    [
      'micros after the column that their amount would be',
      'SELECT campaign.id, metrics.clicks AS cost, «metrics.cost_micros» FROM campaign',
      '"metrics.cost_micros" needs the column name cost, but metrics.clicks already has it',
    ],
    [
      'micros by alias after such a column',
      'SELECT campaign.id, metrics.cost_micros AS «campaign_id_micros» FROM campaign',
      '"metrics.cost_micros" needs the column name campaign_id, but campaign.id already has it',
    ],
    [
      'an amount that would be the day',
      'SELECT campaign.id, metrics.cost_micros AS «date_micros» FROM campaign',
      '"metrics.cost_micros" needs the column name date, but the day already has it',
    ],
  ])('%s', (_, text, clash) => {
    const { source, places } = marked(text, 'DUPLICATE_COLUMN');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain(`${clash}. Give it another name: `);
  });

  it.each([
    ['a micros column without the suffix', 'SELECT campaign.id, metrics.cost_micros AS «spent» FROM campaign'],
    ['another column with the suffix', 'SELECT campaign.id, metrics.clicks AS «clicks_micros» FROM campaign'],
  ])('prevents a rule error by a factor of a million: %s', (_, text) => {
    const { source, places } = marked(text, 'BAD_ALIAS');
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    ['once more', 'SELECT campaign.id, «campaign.id» FROM campaign'],
    ['under another name', 'SELECT campaign.id, «campaign.id» AS other FROM campaign'],
    ['the account', 'SELECT customer.id, campaign.id, «customer.id» FROM campaign'],
  ])('a field selected twice: %s', (_, text) => {
    const { source, places } = marked(text, 'DUPLICATE_FIELD');
    expect(placesOf(source)).toEqual(places);
  });

  it('do not arise if every field of a resource is selected', () => {
    const catalogue = loadCatalogue('v25');
    const span = { start: { offset: 0, line: 1, column: 1 }, end: { offset: 0, line: 1, column: 1 } };
    for (const resource of catalogue.resources.values()) {
      const selected = selectableFields(catalogue, resource).map((field) => {
        const ref: SelectedField = { kind: 'field', name: field.name, alias: undefined, span };
        return { ref, field };
      });
      checkColumns(selected, ({ message }) => expect.fail(`${resource.name}: ${message}`));
    }
  });
});

const WARNING = 'MISSING_ROW_KEY (warning)';
const TODAY = 'segments.date DURING TODAY';

describe('the row key consists of', () => {
  it.each([
    ['the campaign', 'SELECT campaign.id, campaign.name FROM campaign', ['campaign_id']],
    ['the column that holds its id', 'SELECT campaign.id AS c FROM campaign', ['c']],
    [
      'its resource name, which stands for its id',
      `SELECT campaign.resource_name, metrics.clicks FROM campaign WHERE ${TODAY}`,
      ['campaign_resource_name'],
    ],
    [
      'the ad group and the criterion',
      `SELECT ad_group.id, ad_group_criterion.criterion_id, metrics.clicks FROM keyword_view WHERE ${TODAY}`,
      ['ad_group_id', 'ad_group_criterion_criterion_id'],
    ],
    [
      'the keyword’s resource name',
      `SELECT keyword_view.resource_name, metrics.clicks FROM keyword_view WHERE ${TODAY}`,
      ['keyword_view_resource_name'],
    ],
    [
      'the day, before the key',
      `SELECT campaign.id, segments.date FROM campaign WHERE ${TODAY}`,
      ['date', 'campaign_id'],
    ],
    [
      'every other segment, after the key',
      `SELECT segments.device, segments.date, campaign.id, segments.hour FROM campaign WHERE ${TODAY}`,
      ['date', 'campaign_id', 'device', 'hour'],
    ],
    ['nothing but the account', 'SELECT customer.currency_code FROM customer', []],
    ['the account and a segment', `SELECT segments.device, metrics.clicks FROM customer WHERE ${TODAY}`, ['device']],
    [
      'the campaign and the conversion action, which its name does not identify',
      `SELECT campaign.id, segments.conversion_action, segments.conversion_action_name, metrics.conversions
      FROM campaign WHERE ${TODAY}`,
      ['campaign_id', 'conversion_action', 'conversion_action_name'],
    ],
    [
      'the budget',
      'SELECT campaign_budget.id, campaign_budget.amount_micros FROM campaign_budget',
      ['campaign_budget_id'],
    ],
    [
      'the budget and the campaign that splits it',
      'SELECT campaign_budget.id, campaign.id, campaign.name FROM campaign_budget',
      ['campaign_budget_id', 'campaign_id'],
    ],
    [
      'the budget and the resource name of the campaign',
      'SELECT campaign_budget.id, campaign.resource_name FROM campaign_budget',
      ['campaign_budget_id', 'campaign_resource_name'],
    ],
    [
      'the sub-account by its resource name',
      'SELECT customer_client.client_customer FROM customer_client',
      ['customer_client_client_customer'],
    ],
    [
      'the sub-account by its id',
      'SELECT customer_client.id, customer_client.level FROM customer_client',
      ['customer_client_id'],
    ],
    [
      'the resource name of a resource that has no other key',
      'SELECT change_event.resource_name, change_event.user_email FROM change_event WHERE change_event.change_date_time DURING TODAY LIMIT 5',
      ['change_event_resource_name'],
    ],
    [
      'the resource name of a view',
      `SELECT landing_page_view.resource_name, metrics.clicks FROM landing_page_view WHERE ${TODAY}`,
      ['landing_page_view_resource_name'],
    ],
    [
      'a view and a view that splits it',
      'SELECT landing_page_view.resource_name, expanded_landing_page_view.resource_name FROM landing_page_view',
      ['landing_page_view_resource_name', 'expanded_landing_page_view_resource_name'],
    ],
    [
      'the ad by its own key, where ads split search terms',
      'SELECT search_term_view.resource_name, ad_group.id, ad_group_ad.ad.id FROM search_term_view',
      ['search_term_view_resource_name', 'ad_group_id', 'ad_group_ad_ad_id'],
    ],
    [
      'the list of campaigns by what it links',
      'SELECT shared_set.id, campaign.id, campaign_shared_set.status FROM shared_set',
      ['shared_set_id', 'campaign_id'],
    ],
    [
      'the place and its kind',
      'SELECT geographic_view.country_criterion_id, geographic_view.location_type FROM geographic_view',
      ['geographic_view_country_criterion_id', 'geographic_view_location_type'],
    ],
    [
      'a view and the account that it names',
      'SELECT video_enhancement.resource_name, customer.descriptive_name FROM video_enhancement',
      ['video_enhancement_resource_name'],
    ],
    [
      'the selected segments alone, where the account has one such view',
      'SELECT segments.product_item_id, metrics.clicks FROM shopping_performance_view WHERE segments.date DURING LAST_7_DAYS',
      ['product_item_id'],
    ],
    [
      'the day and the campaign that splits such a view',
      `SELECT campaign.id, segments.product_item_id, segments.date FROM shopping_performance_view WHERE ${TODAY}`,
      ['date', 'campaign_id', 'product_item_id'],
    ],
    [
      'nothing more for the total of such a view',
      `SELECT metrics.clicks FROM hotel_performance_view WHERE ${TODAY}`,
      [],
    ],
    [
      'a link by the ids of what it links',
      'SELECT ad_group.id, asset.id, ad_group_asset.field_type FROM ad_group_asset',
      ['ad_group_id', 'asset_id', 'ad_group_asset_field_type'],
    ],
    [
      'a link by the id and its own reference, once, the reference that is its key',
      'SELECT ad_group.id, ad_group_asset.ad_group, asset.id, ad_group_asset.field_type FROM ad_group_asset',
      ['ad_group_asset_ad_group', 'asset_id', 'ad_group_asset_field_type'],
    ],
    [
      'a link by the resource names of what it links',
      'SELECT campaign.resource_name, asset.resource_name, campaign_asset.field_type FROM campaign_asset',
      ['campaign_resource_name', 'asset_resource_name', 'campaign_asset_field_type'],
    ],
    [
      'a link by its references, which tell of the campaign whose name is selected',
      'SELECT campaign.name, campaign_asset.campaign, campaign_asset.asset, campaign_asset.field_type FROM campaign_asset',
      ['campaign_asset_campaign', 'campaign_asset_asset', 'campaign_asset_field_type'],
    ],
    [
      'a link by the column that holds the id',
      'SELECT campaign.id AS c, campaign.name, asset.id, campaign_asset.field_type FROM campaign_asset',
      ['c', 'asset_id', 'campaign_asset_field_type'],
    ],
    [
      'a link by its own resource name, whatever of its ends is selected',
      'SELECT ad_group_asset.resource_name, ad_group.name FROM ad_group_asset',
      ['ad_group_asset_resource_name'],
    ],
    [
      'a link and the ad group that splits it',
      'SELECT campaign.id, ad_group.id, asset.id, campaign_asset.field_type FROM campaign_asset',
      ['campaign_id', 'asset_id', 'campaign_asset_field_type', 'ad_group_id'],
    ],
    [
      'its own reference in the place of the ad group’s id',
      'SELECT ad_group_ad.ad_group, ad_group_ad.ad.id FROM ad_group_ad',
      ['ad_group_ad_ad_group', 'ad_group_ad_ad_id'],
    ],
    [
      'the reference of what splits it',
      'SELECT shared_set.id, campaign_shared_set.campaign FROM shared_set',
      ['shared_set_id', 'campaign_shared_set_campaign'],
    ],
  ])('the account and %s', (_, source, key) => {
    const { query, diagnostics } = check(source);
    expect(diagnostics.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(query?.key).toEqual(['customer_id', ...key]);
  });
});

describe('a query without part of the key gets a warning', () => {
  it.each([
    ['no id', '«SELECT» campaign.name FROM campaign', 'campaign.id is'],
    ['no ad group', '«SELECT» ad_group_criterion.criterion_id FROM keyword_view', 'ad_group.id is'],
    [
      'none of two parts',
      `«SELECT» metrics.clicks FROM keyword_view WHERE ${TODAY}`,
      'ad_group.id and ad_group_criterion.criterion_id are',
    ],
    [
      'no criterion, below a comment',
      '-- Words.\n  «select» ad_group.id FROM keyword_view',
      'ad_group_criterion.criterion_id is',
    ],
    ['no click', `«SELECT» click_view.keyword, segments.date FROM click_view WHERE ${TODAY}`, 'click_view.gclid is'],
    ['no day', `«SELECT» click_view.gclid, click_view.keyword FROM click_view WHERE ${TODAY}`, 'segments.date is'],
    [
      'no keyword, with which a click has several rows',
      `«SELECT» click_view.gclid, segments.date FROM click_view WHERE ${TODAY}`,
      'click_view.keyword is',
    ],
    [
      'the name of a conversion action, which another one can have, too',
      `«SELECT» campaign.id, segments.conversion_action_name, metrics.conversions FROM campaign WHERE ${TODAY}`,
      'segments.conversion_action is',
    ],
    [
      'no id of what splits the rows',
      '«SELECT» campaign_budget.id, campaign.name FROM campaign_budget',
      'campaign.id is',
    ],
    [
      'neither id',
      '«SELECT» campaign_budget.amount_micros, campaign.name FROM campaign_budget',
      'campaign_budget.id and campaign.id are',
    ],
    [
      'an id that two resources need',
      '«SELECT» shared_set.id, campaign.name, campaign_shared_set.status FROM shared_set',
      'campaign.id is',
    ],
    [
      'no resource name where there is nothing else',
      '«SELECT» search_term_view.search_term FROM search_term_view',
      'search_term_view.resource_name is',
    ],
    [
      'no resource name of a splitting view',
      '«SELECT» landing_page_view.resource_name, expanded_landing_page_view.expanded_final_url FROM landing_page_view',
      'expanded_landing_page_view.resource_name is',
    ],
    ['the resource name of another resource', '«SELECT» customer.resource_name FROM campaign', 'campaign.id is'],
    [
      'neither end of a link, requested once',
      '«SELECT» ad_group.name, asset.id, ad_group_asset.field_type FROM ad_group_asset',
      'ad_group_asset.ad_group is',
    ],
    [
      'the strategy that the campaign names, not the one that splits the rows',
      '«SELECT» campaign.bidding_strategy, bidding_strategy.name, campaign.id, campaign_criterion.criterion_id FROM campaign_audience_view',
      'bidding_strategy.id is',
    ],
    [
      'an ad group’s campaign, which is no reference of the link',
      '«SELECT» ad_group.id, ad_group.campaign, asset.id, campaign_asset.field_type FROM campaign_asset',
      'campaign_asset.campaign is',
    ],
    [
      'an id that is one only beside another',
      '«SELECT» asset_group_listing_group_filter.id FROM asset_group_listing_group_filter',
      'asset_group.id is',
    ],
    ['no sub-account', '«SELECT» customer_client.level FROM customer_client', 'customer_client.client_customer is'],
  ])('%s', (_, text, missing) => {
    const { source, places } = marked(text, WARNING);
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain(`The rows are not unique: ${missing} not selected. Add `);
    expect(check(source).query?.key).toEqual([]);
  });

  it('keeps all rows of a click even with every field, because a click has a row for each place, too', () => {
    const { query, diagnostics } = check(
      `SELECT click_view.gclid, click_view.keyword, segments.date FROM click_view WHERE ${TODAY}`,
    );
    expect([query?.key, diagnostics]).toEqual([[], []]);
  });

  it('suggests the right fields for every resource', () => {
    const { resources } = loadCatalogue('v25');
    for (const { name, key } of resources.values()) {
      if (['click_view', 'change_event', 'change_status'].includes(name)) continue;
      const whole = `SELECT ${key.length > 0 ? key.join(', ') : `${name}.resource_name`} FROM ${name}`;
      expect(placesOf(whole), name).toEqual([]);
      expect(check(whole).query?.key, name).toHaveLength(key.length + 1);
    }
  });
});

it('a splitting resource outside the catalogue uses its resource name as key', () => {
  const small = smallCatalogue(
    'small',
    [
      ['page.id', 'INT64'],
      ['visit.resource_name', 'RESOURCE_NAME'],
      ['visit.id', 'INT64'],
    ],
    [{ name: 'page', attributed: ['page'], metrics: [], segments: [], key: ['page.id'] }],
  );
  const resources = new Map(
    [...small.resources].map(([name, resource]) => [name, { ...resource, segmentedBy: ['visit'] }]),
  );
  const catalogue = { ...small, resources };
  expect(check('SELECT page.id, visit.resource_name FROM page', { catalogue }).query?.key).toEqual([
    'customer_id',
    'page_id',
    'visit_resource_name',
  ]);
  expect(check('SELECT page.id FROM page', { catalogue }).query?.key).toEqual(['customer_id', 'page_id']);
});
