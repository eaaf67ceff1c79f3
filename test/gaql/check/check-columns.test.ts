import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { selectableFields, smallCatalogue } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { checkColumns } from '../../../src/language/gaql/check/check-columns.ts';
import type { SelectedField } from '../../../src/language/gaql/syntax/tree.ts';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const TODAY = 'segments.date DURING TODAY';
const columnsOf = (source: string) => check(source).query?.columns.map(({ name }) => name);

describe('a column takes its alias', () => {
  it.each([
    ['a short one', 'SELECT campaign.id AS c FROM campaign', ['c']],
    ['digits and underscores', 'SELECT campaign.id AS c_1_ FROM campaign', ['c_1_']],
    ['63 letters', `SELECT campaign.id AS ${'c'.repeat(63)} FROM campaign`, ['c'.repeat(63)]],
    ['its own', 'SELECT campaign.id AS campaign_id FROM campaign', ['campaign_id']],
    [
      'the name of another',
      'SELECT campaign.id AS campaign_name, campaign.name AS n FROM campaign',
      ['campaign_name', 'n'],
    ],
    [
      'date, the day’s',
      `SELECT campaign.id, segments.date AS date FROM campaign WHERE ${TODAY}`,
      ['campaign_id', 'date'],
    ],
    ['the account’s own', 'SELECT customer.id AS customer_id, campaign.id FROM campaign', ['campaign_id']],
    ['beside it', 'SELECT customer.id AS account, campaign.id FROM campaign', ['account', 'campaign_id']],
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
      'campaign.id, campaign.name AS «campaign_id»',
      '"campaign.name" needs the column name campaign_id, but campaign.id',
    ],
    [
      'campaign.name AS campaign_id, «campaign.id»',
      '"campaign.id" needs the column name campaign_id, but campaign.name',
    ],
    ['campaign.id AS a, campaign.name AS «a»', '"campaign.name" needs the column name a, but campaign.id'],
    ['campaign.id AS «customer_id»', '"campaign.id" needs the column name customer_id, but the account'],
    [
      'campaign.id, metrics.cost_micros, metrics.clicks AS «cost»',
      '"metrics.clicks" needs the column name cost, but the amount of metrics.cost_micros in currency units',
    ],
    [
      'campaign.id, metrics.clicks AS cost, «metrics.cost_micros»',
      '"metrics.cost_micros" needs the column name cost, but metrics.clicks',
    ],
    [
      'campaign.id, metrics.cost_micros AS «campaign_id_micros»',
      '"metrics.cost_micros" needs the column name campaign_id, but campaign.id',
    ],
    [
      'campaign.id, metrics.cost_micros AS «date_micros»',
      '"metrics.cost_micros" needs the column name date, but the day',
    ],
  ])('SELECT %s', (fields, clash) => {
    const { source, places } = marked(`SELECT ${fields} FROM campaign`, 'DUPLICATE_COLUMN');
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain(`${clash} already has it. Give it another name: `);
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

/** In each query, the columns of the key stand in marks. */
describe('the row key consists of the account and of what identifies a row', () => {
  it.each([
    'SELECT «campaign.id», campaign.name FROM campaign',
    'SELECT «campaign.id» AS c FROM campaign',
    `SELECT «campaign.resource_name», metrics.clicks FROM campaign WHERE ${TODAY}`,
    `SELECT «ad_group.id», «ad_group_criterion.criterion_id», metrics.clicks FROM keyword_view WHERE ${TODAY}`,
    `SELECT «keyword_view.resource_name», metrics.clicks FROM keyword_view WHERE ${TODAY}`,
    'SELECT customer.currency_code FROM customer',
    `SELECT «segments.device», metrics.clicks FROM customer WHERE ${TODAY}`,
    // The name of a conversion action does not identify it, but splits the rows.
    `SELECT «campaign.id», «segments.conversion_action», «segments.conversion_action_name» FROM campaign WHERE ${TODAY}`,
    'SELECT «campaign_budget.id», campaign_budget.amount_micros FROM campaign_budget',
    // A campaign splits its budget.
    'SELECT «campaign_budget.id», «campaign.id», campaign.name FROM campaign_budget',
    'SELECT «campaign_budget.id», «campaign.resource_name» FROM campaign_budget',
    'SELECT «customer_client.client_customer» FROM customer_client',
    'SELECT «customer_client.id», customer_client.level FROM customer_client',
    `SELECT «change_event.resource_name», change_event.user_email FROM change_event
      WHERE change_event.change_date_time DURING TODAY LIMIT 5`,
    `SELECT «landing_page_view.resource_name», metrics.clicks FROM landing_page_view WHERE ${TODAY}`,
    'SELECT «landing_page_view.resource_name», «expanded_landing_page_view.resource_name» FROM landing_page_view',
    'SELECT «search_term_view.resource_name», «ad_group.id», «ad_group_ad.ad.id» FROM search_term_view',
    'SELECT «shared_set.id», «campaign.id», campaign_shared_set.status FROM shared_set',
    'SELECT «geographic_view.country_criterion_id», «geographic_view.location_type» FROM geographic_view',
    'SELECT «video_enhancement.resource_name», customer.descriptive_name FROM video_enhancement',
    // An account has one such view.
    `SELECT «segments.product_item_id», metrics.clicks FROM shopping_performance_view WHERE ${TODAY}`,
    `SELECT «segments.date», «campaign.id», «segments.product_item_id» FROM shopping_performance_view WHERE ${TODAY}`,
    `SELECT metrics.clicks FROM hotel_performance_view WHERE ${TODAY}`,
    // A link is identified by the ids of what it links, or by its references, once each.
    'SELECT «ad_group.id», «asset.id», «ad_group_asset.field_type» FROM ad_group_asset',
    'SELECT ad_group.id, «ad_group_asset.ad_group», «asset.id», «ad_group_asset.field_type» FROM ad_group_asset',
    'SELECT «campaign.resource_name», «asset.resource_name», «campaign_asset.field_type» FROM campaign_asset',
    'SELECT campaign.name, «campaign_asset.campaign», «campaign_asset.asset», «campaign_asset.field_type» FROM campaign_asset',
    'SELECT «campaign.id» AS c, campaign.name, «asset.id», «campaign_asset.field_type» FROM campaign_asset',
    'SELECT «ad_group_asset.resource_name», ad_group.name FROM ad_group_asset',
    'SELECT «campaign.id», «asset.id», «campaign_asset.field_type», «ad_group.id» FROM campaign_asset',
    'SELECT «ad_group_ad.ad_group», «ad_group_ad.ad.id» FROM ad_group_ad',
    'SELECT «shared_set.id», «campaign_shared_set.campaign» FROM shared_set',
  ])('%s', (text) => {
    const { query, diagnostics } = check(text.replaceAll(/[«»]/g, ''));
    expect(diagnostics.filter(({ severity }) => severity !== 'note')).toEqual([]);
    const key = [...text.matchAll(/«([^»]+)»(?: AS (\w+))?/g)].map(
      ([, field = '', alias]) => alias ?? field.replace('segments.', '').replaceAll('.', '_'),
    );
    expect(query?.key).toEqual(['customer_id', ...key]);
  });

  it('in the order of day, resource and segments', () => {
    const source = `SELECT segments.device, segments.date, campaign.id, segments.hour FROM campaign WHERE ${TODAY}`;
    expect(check(source).query?.key).toEqual(['customer_id', 'date', 'campaign_id', 'device', 'hour']);
  });
});

describe('a query without part of the key gets a warning', () => {
  it.each([
    ['campaign.name FROM campaign', 'campaign.id is'],
    ['customer.resource_name FROM campaign', 'campaign.id is'],
    ['ad_group_criterion.criterion_id FROM keyword_view', 'ad_group.id is'],
    [`metrics.clicks FROM keyword_view WHERE ${TODAY}`, 'ad_group.id and ad_group_criterion.criterion_id are'],
    [`click_view.keyword, segments.date FROM click_view WHERE ${TODAY}`, 'click_view.gclid is'],
    [`click_view.gclid, click_view.keyword FROM click_view WHERE ${TODAY}`, 'segments.date is'],
    // A click has a row for each of its keywords.
    [`click_view.gclid, segments.date FROM click_view WHERE ${TODAY}`, 'click_view.keyword is'],
    // Two conversion actions can have one name.
    [`campaign.id, segments.conversion_action_name FROM campaign WHERE ${TODAY}`, 'segments.conversion_action is'],
    // A campaign splits the rows of its budget and of the lists it shares.
    ['campaign_budget.id, campaign.name FROM campaign_budget', 'campaign.id is'],
    ['campaign_budget.amount_micros, campaign.name FROM campaign_budget', 'campaign_budget.id and campaign.id are'],
    ['shared_set.id, campaign.name, campaign_shared_set.status FROM shared_set', 'campaign.id is'],
    ['search_term_view.search_term FROM search_term_view', 'search_term_view.resource_name is'],
    [
      'landing_page_view.resource_name, expanded_landing_page_view.expanded_final_url FROM landing_page_view',
      'expanded_landing_page_view.resource_name is',
    ],
    // Either end of a link is requested once, by the reference of the link itself.
    ['ad_group.name, asset.id, ad_group_asset.field_type FROM ad_group_asset', 'ad_group_asset.ad_group is'],
    [
      'ad_group.id, ad_group.campaign, asset.id, campaign_asset.field_type FROM campaign_asset',
      'campaign_asset.campaign is',
    ],
    // The strategy that the campaign names is not the one that splits the rows.
    [
      'campaign.bidding_strategy, bidding_strategy.name, campaign.id, campaign_criterion.criterion_id FROM campaign_audience_view',
      'bidding_strategy.id is',
    ],
    // This id identifies a row only beside another id.
    ['asset_group_listing_group_filter.id FROM asset_group_listing_group_filter', 'asset_group.id is'],
    ['customer_client.level FROM customer_client', 'customer_client.client_customer is'],
  ])('SELECT %s', (fields, missing) => {
    const { source, places } = marked(`-- Words.\n  «select» ${fields}`, WARNING);
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
