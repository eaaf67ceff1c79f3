import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReportResult } from '../../../src/language/results/report-result.ts';
import { createProduct } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { createWorld, type World, writeFolder } from '../../support/world.ts';

const EUR = '4081725530';
const GBP = '7350926148';
const JPY = '9264813507';

const STATS = `SELECT campaign.id, ad_group.id, ad_group.name, metrics.clicks, metrics.cost_micros, segments.date
FROM ad_group WHERE segments.date DURING LAST_30_DAYS`;
const SPEND = `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const ruleOn = (table: string) => `description: Tell of clicks.
from: ${table}
for: campaign
over: 7 days
when: clicks >= 1
change: decrease budget by 10%
limits: { step: 20% }
mode: approve
`;
const TARGET = `description: Two countries.
currency: EUR
amount: 9000
members:
  - { account: ${EUR}, where: "campaign_name = 'Schlafsäcke'" }
  - { account: ${GBP}, where: "campaign_name = 'Helmets'" }
mode: approve
`;
const CONFIG = `automation: { mode: approve }
ads: { customer_ids: [${EUR}, ${GBP}, ${JPY}] }
exchange_rates: [{ date: 2026-01-01, from: GBP, to: EUR, rate: 1.17 }]
`;

const TESTS = {
  stats: `tests:
  - { unique: [campaign_id, ad_group_name, date] }
  - { row_count: { within: 40%, weeks: 3 } }
  - { fresh: 2 days }
`,
  spend: `tests:
  - { row_count: { within: 40%, weeks: 3 } }
  - { fresh: 2 days }
  - { equals: { column: clicks, to: stats.clicks, by: date, tolerance: 30% }, severity: warn }
`,
};

async function readWorld(tests: Readonly<Record<string, string>> = TESTS): Promise<World> {
  const world = await createWorld({
    config: CONFIG,
    queries: { 'stats.sql': STATS, 'spend.sql': SPEND },
    rules: { 'on-stats.yaml': ruleOn('stats'), 'on-days.yaml': ruleOn('days'), 'on-spend.yaml': ruleOn('spend') },
  });
  writeFolder(world.folder, 'targets', { 'both.yaml': TARGET });
  writeFolder(world.folder, 'models', {
    'sums.sql':
      'SELECT customer_id, date, campaign_id, sum(clicks) AS clicks FROM stats GROUP BY customer_id, date, campaign_id',
    'days.sql': 'SELECT customer_id, date, campaign_id, CAST(clicks AS BIGINT) AS clicks FROM sums',
  });
  for (const [table, text] of Object.entries(tests)) writeTests(world, table, text);
  const first = await world.report();
  expect(first.failures).toEqual([]);
  return world;
}

function writeTests({ folder }: World, table: string, text: string): void {
  const kind = ['sums', 'days'].includes(table) ? 'models' : 'queries';
  writeFileSync(join(folder, kind, `${table}.tests.yaml`), text);
}

/** Who was stopped by a test, as "rule account", and targets. */
function stoppedIn({ rules, withheld = [] }: ReportResult): string[] {
  return [
    ...rules.flatMap(({ rule, customerId, notEvaluated }) =>
      notEvaluated?.startsWith('the test ') ? [`${rule} ${customerId}`] : [],
    ),
    ...withheld.map(({ rule }) => rule),
  ].sort();
}

/** Rows as they are now, to put them back. */
function keepRows(world: World): () => void {
  const tables = ['stats', 'spend'];
  for (const table of tables) world.execute(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  return () => {
    for (const table of tables) {
      world.execute(`DELETE FROM ${table}`, `INSERT INTO ${table} SELECT * FROM kept_${table}`);
    }
  };
}

const again = (world: World) => world.report({ noExtract: true });

const FAULTS: readonly (readonly [fault: string, sql: string, stopped: readonly string[]])[] = [
  [
    'a duplicate',
    `INSERT INTO stats (customer_id, date, ad_group_id, campaign_id, ad_group_name, clicks, cost_micros, _row)
      SELECT customer_id, date, 1, campaign_id, ad_group_name, clicks, cost_micros, 100000 + _row FROM stats
      WHERE customer_id = ${EUR} AND date = '2026-11-17' LIMIT 1`,
    [`on-days ${EUR}`, `on-stats ${EUR}`],
  ],
  [
    'a gap',
    `DELETE FROM stats WHERE customer_id = ${GBP} AND date = '2026-11-18'`,
    [`on-days ${GBP}`, `on-stats ${GBP}`],
  ],
  [
    'a halved import',
    `DELETE FROM spend WHERE customer_id = ${EUR} AND date = '2026-11-19' AND campaign_id % 2 = 0`,
    ['both', `both ${EUR}`, `on-spend ${EUR}`],
  ],
  ['a stale table', `DELETE FROM spend WHERE customer_id = ${JPY} AND date >= '2026-11-15'`, [`on-spend ${JPY}`]],
];

it('a fault in the data stops exactly the rules and targets that rest on it, until the rows are right again', async () => {
  const world = await readWorld();
  const heal = keepRows(world);
  for (const [fault, sql, stopped] of FAULTS) {
    world.execute(sql);
    expect([fault, stoppedIn(await again(world))]).toEqual([fault, stopped]);
    heal();
    expect([fault, stoppedIn(await again(world))]).toEqual([fault, []]);
  }
});

const GONE = `DELETE FROM stats WHERE customer_id = ${EUR} AND date = '2026-11-18'`;
const alertsOf = (world: World) =>
  world.rows('state', "SELECT state, severity, customer_id FROM alert WHERE dedupe_key LIKE 'data_test:%' ORDER BY id");

describe('an error', () => {
  it('is an alert, a failure and a published row with its rows, until the test passes again', async () => {
    const world = await readWorld({ stats: TESTS.stats });
    const heal = keepRows(world);
    world.execute(GONE);
    const { failures, run } = await again(world);
    expect(failures).toEqual([
      `The test row_count of stats failed in account ${EUR} (1 row): expected that the rows of each of the last 7 complete days are within 40% of its weekday in the 3 weeks before. Not evaluated there: on-days and on-stats.`,
    ]);
    expect(run.exitCode).toBe(1);
    const firing = [{ state: 'firing', severity: 'warning', customer_id: Number(EUR) }];
    expect(alertsOf(world)).toEqual(firing);
    const failed = "SELECT name, customer_id, failures, first_rows FROM data_test WHERE state = 'failed'";
    const found = {
      name: 'row_count',
      customer_id: Number(EUR),
      failures: 1,
      first_rows: expect.stringMatching(/^\[\{[^[{]*"date":"2026-11-18","rows_found":0[^{]*\}\]$/),
    };
    expect(world.rows('warehouse', failed)).toEqual([found]);
    // A run of other accounts says nothing of this one.
    expect((await world.report({ noExtract: true, customers: [GBP as never] })).failures).toEqual([]);
    expect([world.rows('warehouse', failed), alertsOf(world)]).toEqual([[found], firing]);
    heal();
    expect((await again(world)).failures).toEqual([]);
    expect(alertsOf(world)).toMatchObject([{ state: 'resolved' }]);
    expect(world.rows('warehouse', failed)).toEqual([]);
  });

  it('stops the approval of a change, which still awaits it', async () => {
    const queries = { ...TRIM_QUERIES, 'other.sql': 'SELECT campaign.id FROM campaign' };
    const product = await createProduct({ mode: 'approve', queries, rules: TRIM_RULES });
    const alerts = () => product.rows("SELECT state FROM alert WHERE dedupe_key LIKE 'data_test:%'");
    expect((await product.run(['report'])).code).toBe(0);
    const code = String(product.rows("SELECT code FROM budget_proposal WHERE state = 'open'")[0]?.code);
    const tests = join(product.folder, 'queries', 'stats.tests.yaml');
    writeFileSync(tests, 'tests: [{ range: { column: clicks, max: -1 } }]\n');
    expect((await product.run(['report', '--no-extract'])).code).toBe(1);
    // Commands without a run rest on the last findings.
    expect((await product.json(['rules', 'evaluate'])).value.rules).toMatchObject([
      { not_evaluated: expect.stringMatching(/^the test range_clicks of stats failed/) },
    ]);
    const refused = await product.json(['budgets', 'approve', code]);
    expect([refused.code, refused.value.decisions]).toMatchObject([1, [{ state: 'refused', code: 'DATA_ERROR' }]]);
    expect(refused.value.failures[0]).toMatch(
      /The test range_clicks of stats failed with \d+ rows: expected that clicks is at most -1\. \w{4} still awaits approval\./,
    );
    // A run that does not read the table proves nothing about it.
    expect((await product.run(['report', '--query', 'other'])).code).toBe(0);
    expect((await product.json(['budgets', 'approve', code])).value.decisions).toMatchObject([{ code: 'DATA_ERROR' }]);
    expect([product.sends(), alerts()]).toEqual([[], [{ state: 'firing' }]]);
    rmSync(tests);
    expect((await product.run(['report', '--no-extract'])).code).toBe(0);
    expect((await product.json(['budgets', 'approve', code])).code).toBe(0);
    expect(alerts()).toEqual([{ state: 'resolved' }]);
  });
});

it('an error found with two tables stops a run that reads only one of them', async () => {
  const queries = { ...TRIM_QUERIES, 'other.sql': 'SELECT campaign.id FROM campaign' };
  const product = await createProduct({ mode: 'propose', queries, rules: TRIM_RULES });
  const sql = 'SELECT * FROM stats WHERE customer_id IN (SELECT customer_id FROM other)';
  const tests = join(product.folder, 'queries', 'stats.tests.yaml');
  writeFileSync(tests, `tests: [{ name: both, sql: "${sql}" }]\n`);
  const stopped = [{ not_evaluated: expect.stringMatching(/^the test both of stats failed/) }];
  // Nothing that a dry run finds is kept.
  expect((await product.json(['report', '--dry-run'])).value.rules).toMatchObject(stopped);
  expect((await product.json(['report', '--query', 'stats'])).value.rules).toMatchObject([{ not_evaluated: null }]);
  expect((await product.json(['report'])).value.rules).toMatchObject(stopped);
  expect((await product.json(['report', '--query', 'stats'])).value.rules).toMatchObject(stopped);
});

it('a test stops what it should have proven, whatever keeps it from passing', async () => {
  const world = await readWorld({ sums: 'tests: [{ range: { column: clicks, max: 1000000000 } }]\n' });
  const everywhere = (rule: string) => [EUR, GBP, JPY].map((account) => `${rule} ${account}`);

  // A model that another model reads, and not its table.
  writeTests(world, 'sums', 'tests: [{ range: { column: clicks, max: -1 } }]\n');
  expect(stoppedIn(await again(world))).toEqual(everywhere('on-days'));

  // No account is named, so all of them are stopped.
  writeTests(world, 'sums', 'tests: [{ sql: "SELECT max(clicks) AS most FROM sums;" }]\n');
  expect(stoppedIn(await again(world))).toEqual(everywhere('on-days'));

  await world.reconfigure(`${CONFIG}models: { max_seconds: 1 }\n`);
  const all = Array.from({ length: 9 }, (_, index) => `t${index}`);
  const many = `${all.map((name) => `stats AS ${name}`).join(', ')} WHERE ${all.map((name) => `${name}.clicks`).join(' + ')} < 0`;
  writeTests(world, 'sums', `tests: [{ sql: "SELECT t0.* FROM ${many}" }]\n`);
  const slow = await again(world);
  expect(slow.failures).toEqual([
    'The test sql of sums could not be run: it takes more than 1 s, the limit in models.max_seconds. Not evaluated there: on-days.',
  ]);
  expect(stoppedIn(slow)).toEqual(everywhere('on-days'));
  await world.reconfigure(CONFIG);

  const refusedHere = byEngine({ sqlite: "json_extract(name, '$[')", postgres: 'CAST(name AS BIGINT)' });
  const named = '(SELECT campaign_name AS name, customer_id FROM spend) AS named';
  writeTests(world, 'sums', `tests: [{ sql: "SELECT * FROM ${named} WHERE ${refusedHere} = 1" }]\n`);
  const refused = await again(world);
  expect(refused.failures).toEqual([
    expect.stringMatching(/^The test sql of sums could not be run: .*Not evaluated there: on-days\.$/s),
  ]);
  expect(stoppedIn(refused)).toEqual(everywhere('on-days'));
});

it('a test that only warns stops nothing, counts very many failures, and keeps a hundred', async () => {
  const world = await readWorld({ stats: 'tests: [{ unique: [ad_group_name, date, campaign_id] }]\n' });
  writeTests(world, 'stats', 'tests: [{ severity: warn, sql: "SELECT t0.* FROM stats AS t0, stats AS t1" }]\n');
  const { failures, notes, ...result } = await again(world);
  expect([failures, stoppedIn({ ...result, failures, notes }), alertsOf(world)]).toEqual([[], [], []]);
  expect(notes).toContainEqual(expect.stringContaining('The test sql of stats failed in accounts '));
  const [rows] = world.rows('state', 'SELECT count(*) AS n FROM stats');
  const found = world.rows('state', 'SELECT failures, first_rows FROM data_test');
  expect(found.reduce((sum, one) => sum + Number(one.failures), 0)).toBe(Number(rows?.n) ** 2);
  expect(found.flatMap((one) => JSON.parse(String(one.first_rows)) as unknown[])).toHaveLength(100);

  // NULL is no duplicate.
  writeTests(world, 'stats', 'tests: [{ unique: [ad_group_name, date, campaign_id] }]\n');
  world.execute(`UPDATE stats SET ad_group_name = NULL WHERE customer_id = ${EUR}`);
  expect((await again(world)).failures).toEqual([]);
});
