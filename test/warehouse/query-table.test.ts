import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { ensureQueryTable } from '../../src/storage/warehouse/evolve-table.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { type OpenedState, openedState } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

async function freshState(): Promise<OpenedState> {
  const state = await openedState(join(tempDir(), 'state.sqlite'));
  onTestFinished(() => state.close());
  return state;
}

function queryOf(select: string): QueryFile {
  const { query } = checkQueryFile('stats', `SELECT ${select} FROM keyword_view`, { catalogue: loadCatalogue('v25') });
  if (!query) throw new Error(`The test's query is wrong: ${select}`);
  return query;
}

const columns = (state: OpenedState) =>
  state.connection
    .prepare("SELECT name || ' ' || type FROM pragma_table_info('stats') WHERE name <> '_row'")
    .pluck()
    .all();

describe('the table of a query', () => {
  it('has the account first, then a column per field, typed by the field', async () => {
    const state = await freshState();
    await ensureQueryTable(state, queryOf('campaign.id, campaign.name, metrics.cost_micros'));
    expect(columns(state)).toEqual([
      'customer_id INTEGER',
      'campaign_id INTEGER',
      'campaign_name TEXT',
      'cost_micros INTEGER',
    ]);
  });

  it('gains the columns that its query gains; old rows have no value there', async () => {
    const state = await freshState();
    await ensureQueryTable(state, queryOf('campaign.id'));
    state.connection.exec('INSERT INTO stats VALUES (1, 2, 1)');
    await ensureQueryTable(state, queryOf('campaign.name, campaign.id'));
    expect(state.connection.prepare('SELECT * FROM stats').all()).toEqual([
      { customer_id: 1n, campaign_id: 2n, campaign_name: null, _row: 1n },
    ]);
  });

  it('keeps a column that its query no longer selects', async () => {
    const state = await freshState();
    await ensureQueryTable(state, queryOf('campaign.id, campaign.name'));
    await ensureQueryTable(state, queryOf('campaign.id'));
    expect(columns(state)).toEqual(['customer_id INTEGER', 'campaign_id INTEGER', 'campaign_name TEXT']);
  });

  it('refuses a changed column type and stays the same', async () => {
    const state = await freshState();
    const query = queryOf('campaign.id');
    await ensureQueryTable(state, query);
    const retyped = { ...query, columns: query.columns.map((column) => ({ ...column, type: 'STRING' as const })) };
    await expect(ensureQueryTable(state, retyped)).rejects.toThrow(
      'Column campaign_id of table stats holds INT64, but its query now selects STRING.',
    );
    expect(columns(state)).toEqual(['customer_id INTEGER', 'campaign_id INTEGER']);
  });

  it.each([
    [
      'an alias that moves to another field',
      'campaign.id, metrics.clicks AS n',
      'campaign.id, metrics.impressions AS n',
      'Column n of table stats holds metrics.clicks, but its query now selects metrics.impressions.',
    ],
    [
      'micros whose amount would have the name of a column',
      'campaign.id, metrics.clicks AS cost',
      'campaign.id, metrics.cost_micros',
      'Column cost of table stats holds metrics.clicks, but pacekeeper needs this name for the amount of cost_micros.',
    ],
    [
      'a column that would have the name of an amount',
      'campaign.id, metrics.cost_micros',
      'campaign.id, metrics.clicks AS cost',
      'Column cost of table stats holds metrics.clicks, but pacekeeper needs this name for the amount of cost_micros.',
    ],
  ])('refuses changes that conflict with earlier queries, and stays the same: %s', async (_, first, then, reason) => {
    const state = await freshState();
    await ensureQueryTable(state, queryOf(first));
    const before = columns(state);
    await expect(ensureQueryTable(state, queryOf(then))).rejects.toThrow(reason);
    expect(columns(state)).toEqual(before);
    await publishWarehouse(state, { path: join(tempDir(), 'warehouse.sqlite'), nowMs: 0, describe: () => undefined });
  });
});
