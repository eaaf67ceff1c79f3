import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { importQuery } from '../../../src/language/gaql/dialect/import-query.ts';
import { place } from '../findings.ts';

const imported = (source: string) => importQuery('t', source, { catalogue: loadCatalogue('v25') });
const places = (source: string) => imported(source).errors.map(place);
/** Our query in one line. */
const turned = (source: string) => {
  const { query, errors } = imported(source);
  return errors.length > 0 ? errors.map(place) : query?.text.replace(/\s+/g, ' ').trim();
};
/** The model's columns. */
const computed = (source: string) => {
  const { model, errors } = imported(source);
  return errors.length > 0
    ? errors.map(place)
    : model?.text
        .replace(/\n {2}/g, '\n')
        .split('\n')
        .slice(2, -2);
};

describe('a text that cannot become a query', () => {
  it.each([
    [
      'a template',
      '{% if x %}\nSELECT campaign.id FROM campaign\n{% endif %}',
      'BAD_SYMBOL 1:1-1:11',
      'BAD_SYMBOL 3:1-3:12',
    ],
    ['a template for a value', 'SELECT {{ field }} FROM campaign', 'BAD_SYMBOL 1:8-1:19'],
    ['SQL of a database', 'CREATE TABLE `a.b` AS SELECT 1', 'EXPECTED_SELECT 1:1-1:7'],
    ['a table of a database', 'SELECT a, b FROM `{bq}.t`', 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:18-1:26'],
    ['a table with a macro', 'SELECT a FROM {bq}.t', 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:15-1:19'],
    ['a built-in query', 'SELECT * FROM builtin.ocid_mapping', 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE 1:15-1:35'],
    ['nothing', '', 'EXPECTED_SELECT 1:1-1:1'],
    ['all fields', 'SELECT * FROM campaign', 'BAD_SYMBOL 1:8-1:9'],
    ['a missing comma', 'SELECT campaign.id campaign.name FROM campaign', 'UNEXPECTED_INPUT 1:20-1:33'],
    [
      'an unknown field behind changes',
      "SELECT campaign.id AS Id,\n'x' AS y, campaign.nam FROM campaign",
      'UNRECOGNIZED_FIELD 2:11-2:23',
    ],
    ['a function', 'SELECT campaign.id:$f AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:22'],
    ['a function of a field', 'SELECT f(campaign.id) AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:22'],
    ['backquotes', 'SELECT campaign.id, `metrics.clicks + 1` AS a FROM campaign', 'BAD_FIELD_NAME 1:21-1:41'],
    [
      'JavaScript',
      "SELECT campaign.id FROM campaign\nFUNCTIONS\nfunction f(a) { return `it's`; }",
      'UNEXPECTED_INPUT 2:1-2:10',
    ],
    ['a pointer', 'SELECT campaign.id->x AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:22'],
    ['a list element', 'SELECT campaign.labels[1] AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:26'],
    ['arithmetic with text', 'SELECT campaign.name + 1 AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:25'],
    ['an unfinished computation', 'SELECT (metrics.clicks + ) AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:27'],
    ['a remainder', 'SELECT metrics.clicks % 2 AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:26'],
    ['a part of a number', 'SELECT campaign.id:name AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:24'],
    ['an id in a number', 'SELECT campaign.id~0 AS a FROM campaign', 'BAD_FIELD_NAME 1:8-1:21'],
    ['a computation without a name', 'SELECT campaign.id, metrics.clicks * 2 FROM campaign', 'BAD_ALIAS 1:21-1:39'],
    ['two columns with one name', 'SELECT campaign.name AS n, 1 AS n FROM campaign', 'DUPLICATE_COLUMN 1:33-1:34'],
    ['the clock as a column', "SELECT campaign.id, '{current_date}' AS a FROM campaign", 'BAD_FIELD_NAME 1:21-1:37'],
    ['a macro as a column', "SELECT campaign.id, '{label}' AS a FROM campaign", 'BAD_FIELD_NAME 1:21-1:30'],
    [
      'a macro within a text',
      "SELECT campaign.id FROM campaign WHERE campaign.name LIKE '%{x}%'",
      'BAD_VALUE 1:59-1:66',
    ],
    ['a macro as a condition', 'SELECT campaign.id FROM campaign WHERE {x}', 'BAD_SYMBOL 1:40-1:43'],
    ['a macro after LIMIT', 'SELECT campaign.id FROM campaign LIMIT {n}', 'BAD_SYMBOL 1:40-1:43'],
    [
      'a computed month',
      `SELECT campaign.id FROM campaign WHERE segments.date >= '\${today()-period('P1M')}'`,
      'BAD_SYMBOL 1:57-1:83',
    ],
  ])('%s is refused at its place', (_, source, ...expected) => {
    expect(places(source)).toEqual(expected);
  });

  it('has all its findings at once', () => {
    const source =
      "SELECT campaign.id:$f AS a, campaign.nam\nFROM campaign\nWHERE campaign.name = 'a{b}' AND {c}\nFUNCTIONS\nf";
    expect(places(source)).toEqual([
      'BAD_FIELD_NAME 1:8-1:22',
      'UNRECOGNIZED_FIELD 1:29-1:41',
      'BAD_VALUE 3:23-3:29',
      'BAD_SYMBOL 3:34-3:37',
      'UNEXPECTED_INPUT 4:1-4:10',
    ]);
  });

  it('may have thousands of the same part', () => {
    const many = (text: string) => text.repeat(2_000);
    for (const part of [..."{ '${ :YYYYMMDD ( campaign.id~ 1+ `".split(' '), "'{a}' AS b,", 'metrics.clicks AS a,']) {
      expect(imported(`SELECT ${many(part)} FROM campaign`)).toBeDefined();
      expect(imported(`SELECT campaign.id FROM campaign WHERE ${many(part)}`)).toBeDefined();
    }
  });
});

describe('a query of gaarf', () => {
  const OF = 'FROM campaign';
  it.each([
    ['SELECT campaign.id, FROM campaign', `SELECT campaign.id ${OF}`],
    [
      'select campaign.id as ID, campaign.name as CampaignName from campaign',
      `SELECT campaign.id AS id, campaign.name ${OF}`,
    ],
    ['# a\n-- b\n// c\nSELECT campaign.id, -- d\nFROM campaign;', `# a -- b // c SELECT campaign.id -- d ${OF}`],
    ["SELECT campaign.id AS 'Campaign No' FROM campaign", `SELECT campaign.id AS campaign_no ${OF}`],
    ['SELECT campaign.id AS limit FROM campaign', `SELECT campaign.id AS limit_column ${OF}`],
    [
      'SELECT campaign.id, campaign.name AS date FROM campaign',
      `SELECT campaign.id, campaign.name AS date_column ${OF}`,
    ],
    ['SELECT campaign.id, metrics.cost_micros AS cost FROM campaign', `SELECT campaign.id, metrics.cost_micros ${OF}`],
    [
      'SELECT campaign.id, metrics.cost_micros / 1e6 AS spend FROM campaign',
      `SELECT campaign.id, metrics.cost_micros AS spend_micros ${OF}`,
    ],
    [
      'SELECT campaign.id, metrics.cost_micros/1000000 AS cost, metrics.cost_micros FROM campaign',
      `SELECT campaign.id, metrics.cost_micros ${OF}`,
    ],
    [
      'SELECT campaign.id, metrics.average_cpc AS cpc_micros FROM campaign',
      `SELECT campaign.id, metrics.average_cpc AS cpc ${OF}`,
    ],
    [
      'SELECT campaign.id, metrics.clicks AS clicks, metrics.clicks AS clicks FROM campaign',
      `SELECT campaign.id, metrics.clicks AS clicks ${OF}`,
    ],
    [
      'SELECT campaign.id, campaign.start_date AS start FROM campaign',
      `SELECT campaign.id, campaign.start_date_time AS start ${OF}`,
    ],
    [
      'SELECT campaign.id, campaign.target_cpa:target_cpa_micros AS cpa FROM campaign',
      `SELECT campaign.id, campaign.target_cpa.target_cpa_micros AS cpa_micros ${OF}`,
    ],
    ['SELECT campaign.name FROM campaign', `SELECT campaign.name, campaign.id ${OF}`],
    [
      'SELECT campaign.id FROM campaign WHERE campaign.id IN ({ids})',
      `SELECT campaign.id ${OF} WHERE campaign.id IN (:ids)`,
    ],
    [
      'SELECT campaign.id FROM campaign WHERE campaign.id IN {ids}',
      `SELECT campaign.id ${OF} WHERE campaign.id IN (:ids)`,
    ],
    [
      "SELECT campaign.id FROM campaign WHERE campaign.name IN ('{a}', \"{b-c}\", 'd')",
      `SELECT campaign.id ${OF} WHERE campaign.name IN (:a, :b_c, 'd')`,
    ],
    [
      'SELECT campaign.id FROM campaign WHERE metrics.clicks > {n} AND segments.date DURING {period}',
      `SELECT campaign.id ${OF} WHERE metrics.clicks > :n AND segments.date DURING :period`,
    ],
    [
      'SELECT campaign.id FROM campaign WHERE campaign.id IN (:ids) AND segments.date >= :today-3 AND segments.date <= :today',
      `SELECT campaign.id ${OF} WHERE campaign.id IN (:ids) AND segments.date >= :today-3 AND segments.date <= :today`,
    ],
  ])('%s', (source, expected) => {
    expect(turned(source)).toBe(expected);
    expect(imported(source).model).toBeUndefined();
  });

  it.each([
    ['BETWEEN \'{start_date}\' AND "{end_date}"', 'BETWEEN :today-30 AND :yesterday'],
    ["BETWEEN '{from}' AND '{to}'", 'BETWEEN :from AND :to'],
    ["BETWEEN ':YYYYMMDD-7' AND :YYYYMMDD", 'BETWEEN :today-7 AND :today'],
    [`BETWEEN '\${today()-period('P8D')}' AND '\${yesterday()}'`, 'BETWEEN :today-8 AND :yesterday'],
    [`BETWEEN "\${ today() - 2 }" AND "{current_date}"`, 'BETWEEN :today-2 AND :today'],
    ["= '{yesterday_iso}'", '= :yesterday'],
  ])('that asks for days %s', (days, ours) => {
    const query = (condition: string) =>
      `SELECT campaign.id, segments.date FROM campaign WHERE segments.date ${condition}`;
    expect(turned(query(days))).toBe(query(ours));
  });

  it.each([
    ['1 AS n', '1 AS n'],
    ["'it\\'s' AS note", "'it''s' AS note"],
    ["'x' AS date", "'x' AS date_column"],
    ['metrics.clicks / metrics.impressions AS ctr', 'clicks * 1.0 / impressions AS ctr'],
    ['metrics.clicks/3 -1 AS x', 'clicks / 3.0 - 1 AS x'],
    ['(metrics.clicks+ -2) *100 AS order', '(clicks + -2) * 100 AS order_column'],
    ['metrics.clicks AS a, metrics.clicks AS b', 'a', 'a AS b'],
    ['metrics.clicks AS group, metrics.clicks * 2 AS x', '"group"', '"group" * 2 AS x'],
  ])('with the column %s', (written, ...expected) => {
    const columns = computed(
      `SELECT campaign.id, ${written}, segments.date AS day FROM campaign WHERE segments.date DURING TODAY`,
    );
    expect(columns).toEqual([
      'customer_id,',
      'date,',
      'campaign_id,',
      ...expected.slice(0, -1).map((line) => `${line},`),
      expected.at(-1),
    ]);
  });

  it('keeps the name of its table for the model, and says what changed', () => {
    const { query, model, notes } = imported(
      '-- Clicks.\nSELECT campaign.id, 1 AS n, metrics.cost_micros AS cost FROM campaign WHERE campaign.name = {b}',
    );
    expect(query).toEqual({
      name: 't_base',
      text: '-- Clicks.\nSELECT\n  campaign.id,\n  metrics.cost_micros\nFROM campaign\nWHERE campaign.name = :b\n',
    });
    expect(model).toEqual({
      name: 't',
      text: '-- Clicks.\nSELECT\n  customer_id,\n  campaign_id,\n  1 AS n,\n  cost_micros\nFROM t_base AS base\n',
    });
    expect(
      notes.map(({ span: { start }, message }) => `${start.line}:${start.column} ${message}`),
    ).toMatchInlineSnapshot(`
      [
        "2:26 The table t is now a model over t_base. It computes n.",
        "2:52 cost is now cost_micros. The published file has cost, too.",
        "2:93 {b} is now :b.",
      ]
    `);
  });

  it('has models that find a part of a message, and of a list within it', () => {
    const { model } = imported(`SELECT change_event.new_resource:campaign.target_cpa.target_cpa_micros AS cpa,
      change_event.new_resource:campaign.list.name AS names FROM change_event
      WHERE change_event.change_date_time >= '{start_date}' AND change_event.change_date_time <= '{end_date}' LIMIT 9`);
    const database = new Database(':memory:');
    database.exec('CREATE TABLE t_base (customer_id, change_event_new_resource, change_event_resource_name)');
    const put = database.prepare('INSERT INTO t_base VALUES (1, ?, 2)');
    put.run('{"campaign":{"targetCpa":{"targetCpaMicros":"1500000"},"list":[{"name":"a"},{"name":"b"}]}}');
    put.run('{"campaign":{"list":{"name":"c","other":"text"}}}');
    put.run('{"campaign":{"list":{"other":"text"}}}');
    put.run(null);
    const rows = database.prepare(model?.text ?? '').all() as { cpa_micros: unknown; names: unknown }[];
    expect(rows.map(({ cpa_micros, names }) => [cpa_micros, names])).toEqual([
      [1_500_000, '["a","b"]'],
      [null, 'c'],
      [null, null],
      [null, null],
    ]);
  });

  it('has models that compute what gaarf does, from what the service sends', () => {
    const { query, model } = imported(`SELECT ad_group_ad.ad.responsive_search_ad.headlines:text AS headlines,
      ad_group_ad.ad.responsive_display_ad.long_headline:text AS long, ad_group_ad.labels~0 AS labels,
      ad_group_ad.resource_name~1 AS ad, campaign.campaign_budget~0 AS budget, ad_group_ad.resource_name~2 AS nothing,
      metrics.clicks / metrics.impressions AS ctr, metrics.conversions / metrics.clicks AS rate
      FROM ad_group_ad`);
    const columns = query?.text
      .match(/[a-z_.]+(?=,\n|\nFROM)/g)
      ?.map((field) => field.replace('metrics.', '').replaceAll('.', '_'));
    const database = new Database(':memory:');
    database.exec(`CREATE TABLE t_base (customer_id, ${columns?.join(', ')})`);
    const put = database.prepare(`INSERT INTO t_base VALUES (1, ${columns?.map(() => '?').join(', ')})`);
    put.run(
      '[{"text":"a \\"b\\"","pinnedField":"X"},{"text":"c"}]',
      '{"text":"d"}',
      '["customers/1/labels/7"]',
      'customers/1/adGroupAds/5~6',
      'customers/1/campaignBudgets/AB"\\/12x',
      1,
      4,
      2.5,
    );
    put.run(null, null, null, null, null, 0, 0, 1);
    expect(database.prepare(model?.text ?? '').all()).toEqual([
      {
        customer_id: 1,
        headlines: '["a \\"b\\"","c"]',
        long: 'd',
        labels: '[7]',
        ad: 6,
        budget: '12x',
        nothing: null,
        ctr: 0.25,
        rate: 2.5,
      },
      {
        customer_id: 1,
        headlines: '[]',
        long: null,
        labels: '[]',
        ad: null,
        budget: null,
        nothing: null,
        ctr: null,
        rate: null,
      },
    ]);
  });
});
