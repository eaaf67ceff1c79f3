import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
