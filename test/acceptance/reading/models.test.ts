import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { questionsOn } from '../../../src/storage/warehouse/publish/questions.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { onFiles } from '../../support/folder-store.ts';
import { byEngine } from '../../support/state.ts';
import { createWorld, type World } from '../../support/world.ts';

const STATS = `SELECT campaign.id, campaign.name, ad_group.id, ad_group_criterion.criterion_id,
  metrics.clicks, metrics.cost_micros, segments.date
FROM keyword_view WHERE segments.date DURING LAST_14_DAYS`;

const DAYS = `-- Clicks and cost of each campaign and day.
SELECT customer_id, date, campaign_id, sum(clicks) AS clicks, sum(cost_micros) AS cost_micros
FROM stats GROUP BY customer_id, date, campaign_id`;

const RULE = `description: Cut the budget of campaigns with expensive clicks.
from: days
for: campaign
over: 7 days
currency: EUR
when: clicks >= 30 AND cost / clicks > 0.10
change: decrease budget by 10%
limits: { floor: 5, step: 20%, cooldown: 3 days }
mode: apply
`;

async function worldWith(
  models: Readonly<Record<string, string>>,
  rules: Readonly<Record<string, string>> = {},
): Promise<World> {
  const world = await createWorld({ queries: { 'stats.sql': STATS }, rules });
  writeModels(world, models);
  return world;
}

function writeModels({ folder }: World, models: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, 'models'), { recursive: true });
  for (const [name, text] of Object.entries(models)) writeFileSync(join(folder, 'models', name), text);
}

const CLICKS = 'SELECT sum(clicks) AS clicks, sum(cost_micros) AS cost FROM';

describe('the published file has the rows of each model', () => {
  it.runIf(onFiles)('with the types of its values, amounts beside micros, and entries in the dictionary', async () => {
    const world = await worldWith({
      'days.sql': DAYS,
      'sizes.sql': `SELECT campaign_id, CASE WHEN sum(clicks) > 100 THEN 'large' ELSE 'small' END AS size,
        sum(clicks) / 0 AS none, avg(clicks) AS mean, max(cost) AS cost FROM days GROUP BY campaign_id`,
    });
    expect((await world.report()).failures).toEqual([]);
    expect(world.rows('warehouse', `${CLICKS} days`)).toEqual(world.rows('warehouse', `${CLICKS} stats`));
    expect(world.rows('warehouse', "SELECT name, type FROM pragma_table_info('sizes')")).toEqual([
      { name: 'campaign_id', type: 'INTEGER' },
      { name: 'size', type: 'TEXT' },
      { name: 'none', type: 'DOUBLE' },
      { name: 'mean', type: 'DOUBLE' },
      { name: 'cost', type: 'DECIMAL(18,6)' },
    ]);
    expect(world.rows('warehouse', 'SELECT count(*) AS n FROM sizes WHERE none IS NOT NULL')).toEqual([{ n: 0 }]);
    const entries = world.rows(
      'warehouse',
      "SELECT column_name, unit, description FROM data_dictionary WHERE table_name = 'days'",
    );
    expect(entries).toContainEqual({
      column_name: '',
      unit: null,
      description: 'Clicks and cost of each campaign and day.',
    });
    expect(entries).toContainEqual(expect.objectContaining({ column_name: 'cost', unit: "account's currency" }));
  });

  it('also after a publication that renews only changed days, and none of a removed model', async () => {
    const world = await worldWith({ 'days.sql': DAYS, 'total.sql': 'SELECT sum(clicks) AS clicks FROM stats' });
    await world.report();
    world.clock.set('2026-11-21T12:00:00Z');
    await world.report();
    expect(world.rows('warehouse', 'SELECT clicks FROM total')).toEqual(
      world.rows('warehouse', 'SELECT sum(clicks) AS clicks FROM stats'),
    );
    writeModels(world, { 'total.sql': 'SELECT count(*) AS n FROM stats' });
    await world.report();
    expect(world.rows('warehouse', 'SELECT n FROM total')).toEqual(
      world.rows('warehouse', 'SELECT count(*) AS n FROM stats'),
    );
  });
});

describe('the dictionary', () => {
  const lineage = (world: World) =>
    world.rows(
      'warehouse',
      `SELECT table_name AS name, source, read_by FROM data_dictionary
        WHERE table_name IN ('stats', 'days', 'stats_by_week', 'budget_change') AND column_name = '' ORDER BY table_name`,
    );
  const asked = 'question daily_spend_of_stats_by_day, question spend_of_stats_by_month';

  it('says what fills each table, and who reads it through models', async () => {
    const world = await worldWith({ 'days.sql': DAYS }, { 'cut.yaml': RULE });
    await world.report();
    expect(lineage(world)).toEqual([
      { name: 'budget_change', source: null, read_by: 'question budget_changes' },
      { name: 'days', source: 'model days', read_by: 'rule cut' },
      { name: 'stats', source: 'query stats', read_by: `model days, rule cut, ${asked}` },
      { name: 'stats_by_week', source: 'query stats', read_by: null },
    ]);
    const ofColumns = "SELECT * FROM data_dictionary WHERE column_name <> '' AND coalesce(source, read_by) IS NOT NULL";
    expect(world.rows('warehouse', ofColumns)).toEqual([]);
  });

  it('names the questions of Explore, each of which both engines answer', async () => {
    const world = await worldWith({ 'days.sql': DAYS });
    await world.report();
    const columns = world.rows('warehouse', 'SELECT table_name AS name, column_name AS of_table FROM data_dictionary');
    const tables = Map.groupBy(columns, ({ name }) => String(name));
    const questions = questionsOn(
      Array.from(tables, ([name, all]) => ({ name, columns: all.map(({ of_table }) => ({ name: String(of_table) })) })),
    );
    const named = world.rows('warehouse', "SELECT read_by FROM data_dictionary WHERE read_by LIKE '%question%'");
    const answered: Record<string, boolean> = {};
    for (const { name, sql } of questions) {
      expect(JSON.stringify(named)).toContain(`question ${name}`);
      answered[name] = world.rows('warehouse', sql).length > 0;
    }
    // No day is open, and no rule changes a budget.
    expect(answered).toEqual({
      how_fresh: true,
      days_not_settled: false,
      budget_changes: false,
      budget_decisions: false,
      daily_spend_of_stats_by_day: true,
      spend_of_stats_by_month: true,
    });
  });

  it('forgets a rule whose file has errors or is gone, and is published anyway', async () => {
    const world = await worldWith({ 'days.sql': DAYS }, { 'cut.yaml': RULE });
    await world.report();
    const publish = () => runInProcess(['publish'], { folder: world.folder, env: world.storeEnv });
    writeFileSync(join(world.folder, 'rules', 'cut.yaml'), 'from: nowhere\n');
    expect((await publish()).code).toBe(0);
    expect(lineage(world)).toContainEqual({ name: 'days', source: 'model days', read_by: null });
    rmSync(join(world.folder, 'rules'), { recursive: true });
    expect((await publish()).code).toBe(0);
    expect(lineage(world)).toContainEqual({ name: 'stats', source: 'query stats', read_by: `model days, ${asked}` });
  });
});

describe('a model with the name of a former query', () => {
  const renamed = async () => {
    const world = await worldWith({});
    await world.report();
    renameSync(join(world.folder, 'queries', 'stats.sql'), join(world.folder, 'queries', 'stats_base.sql'));
    writeModels(world, {
      'stats.sql': 'SELECT campaign_id, sum(clicks) AS all_clicks FROM stats_base GROUP BY campaign_id',
    });
    return world;
  };

  it.runIf(onFiles)('is published instead of its table, whose rows stay in the data folder', async () => {
    const world = await renamed();
    expect((await world.report()).failures).toEqual([]);
    expect(world.rows('warehouse', 'SELECT sum(all_clicks) AS n FROM stats')).toEqual(
      world.rows('warehouse', 'SELECT sum(clicks) AS n FROM stats_base'),
    );
    expect(world.rows('state', 'SELECT count(*) > 0 AS there FROM stats')).toEqual([{ there: 1 }]);
  });

  it.runIf(!onFiles)(
    'is not published while its table exists, and the failure says how to drop the table',
    async () => {
      const { failures } = await (await renamed()).report();
      expect(failures).toEqual([
        'The views in warehouse could not be published and are unchanged: warehouse.stats is a table, so no view can have ' +
          'this name. If it is of a former query, drop it: pacekeeper warehouse rebuild stats. Then run pacekeeper publish.',
      ]);
    },
  );
});

describe('a model that fails', () => {
  it.runIf(onFiles)(
    'while it is computed keeps the last published file, says which one, and the rest of the run is done',
    async () => {
      const world = await worldWith({ 'days.sql': DAYS }, { 'cut.yaml': RULE });
      await world.extract();
      const before = readFileSync(join(world.dataDir, 'warehouse.sqlite'));
      writeModels(world, { 'broken.sql': 'SELECT abs(min(clicks) * 0 - 9223372036854775807 - 1) AS a FROM stats' });
      const { failures } = await world.report();
      expect(failures).toEqual([
        `warehouse.sqlite could not be published and is unchanged: the model broken (${join(world.folder, 'models', 'broken.sql')}) failed: integer overflow. Correct the model, then run pacekeeper publish.`,
      ]);
      expect(readFileSync(join(world.dataDir, 'warehouse.sqlite'))).toEqual(before);
      expect(world.rows('state', 'SELECT count(*) > 0 AS changed FROM budget_intent')).toEqual([{ changed: 1 }]);
    },
  );

  it('because its query no longer has a column is refused before anything is read', async () => {
    const world = await worldWith({ 'days.sql': DAYS });
    await world.report();
    writeFileSync(join(world.folder, 'queries', 'stats.sql'), STATS.replace('metrics.clicks, ', ''));
    await expect(world.report()).rejects.toThrow('1 file has errors. Nothing was sent.');
  });

  it.each([
    [
      'overflows',
      DAYS.replace('sum(clicks)', 'CAST(abs(max(clicks) * 0 - 9223372036854775807 - 1) AS INTEGER)'),
      byEngine({ sqlite: 'integer overflow', postgres: 'bigint out of range' }),
    ],
    [
      'counts other days and accounts',
      `SELECT customer_id, date, campaign_id, cost_micros, CAST(sum(clicks) OVER (ORDER BY date) AS INTEGER) AS clicks FROM (${DAYS}\n) AS days`,
      'other days or accounts change its sums, but a rule needs each day of an account by itself',
    ],
  ])('for a rule because it %s changes no budget', async (_, text, reason) => {
    const world = await worldWith({ 'days.sql': text }, { 'cut.yaml': RULE });
    const { failures } = await world.report();
    expect(failures).toContain(
      `Not evaluated: cut, because the model days in ${join(world.folder, 'models')} failed: ${reason}.`,
    );
    expect(world.rows('state', 'SELECT * FROM budget_intent')).toEqual([]);
  });
});

describe('a rule on a model', () => {
  it('changes what a rule on the table of its query would, with the reason', async () => {
    const ofModel = await worldWith({ 'days.sql': DAYS }, { 'cut.yaml': RULE });
    const ofQuery = await worldWith({}, { 'cut.yaml': RULE.replace('from: days', 'from: stats') });
    await ofModel.report();
    await ofQuery.report();
    const changes = 'SELECT budget_id, from_micros, to_micros, reason FROM budget_intent ORDER BY budget_id';
    const found = ofModel.rows('state', changes);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(ofQuery.rows('state', changes));
  });

  it('waits for conversions if the model names them, whatever the rule uses', async () => {
    const model = DAYS.replace('FROM stats', 'FROM stats WHERE conversions < 1');
    const world = await createWorld({
      queries: { 'stats.sql': STATS.replace('metrics.clicks', 'metrics.clicks, metrics.conversions') },
      rules: { 'cut.yaml': RULE },
    });
    writeModels(world, { 'days.sql': model });
    await world.report();
    expect(
      world.rows('state', "SELECT DISTINCT instr(reason, 'complete for conversions') > 0 AS waits FROM budget_intent"),
    ).toEqual([{ waits: 1 }]);
  });

  it('waits for the days of every query that the model reads', async () => {
    const world = await createWorld({
      queries: { 'stats.sql': STATS, 'short.sql': STATS.replace('LAST_14_DAYS', 'YESTERDAY') },
      rules: { 'cut.yaml': RULE },
    });
    const join = DAYS.replace('FROM stats', 'FROM stats LEFT JOIN (SELECT max(date) AS last FROM short) ON true');
    writeModels(world, { 'days.sql': join });
    const { rules } = await world.report();
    expect(rules.find(({ customerId }) => customerId === '4081725530')?.notEvaluated).toContain(
      'days has no complete data for 2026-11-13',
    );
  });

  it.each([
    ['without the day', DAYS.replace('date, campaign_id, sum', 'campaign_id, sum'), 'needs date in the model days'],
    [
      'with a computed id',
      DAYS.replace('campaign_id, sum', 'campaign_id + 0 AS campaign_id, sum'),
      'needs campaign_id in the model days',
    ],
    [
      'with a ratio',
      DAYS.replace('sum(clicks) AS', '1.0 * sum(clicks) / count(*) AS'),
      'computed and may be a ratio, but rules add up values of days',
    ],
    [
      'of the present time',
      DAYS.replace('FROM stats', "FROM stats WHERE date < date('now')"),
      'depends on the time of its computation',
    ],
  ])('%s is refused', async (_, model, expected) => {
    const world = await worldWith({ 'days.sql': model }, { 'cut.yaml': RULE });
    const refused = await world.report().catch((error: unknown) => error);
    expect(JSON.stringify(refused)).toContain(expected);
  });
});
