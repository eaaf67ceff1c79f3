import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../../../src/language/gaql/catalogue/specification-catalogue.ts';
import { checkQuery } from '../../../src/language/gaql/check/check-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { check, place, placesOf, sent } from '../findings.ts';

const V25 = loadCatalogue('v25');

const S = 'SELECT campaign.id FROM campaign';
const messagesOf = (source: string) =>
  check(source).diagnostics.map(({ message, hint }) => (hint ? `${message} ${hint}` : message));

describe('a checked query', () => {
  it('B13: sends SELECT, FROM, WHERE … AND …, ORDER BY … DESC and LIMIT, with DURING and IN, unchanged', () => {
    const text =
      'SELECT campaign.id, campaign.name, ad_group.id, ad_group.name, ad_group_criterion.criterion_id, ' +
      'ad_group_criterion.keyword.text, ad_group_criterion.keyword.match_type, metrics.impressions, metrics.clicks, ' +
      'metrics.cost_micros FROM keyword_view WHERE segments.date DURING LAST_7_DAYS ' +
      "AND campaign.advertising_channel_type = 'SEARCH' AND ad_group.status = ENABLED " +
      "AND ad_group_criterion.status IN ('ENABLED', 'PAUSED') ORDER BY metrics.impressions DESC LIMIT 50";
    const { query, diagnostics } = check(text);
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['note LIMITED_TABLE']);
    expect(query).toMatchObject({
      text,
      resource: 'keyword_view',
      window: { kind: 'period', period: 'LAST_7_DAYS' },
      limit: 50,
    });
  });

  it('has a column per selected field, in the order of SELECT', () => {
    const { query } = check(
      'SELECT metrics.clicks, campaign.id, segments.date FROM campaign WHERE segments.date DURING TODAY',
    );
    expect(query?.columns.map(({ name, type, role }) => [name, type, role])).toEqual([
      ['clicks', 'INT64', 'metric'],
      ['campaign_id', 'INT64', 'attribute'],
      ['date', 'DATE', 'segment'],
    ]);
  });

  it('keeps the account in its first column if it selects customer.id', () => {
    const { query } = check('SELECT customer.id, campaign.id FROM campaign');
    expect(query?.columns.map(({ name }) => name)).toEqual(['campaign_id']);
  });

  it('P2: does not exist after a syntax error, and missing parts are reported once', () => {
    const { tree } = parseQuery('SELECT segments.date FROM campaign WHERE');
    expect(checkQuery(tree, { catalogue: V25 }, false)).toEqual({ query: undefined, diagnostics: [] });
  });

  it('P2: is checked against the given catalogue', () => {
    const { tree } = parseQuery(S);
    expect(
      checkQuery(tree, { catalogue: SPECIFICATION_CATALOGUE }, true).diagnostics.map(({ message }) => message),
    ).toEqual(['Unknown resource "campaign".']);
  });
});

describe('fields and resources', () => {
  it.each([
    ['an unknown resource', 'SELECT campaign.id FROM campain', ['BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:25-1:32']],
    ['an unknown field', 'SELECT campaign.nam FROM campaign', ['UNRECOGNIZED_FIELD 1:8-1:20']],
    ['an unknown field of WHERE', `${S} WHERE campaign.nam = 'x'`, ['UNRECOGNIZED_FIELD 1:40-1:52']],
    ['an unknown field of ORDER BY', `${S} ORDER BY metrics.clickz`, ['UNRECOGNIZED_FIELD 1:43-1:57']],
    ['a field with a dot too many', 'SELECT campaign.id. FROM campaign', ['UNRECOGNIZED_FIELD 1:8-1:20']],
    ['a field in capitals', 'SELECT CAMPAIGN.ID FROM campaign', ['UNRECOGNIZED_FIELD 1:8-1:19']],
    ['a name of every object', 'SELECT constructor FROM campaign', ['UNRECOGNIZED_FIELD 1:8-1:19']],
    ['a whole resource', 'SELECT campaign FROM campaign', ['PROHIBITED_FIELD_IN_SELECT_CLAUSE 1:8-1:16']],
    [
      'a whole message',
      'SELECT ad_group_criterion.keyword FROM keyword_view',
      ['PROHIBITED_FIELD_IN_SELECT_CLAUSE 1:8-1:34'],
    ],
    ['a whole resource in WHERE', `${S} WHERE campaign = 5`, ['PROHIBITED_FIELD_IN_WHERE_CLAUSE 1:40-1:48']],
    ['a whole resource in ORDER BY', `${S} ORDER BY campaign`, ['PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE 1:43-1:51']],
    [
      'a field of another resource',
      'SELECT ad_group.id FROM campaign',
      ['PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE 1:8-1:19'],
    ],
    [
      'a field of another resource in WHERE',
      `${S} WHERE ad_group.id = 5`,
      ['PROHIBITED_RESOURCE_TYPE_IN_WHERE_CLAUSE 1:40-1:51'],
    ],
    [
      'a field of another resource in ORDER BY',
      `${S} ORDER BY ad_group.id`,
      ['PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE 1:43-1:54'],
    ],
    [
      'a metric of a resource without metrics',
      'SELECT metrics.clicks FROM campaign_criterion',
      ['PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE 1:8-1:22'],
    ],
    ['a field twice', 'SELECT campaign.id, campaign.id FROM campaign', ['DUPLICATE_FIELD 1:21-1:32']],
    ['the account twice', 'SELECT customer.id, customer.id FROM campaign', ['DUPLICATE_FIELD 1:21-1:32']],
    [
      'an ordering by an unselected field',
      `${S} ORDER BY metrics.clicks`,
      ['EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE 1:43-1:57'],
    ],
    [
      'the same of the main resource, which the service may take',
      `${S} ORDER BY campaign.name`,
      ['EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE 1:43-1:56 (warning)'],
    ],
    ['a resource name, which always comes back', `${S} ORDER BY campaign.resource_name`, []],
    ['a filter on an unselected field', `${S} WHERE campaign.name = 'x'`, []],
  ])('%s', (_, source, places) => {
    expect(placesOf(source)).toEqual(places);
  });

  it.each([
    [
      'by an alias',
      'SELECT campaign.id, campaign.name AS campaign_id FROM campaign',
      '1:38-1:49 "campaign.name" needs the column name campaign_id, but campaign.id already has it.',
    ],
    [
      'by the account’s own column',
      'SELECT campaign.id AS customer_id FROM campaign',
      '1:23-1:34 "campaign.id" needs the column name customer_id, but the account already has it.',
    ],
    [
      'by the amount that is published beside micros',
      'SELECT campaign.id, metrics.cost_micros, metrics.clicks AS cost FROM campaign',
      '1:60-1:64 "metrics.clicks" needs the column name cost, but the amount of metrics.cost_micros in currency units already has it.',
    ],
  ])('are refused if they share a column: %s', (_, source, found) => {
    const [diagnostic] = check(source).diagnostics;
    expect(diagnostic && `${place(diagnostic)} ${diagnostic.message}`).toBe(`DUPLICATE_COLUMN ${found}`);
  });

  it('are suggested from usable names', () => {
    const sources = [
      'SELECT campaign.nam FROM campaign',
      'SELECT clicks FROM keyword_view',
      'SELECT campaign FROM keyword_view',
      'SELECT campaign.id FROM keywords_view',
      'SELECT campaign.id FROM zzz',
      'SELECT ad_group.id FROM campaign',
      `${S} ORDER BY metrics.clicks`,
      'SELECT campaign.id, campaign.id FROM campaign',
    ];
    expect(sources.flatMap(messagesOf).join('\n')).toMatchInlineSnapshot(`
      ""campaign.nam" is not a field of campaign. Did you mean campaign.name?
      "clicks" is not a field of keyword_view. Did you mean metrics.clicks?
      "campaign" is a whole resource or message, not a field of keyword_view. Use its fields: campaign.id, campaign.name, campaign.performance_max_upgrade.status, campaign.status and others.
      Unknown resource "keywords_view". Did you mean keyword_view?
      Unknown resource "zzz". Run pacekeeper fields to list the resources.
      "ad_group.id" cannot be used in a query FROM campaign. Select it FROM ad_group.
      "metrics.clicks" is in ORDER BY but not in SELECT. Add metrics.clicks to SELECT.
      "campaign.id" is selected twice."
    `);
  });

  it('are checked without a resource if there is none', () => {
    expect(placesOf('SELECT campaign.nam, ad_group.id FROM')).toEqual([
      'UNRECOGNIZED_FIELD 1:8-1:20',
      'UNEXPECTED_END_OF_QUERY 1:38-1:38',
    ]);
  });
});

describe('warnings alone', () => {
  it('do not stop a query', () => {
    const { query, diagnostics } = check(`${S} ORDER BY campaign.name`);
    expect(diagnostics).toHaveLength(1);
    expect(query?.text).toBe(`${S} ORDER BY campaign.name`);
    expect(sent(`${S} WHERE campaign.status > ENABLED`)).toBe(`${S} WHERE campaign.status > ENABLED`);
  });
});
