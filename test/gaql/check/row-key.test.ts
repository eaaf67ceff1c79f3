import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { smallCatalogue } from '../../../src/gaql/catalogue/catalogue.ts';
import { check, marked, messagesOf, placesOf } from '../findings.ts';

const WARNING = 'MISSING_ROW_KEY (warning)';
const TODAY = 'segments.date DURING TODAY';

describe('the rows of a table are told apart by', () => {
  it.each([
    ['the campaign', 'SELECT campaign.id, campaign.name FROM campaign', ['campaign_id']],
    ['the column that holds its id', 'SELECT campaign.id AS c FROM campaign', ['c']],
    [
      'its resource name, which stands for its id',
      'SELECT campaign.resource_name, metrics.clicks FROM campaign',
      ['campaign_resource_name'],
    ],
    [
      'the ad group and the criterion',
      'SELECT ad_group.id, ad_group_criterion.criterion_id, metrics.clicks FROM keyword_view',
      ['ad_group_id', 'ad_group_criterion_criterion_id'],
    ],
    [
      'the keyword’s resource name',
      'SELECT keyword_view.resource_name, metrics.clicks FROM keyword_view',
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
    ['the account and a segment', 'SELECT segments.device, metrics.clicks FROM customer', ['device']],
    [
      'the day and the click',
      `SELECT click_view.gclid, segments.date FROM click_view WHERE ${TODAY}`,
      ['date', 'click_view_gclid'],
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
      'SELECT landing_page_view.resource_name, metrics.clicks FROM landing_page_view',
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
  ])('the account and %s', (_, source, key) => {
    const { query, diagnostics } = check(source);
    expect(diagnostics.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(query?.key).toEqual(['customer_id', ...key]);
  });
});

describe('a query that leaves out a part of the key is warned of', () => {
  it.each([
    ['no id', '«SELECT» campaign.name FROM campaign', 'campaign.id is'],
    ['no ad group', '«SELECT» ad_group_criterion.criterion_id FROM keyword_view', 'ad_group.id is'],
    [
      'no part of two',
      '«SELECT» metrics.clicks FROM keyword_view',
      'ad_group.id and ad_group_criterion.criterion_id are',
    ],
    [
      'no criterion, below a comment',
      '-- Words.\n  «select» ad_group.id FROM keyword_view',
      'ad_group_criterion.criterion_id is',
    ],
    ['no click', `«SELECT» segments.date FROM click_view WHERE ${TODAY}`, 'click_view.gclid is'],
    ['no day', `«SELECT» click_view.gclid FROM click_view WHERE ${TODAY}`, 'segments.date is'],
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
      'an id that two resources want',
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
    ['no sub-account', '«SELECT» customer_client.level FROM customer_client', 'customer_client.client_customer is'],
  ])('%s', (_, text, missing) => {
    const { source, places } = marked(text, WARNING);
    expect(placesOf(source)).toEqual(places);
    expect(messagesOf(source)[0]).toContain(`The rows cannot be told apart: ${missing} not selected. Add `);
    expect(check(source).query?.key).toEqual([]);
  });

  it('and what it is asked to add is right, for every resource', () => {
    const { resources } = loadCatalogue('v25');
    for (const { name, key } of resources.values()) {
      if (['click_view', 'change_event', 'change_status', 'customer'].includes(name)) continue;
      const whole = `SELECT ${key.join(', ')} FROM ${name}`;
      expect(placesOf(whole), name).toEqual([]);
      expect(check(whole).query?.key, name).toHaveLength(key.length + 1);
    }
  });
});

it('a resource that splits rows and is not in the catalogue is told apart by its resource name', () => {
  const small = smallCatalogue(
    'small',
    [
      ['page.id', 'INT64'],
      ['visit.resource_name', 'RESOURCE_NAME'],
      ['visit.id', 'INT64'],
    ],
    [{ name: 'page', attributed: ['page'], metrics: false, key: ['page.id'] }],
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
