import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { SPECIFICATION_CATALOGUE } from '../../../src/language/gaql/catalogue/specification-catalogue.ts';
import { checkQuery } from '../../../src/language/gaql/check/check-query.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { check, placesOf, sent } from '../findings.ts';

const V25 = loadCatalogue('v25');

const S = 'SELECT campaign.id FROM campaign';
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
