import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../support/world.ts';
import { addTable, publish, stateFile } from '../published.ts';

const STATS = `SELECT campaign.id, campaign.name, ad_group.id, metrics.clicks, metrics.cost_micros, metrics.average_cpc,
  metrics.ctr, metrics.conversions, metrics.conversions_value, metrics.cost_per_conversion, segments.date FROM keyword_view`;

describe('data_dictionary', () => {
  it('describes every column of every table as declared, and nothing else', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, []);
    const { rows } = await publish(state);
    const there = `SELECT s.name AS table_name, c.name AS column_name, c.type FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
      WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite_%'`;
    const described = "SELECT table_name, column_name, type FROM data_dictionary WHERE column_name <> ''";
    expect(rows(`${there} EXCEPT ${described}`)).toEqual([]);
    expect(rows(`${described} EXCEPT ${there}`)).toEqual([]);
    expect(rows("SELECT column_name FROM data_dictionary WHERE table_name = 'v_campaign_day'").length).toBeGreaterThan(
      9,
    );
    expect(rows("SELECT * FROM data_dictionary WHERE description = '' OR type = ''")).toEqual([]);
    expect(rows('SELECT count(*) AS columns FROM data_dictionary')[0]?.columns).toBeGreaterThan(100);
  });

  it('has the unit of numbers, even if the name does not show it', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, []);
    const { rows } = await publish(state);
    const units = rows("SELECT column_name, unit FROM data_dictionary WHERE table_name = 'stats' AND unit IS NOT NULL");
    expect(Object.fromEntries(units.map(({ column_name, unit }) => [column_name, unit]))).toEqual({
      customer_id: 'id (int64)',
      campaign_id: 'id (int64)',
      ad_group_id: 'id (int64)',
      clicks: 'count',
      cost_micros: "micros of the account's currency",
      cost: "account's currency",
      average_cpc: "micros of the account's currency",
      cost_per_conversion: "micros of the account's currency",
      ctr: 'ratio',
      conversions: 'count',
      conversions_value: "account's currency",
      date: "date (account's calendar)",
    });
  });

  it('says which numbers are exact, and groups the tables', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, []);
    const { rows } = await publish(state);
    const exact = rows("SELECT column_name, exact FROM data_dictionary WHERE table_name = 'stats'");
    expect(Object.fromEntries(exact.map((row) => [row.column_name, row.exact]))).toEqual({
      '': null,
      customer_id: 1,
      campaign_id: 1,
      campaign_name: null,
      ad_group_id: 1,
      clicks: 1,
      cost_micros: 1,
      cost: 0,
      average_cpc: 0,
      ctr: 0,
      conversions: 0,
      conversions_value: 0,
      cost_per_conversion: 0,
      date: null,
      currency: null,
    });
    const amounts = "SELECT DISTINCT exact FROM data_dictionary WHERE type LIKE 'DECIMAL%'";
    expect(rows(amounts)).toEqual([{ exact: 0 }]);
    expect(
      rows("SELECT DISTINCT exact FROM data_dictionary WHERE column_name GLOB '*[a-z]_micros' AND type = 'INTEGER'"),
    ).toEqual([{ exact: 1 }]);
    const groups = rows(`SELECT table_group, group_concat(table_name, ' ') AS tables FROM
      (SELECT * FROM data_dictionary WHERE type = 'table' ORDER BY table_name) GROUP BY table_group`);
    expect(Object.fromEntries(groups.map(({ table_group, tables }) => [table_group, tables]))).toEqual({
      calendar: 'account_day day_reading dim_calendar',
      record:
        'as_of budget_change budget_event budget_intent budget_proposal data_dictionary data_test decision foreign_change run run_account',
      statistics:
        'account dim_ad_group dim_campaign dim_keyword stats stats_by_day stats_by_month stats_by_week target target_day v_campaign_day',
    });
  });

  it("uses the catalogue's text for a field, and the query's own comment for its table", async () => {
    const state = await stateFile();
    addTable(state, 'stats', `-- Clicks of\n-- every keyword.\n${STATS}`, []);
    const { rows } = await publish(state);
    const said = "SELECT description FROM data_dictionary WHERE table_name = 'stats' AND column_name";
    expect(rows(`${said} = 'clicks'`)).toEqual([{ description: 'The number of clicks.' }]);
    expect(rows(`${said} = ''`)).toEqual([{ description: 'Clicks of every keyword.' }]);
  });
});

describe('metadata.json', () => {
  it('is written beside the file, describes its tables for Datasette, and has working queries', async () => {
    const state = await stateFile();
    addTable(state, 'stats', STATS, []);
    const { rows } = await publish(state);
    const metadata = JSON.parse(readFileSync(join(state.folder, 'metadata.json'), 'utf8'));
    const { tables, queries } = metadata.databases.warehouse;
    expect(tables.stats.columns.average_cpc).toContain("Unit: micros of the account's currency.");
    expect(Object.keys(tables)).toEqual(expect.arrayContaining(['stats_by_day', 'dim_campaign', 'as_of']));
    const statements = (Object.values(queries) as { sql: string }[]).map(({ sql }) => sql);
    expect(statements.length).toBeGreaterThan(3);
    for (const sql of statements) rows(sql);
  });
});

const QUERIES = Object.fromEntries(
  ['campaign.sql', 'campaign_budget.sql', 'campaign_spend.sql'].map((name) => [
    name,
    readFileSync(`queries/${name}`, 'utf8'),
  ]),
);
const RULES = { 'cut.yaml': readFileSync('rules/cut-without-conversions.yaml', 'utf8') };

describe('foreign keys', () => {
  it('are declared between statistics, calendar and record, and hold after reports', async () => {
    const world = await createWorld({ now: '2026-11-19T12:00:00Z', queries: QUERIES, rules: RULES });
    await world.report();
    world.clock.set('2026-11-20T12:00:00Z');
    await world.report();
    const file = new Database(join(world.dataDir, 'warehouse.sqlite'), { readonly: true });
    const declared = file
      .prepare(
        `SELECT s.name, group_concat(k."from" || ' ' || k."table", ', ') FROM sqlite_schema AS s, pragma_foreign_key_list(s.name) AS k
          WHERE s.name IN ('campaign_spend_by_day', 'campaign_spend', 'budget_change', 'account_day', 'run') GROUP BY s.name`,
      )
      .raw()
      .all();
    expect(declared).toEqual([
      ['account_day', 'date dim_calendar, customer_id account'],
      ['budget_change', 'id budget_intent, undoes budget_intent, run_id run'],
      ['campaign_spend', 'date dim_calendar, customer_id account'],
      [
        'campaign_spend_by_day',
        'date dim_calendar, customer_id dim_campaign, campaign_id dim_campaign, customer_id account',
      ],
    ]);
    const rows = file.prepare(
      'SELECT count(*) FROM budget_change UNION ALL SELECT count(*) FROM campaign_spend_by_day',
    );
    expect(rows.pluck().all()).toEqual([expect.any(Number), expect.any(Number)]);
    expect(rows.pluck().all()).not.toContain(0);
    expect(file.pragma('foreign_key_check')).toEqual([]);
    expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
    file.close();
  });
});
