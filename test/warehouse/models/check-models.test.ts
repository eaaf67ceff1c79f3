import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { MODEL_CODES } from '../../../src/storage/warehouse/models/model-codes.ts';
import { sourceTable } from '../../../src/storage/warehouse/models/source-table.ts';
import { checkModels } from '../../../src/storage/warehouse/sqlite/check-models.ts';

const QUERY = `SELECT campaign.id, campaign.name, metrics.clicks, metrics.conversions, metrics.cost_micros, segments.date
  FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const { query } = checkQueryFile('keyword_stats', QUERY, { catalogue: loadCatalogue('v25') });
if (!query) throw new Error('The query of this test has errors.');
const TABLES = [sourceTable(query)];

function check(files: Readonly<Record<string, string>>) {
  return checkModels(
    Object.entries(files).map(([name, source]) => ({ name, source })),
    TABLES,
  );
}

const findings = (files: Readonly<Record<string, string>>) =>
  [...check(files)].flatMap(([name, { diagnostics }]) =>
    diagnostics.map(
      ({ code, span: { start }, message, hint }) =>
        `${name}:${start.line}:${start.column} ${code} ${message}${hint ? ` ${hint}` : ''}`,
    ),
  );

const columnsOf = (source: string) =>
  check({ m: source })
    .get('m')
    ?.model?.columns.map(({ name, field, type, role }) => [name, field, type, role]);

/** A billion billion rows. */
const ENDLESS = `WITH ten (n) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)),
  thousand AS (SELECT a.n FROM ten AS a, ten AS b, ten AS c)
  SELECT CAST(count(*) AS INTEGER) AS n FROM thousand AS a, thousand AS b, thousand AS c, thousand AS d, thousand AS e, thousand AS f`;

it('a model is not run by its check, and may have line ends of Windows and tabs', () => {
  expect(findings({ m: ENDLESS.replaceAll('\n', '\r\n\t') })).toEqual([]);
  expect(columnsOf(ENDLESS)).toEqual([['n', 'computed', 'INT64', 'metric']]);
});

const ONLY_READS = 'expected SELECT or WITH. Write one SELECT, which only reads.';
const OF_SQLITE = 'MODEL_REFUSED This is a table of SQLite. Read tables of queries and models.';
const CONTROL = 'MODEL_REFUSED There is a control character. Use only line ends and tabs.';

describe('a model with a mistake is refused at its place', () => {
  it.each([
    ['', 'm:1:1 MODEL_REFUSED There is no SELECT. Write one SELECT over tables of queries.'],
    ['DELETE FROM keyword_stats', `m:1:1 MODEL_REFUSED Found DELETE, ${ONLY_READS}`],
    ["ATTACH 'x' AS x", `m:1:1 MODEL_REFUSED Found ATTACH, ${ONLY_READS}`],
    [
      'WITH x AS (SELECT 1) DELETE FROM keyword_stats',
      'm:1:22 MODEL_SYNTAX SQLite refuses the model: near "DELETE": syntax error.',
    ],
    ['SELECT 1 AS a; SELECT 2 AS b', 'm:1:14 MODEL_REFUSED There are several statements. Write only one SELECT.'],
    [
      'SELECT clicks FROM keyword_stats WHERE campaign_id = :id',
      'm:1:54 MODEL_REFUSED Parameters have no values here. Write the value itself.',
    ],
    ['SELECT name FROM sqlite_schema', `m:1:18 ${OF_SQLITE}`],
    ["SELECT name FROM pragma_table_info('x')", `m:1:18 ${OF_SQLITE}`],
    ['SELECT name FROM dbstat', `m:1:18 ${OF_SQLITE}`],
    ['SELECT 1 AS a -- one\r, pg_sleep(9) AS b', `m:1:21 ${CONTROL}`],
    [
      'SELECT 1 AS a /* /* */, 2 AS b -- */',
      'm:1:18 MODEL_REFUSED A comment contains another comment. Write them one by one.',
    ],
    ['SELECT\f1 AS a', `m:1:7 ${CONTROL}`],
    ["SELECT '\u0085' AS a", `m:1:9 ${CONTROL}`],
    ['SELECT random() AS a', 'm:1:8 MODEL_REFUSED The value differs each time. Use values of the tables.'],
    [
      'SELECT date FROM budget_event',
      'm:1:18 MODEL_UNKNOWN_NAME There is no table "budget_event". Known tables: keyword_stats.',
    ],
    [
      'SELECT date FROM main.keyword_stats',
      'm:1:18 MODEL_UNKNOWN_NAME There is no table "main.keyword_stats". Did you mean keyword_stats?',
    ],
    [
      'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
      'm:1:6 MODEL_REFUSED The model calls itself, so it may never end. Write it without WITH RECURSIVE.',
    ],
    [
      'SELECT sum(clicks) FROM keyword_stats',
      'm:1:8 MODEL_COLUMN Invalid column name "sum(clicks)". Add AS and a name of lower-case letters, digits and underscores, starting with a letter.',
    ],
    [
      'SELECT clicks, campaign_id AS clicks FROM keyword_stats',
      'm:1:8 MODEL_COLUMN Two columns have the name "clicks". Give one of them another name with AS.',
    ],
    [
      'SELECT upperr(campaign_name) AS a FROM keyword_stats',
      'm:1:8 MODEL_SYNTAX SQLite refuses the model: no such function: upperr.',
    ],
    [
      "-- the 'clcks'\nSELECT 'clcks' AS a,\n  clcks FROM keyword_stats",
      'm:3:3 MODEL_UNKNOWN_NAME There is no column "clcks". Did you mean clicks?',
    ],
    [
      'SELECT m.date FROM m',
      'm:1:8 MODEL_CYCLE The model reads itself: m reads m. Let one of them read the tables of queries.',
    ],
  ])('%s', (source, found) => {
    expect(findings({ m: source })).toEqual([found]);
  });

  it('all unknown columns at once', () => {
    expect(findings({ m: 'SELECT clcks, campaign, s.dat FROM keyword_stats AS s' })).toHaveLength(3);
  });

  it('a name that a query or the program has', () => {
    expect(findings({ keyword_stats: 'SELECT date FROM keyword_stats' })[0]).toContain(
      'BAD_TABLE_NAME A query file already',
    );
    expect(findings({ budget_event: 'SELECT date FROM keyword_stats' })[0]).toContain('"budget_event" is reserved');
  });

  it('a cycle of several models, in each of them; what reads them has no error of its own', () => {
    expect(
      findings({ a: 'SELECT x FROM b', b: 'SELECT x FROM c', c: 'SELECT x FROM a', d: 'SELECT x FROM a' }),
    ).toEqual([
      expect.stringContaining('a reads b reads c reads a'),
      expect.stringContaining('b reads c reads a reads b'),
      expect.stringContaining('c reads a reads b reads c'),
    ]);
  });
});

describe('a model', () => {
  it('reads tables and models in any order of the files, and says which', () => {
    const checks = check({
      a: '-- Clicks of each week.\nSELECT week, sum(clicks) AS clicks FROM b GROUP BY week;',
      b: "SELECT date(date, 'weekday 0', '-6 days') AS week, clicks FROM keyword_stats",
    });
    const model = checks.get('a')?.model;
    expect(model).toMatchObject({ description: 'Clicks of each week.', isTimeless: true });
    expect(model?.tables.map(({ name }) => name)).toEqual(['keyword_stats']);
    expect(model?.models.map(({ name }) => name)).toEqual(['b']);
  });

  it('does not read another model that has the name of a column', () => {
    const checks = check({
      clicks: 'SELECT date, sum(clicks) AS clicks FROM keyword_stats GROUP BY date',
      days: 'SELECT date, clicks FROM keyword_stats',
      weeks: 'SELECT days.date, clicks.clicks FROM days JOIN clicks ON clicks.date = days.date',
    });
    const read = [...checks].map(([name, { model }]) => [
      name,
      model?.tables.map((table) => table.name),
      model?.models.map((other) => other.name),
    ]);
    expect(read).toEqual([
      ['clicks', ['keyword_stats'], []],
      ['days', ['keyword_stats'], []],
      ['weeks', ['keyword_stats'], ['clicks', 'days']],
    ]);
  });

  it('keeps the field of an unchanged column and of its sum; a cast says what another one is', () => {
    expect(
      columnsOf(`SELECT customer_id, date, campaign_id AS id, cost, sum(clicks) AS clicks, sum(cost_micros) AS paid_micros,
        CAST(campaign_name || 'x' AS TEXT) AS label, CAST(count(*) AS INTEGER) AS n, count(*) AS m,
        sum(clicks) / sum(cost) AS rate FROM keyword_stats GROUP BY 1, 2, 3`),
    ).toEqual([
      ['customer_id', 'customer.id', 'INT64', 'attribute'],
      ['date', 'segments.date', 'DATE', 'segment'],
      ['id', 'campaign.id', 'INT64', 'attribute'],
      ['cost', 'amount.metrics.cost_micros', 'DOUBLE', 'metric'],
      ['clicks', 'metrics.clicks', 'INT64', 'metric'],
      ['paid_micros', 'metrics.cost_micros', 'INT64', 'metric'],
      ['label', 'computed', 'STRING', 'attribute'],
      ['n', 'computed', 'INT64', 'metric'],
      ['m', 'computed.otherwise', 'DOUBLE', 'metric'],
      ['rate', 'computed.otherwise', 'DOUBLE', 'metric'],
      ['paid', 'amount.metrics.cost_micros', 'DOUBLE', 'metric'],
    ]);
  });

  it.each([
    ['date', 'DATE'],
    ['max(date)', 'DATE'],
    ['min( date )', 'DATE'],
    ["date(date, 'weekday 0', '-6 days')", 'DATE'],
    ["date(max(date), 'start of month')", 'DATE'],
    ["max(date(date, 'start of month'))", 'DATE'],
    ['max(campaign_name)', 'TEXT'],
    ['sum(clicks)', 'INTEGER'],
    ['max(clicks)', 'INTEGER'],
    ['sum(cost)', 'DECIMAL(18,6)'],
    ['max(conversions)', 'DOUBLE'],
    // These depend on the values.
    ['max(clicks, 5)', undefined],
    ['max(date) OVER ()', undefined],
    ['sum(clicks) / 2', undefined],
    ['date || campaign_name', undefined],
    ["'date(x)'", undefined],
  ])('knows the declared type of %s without a row', (expression, declared) => {
    const { model } = check({ m: `SELECT ${expression} AS a FROM keyword_stats` }).get('m') ?? {};
    const [column] = model?.columns ?? [];
    expect([column?.declared, column?.unit]).toEqual([
      declared,
      declared === 'DATE' ? "date (account's calendar)" : column?.unit,
    ]);
    const outer = check({ m: `WITH x AS (SELECT ${expression} AS a FROM keyword_stats) SELECT a FROM x GROUP BY a` });
    expect(outer.get('m')?.model?.columns[0]?.declared).toBe(declared);
    const reader = check({ m: `SELECT ${expression} AS a FROM keyword_stats`, n: 'SELECT max(a) AS b FROM m' });
    expect(reader.get('n')?.model?.columns[0]?.declared).toBe(declared);
  });

  it.each([
    ['SELECT clicks FROM keyword_stats WHERE conversions > 1', true],
    ['SELECT clicks AS a FROM keyword_stats UNION ALL SELECT conversions FROM keyword_stats', true],
    ["SELECT clicks, 'conversions' AS a FROM keyword_stats -- conversions", false],
  ])('uses conversions if its text names them outside of texts and comments: %s', (source, uses) => {
    const checks = check({ m: source, reader: 'SELECT * FROM m' });
    expect(checks.get('m')?.model?.usesConversions).toBe(uses);
    expect(checks.get('reader')?.model?.usesConversions).toBe(uses);
  });

  it('is found whatever the case of its name', () => {
    expect(findings({ a: 'SELECT clicks FROM B', b: 'SELECT clicks FROM Keyword_Stats' })).toEqual([]);
  });

  it.each([
    "SELECT date('now') AS a",
    "SELECT strftime('%d') AS a",
    "SELECT date(date, 'localtime') AS a FROM keyword_stats",
    'SELECT current_date AS a',
    "SELECT strftime('%d', 'now') AS a",
  ])('may depend on the time of its computation: %s', (source) => {
    expect(check({ m: source }).get('m')?.model?.isTimeless).toBe(false);
  });

  it('with a hundred thousand quotes or unknown words is judged at once', () => {
    expect(findings({ m: `SELECT ${"'".repeat(100_001)}` })).toHaveLength(1);
    expect(findings({ m: `SELECT ${'x, '.repeat(1000)}1 AS a FROM keyword_stats` }).length).toBeGreaterThan(0);
  });
});

describe('every code of models has an example with the mistake, and a corrected one', () => {
  it.each([...MODEL_CODES])('%s', (code, { wrong, right }) => {
    expect(findings({ x: wrong })).toEqual([expect.stringContaining(` ${code} `)]);
    expect(findings({ x: right })).toEqual([]);
  });
});
