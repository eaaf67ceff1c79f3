import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InputError } from '../../src/domain/errors.ts';
import type { QueryFile } from '../../src/language/gaql/query-file.ts';
import { dropQueryTable, ensureQueryTable, heldRows } from '../../src/storage/warehouse/evolve-table.ts';
import { CUSTOMER, days, loadInto, queryOf, row, rowsOf, STATS, stateWith } from '../extract/loads.ts';
import { type OpenedState, openedState } from '../support/state.ts';
import { fileOfVersion } from '../support/state-of-version.ts';
import { tempDir } from '../support/temp-dir.ts';

const WEEK = days('2026-11-16', '2026-11-22');
const MON = '2026-11-16';
const TUE = '2026-11-17';
const WHERE = 'FROM campaign WHERE segments.date DURING LAST_7_DAYS';

/** A state file as the first version left it: two slices, and a table without a key that has a row twice. */
async function firstVersion(): Promise<OpenedState> {
  const path = join(tempDir(), 'state.sqlite');
  await fileOfVersion(1, path);
  const connection = new Database(path);
  const columns = STATS.columns.map(({ name, type, field }) => ({ name, type, field }));
  connection.exec(`
    INSERT INTO run (id, command, target, mode, dry_run, state, started_at, ended_at)
      VALUES (1, 'report', 'live', 'apply', 0, 'done', '2026-11-19T12:00:00Z', '2026-11-19T12:00:05Z');
    INSERT INTO slice (id, run_id, query, query_text, customer_id, date_from, date_to, state, rows, bytes, request_id, error,
      started_at, ended_at) VALUES
      (1, 1, 'stats', 'SELECT 1', ${CUSTOMER}, '${MON}', '${TUE}', 'done', 3, 500, 'r1', NULL, '2026-11-19T12:00:00Z', '2026-11-19T12:00:01Z'),
      (2, 1, 'stats', 'SELECT 1', 2, NULL, NULL, 'failed', 0, 0, NULL, 'broken', '2026-11-19T12:00:01Z', '2026-11-19T12:00:02Z');
    INSERT INTO query_table VALUES ('stats', '${JSON.stringify(columns)}', 'SELECT 1', 'What it is for.');
    CREATE TABLE stats (customer_id INTEGER NOT NULL, "campaign_id" INTEGER, "campaign_name" TEXT, "clicks" INTEGER, "date" TEXT) STRICT;
    CREATE INDEX stats_by_day ON stats (customer_id, date);
    INSERT INTO stats VALUES (${CUSTOMER}, 1, 'old', 1, '${MON}'), (${CUSTOMER}, 2, 'b', 2, '${MON}'),
      (${CUSTOMER}, 1, 'new', 9, '${MON}'), (2, 1, 'c', 4, '${TUE}');`);
  connection.close();
  const state = await openedState(path);
  onTestFinished(() => state.close());
  return state;
}

describe('a state file of the first version', () => {
  it('keeps its slices and its runs', async () => {
    const { connection } = await firstVersion();
    const slices = connection
      .prepare('SELECT id, state, rows, error, date_from, ended_at FROM slice ORDER BY id')
      .raw()
      .all();
    expect(slices).toEqual([
      [1n, 'done', 3n, null, MON, '2026-11-19T12:00:01Z'],
      [2n, 'failed', 0n, 'broken', null, '2026-11-19T12:00:02Z'],
    ]);
    expect(connection.prepare('SELECT operations FROM run').pluck().get()).toBe(0n);
    expect(connection.pragma('foreign_key_check')).toEqual([]);
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
    connection.exec(
      "INSERT INTO slice (run_id, query, query_text, customer_id, expected, state) VALUES (1, 'q', 't', 1, 1, 'planned')",
    );
    expect(connection.prepare('SELECT max(id) FROM slice').pluck().get()).toBe(3n);
  });

  it('moves its tables to their keys, and keeps the newest of duplicate rows', async () => {
    const state = await firstVersion();
    await ensureQueryTable(state, STATS);
    const columns = 'customer_id, date, campaign_id, campaign_name, clicks';
    expect(rowsOf(state, columns)).toEqual([
      [2, TUE, 1, 'c', 4],
      [Number(CUSTOMER), MON, 1, 'new', 9],
      [Number(CUSTOMER), MON, 2, 'b', 2],
    ]);
    await loadInto(state, { days: days(MON), pieces: [[row(1, MON, 10)]] });
    expect(rowsOf(state, 'customer_id, date, campaign_id, clicks')).toEqual([
      [2, TUE, 1, 4],
      [Number(CUSTOMER), MON, 1, 10],
    ]);
    const again = await loadInto(state, { days: days(MON), pieces: [[row(1, MON, 10)]] });
    expect(again.written).toBe(0n);
  });

  it('moves a table without a key with its duplicates', async () => {
    const state = await firstVersion();
    const loose = queryOf(`SELECT campaign.name, metrics.clicks, segments.date ${WHERE}`);
    await ensureQueryTable(state, loose);
    expect(rowsOf(state, 'campaign_name, clicks')).toHaveLength(4);
    await loadInto(state, { query: loose, days: days(MON), pieces: [[row(1, MON, 10)]] });
    expect(rowsOf(state, 'customer_id, clicks')).toEqual([
      [2, 4],
      [Number(CUSTOMER), 10],
    ]);
  });
});

async function loaded(query: QueryFile = STATS): Promise<OpenedState> {
  const state = await stateWith(query);
  await loadInto(state, { query, days: WEEK, pieces: [[row(1, MON, 1), row(2, MON, 2)], [row(1, TUE, 3)]] });
  return state;
}

const everything = ({ connection }: OpenedState) => [
  connection.prepare('SELECT * FROM stats').all(),
  connection.prepare('SELECT * FROM query_table').all(),
  connection.prepare('SELECT * FROM loaded_piece').all(),
];

it('a table has the account first, then the key, then a column per field, typed by the field', async () => {
  const { connection } = await stateWith(STATS);
  const columns = connection.prepare("SELECT name || ' ' || type FROM pragma_table_info('stats')").pluck().all();
  expect(columns.join(', ')).toBe(
    'customer_id INTEGER, date TEXT, campaign_id INTEGER, campaign_name TEXT, clicks INTEGER, _row INTEGER',
  );
});

describe('a query that grows', () => {
  it('gains a column: NULL in existing rows, filled when they are read again', async () => {
    const state = await loaded();
    const wider = queryOf(
      `SELECT campaign.id, campaign.name, metrics.clicks, metrics.impressions, segments.date ${WHERE}`,
    );
    await ensureQueryTable(state, wider);
    expect(rowsOf(state, 'campaign_id, clicks, impressions')).toEqual([
      [1, 1, null],
      [1, 3, null],
      [2, 2, null],
    ]);
    await loadInto(state, { query: wider, days: days(MON), pieces: [[row(1, MON, 1)]] });
    expect(rowsOf(state, 'date, campaign_id, impressions')).toEqual([
      [MON, 1, 0],
      [TUE, 1, null],
    ]);
  });

  it('gains a key segment: existing rows have it empty, until their day is read again', async () => {
    const state = await loaded();
    const split = queryOf(`SELECT campaign.id, campaign.name, metrics.clicks, segments.device, segments.date ${WHERE}`);
    await ensureQueryTable(state, split);
    expect(rowsOf(state, 'date, campaign_id, device, clicks')).toEqual([
      [MON, 1, '', 1],
      [MON, 2, '', 2],
      [TUE, 1, '', 3],
    ]);
    const onMobile = row(1, MON, 1).replace('"segments":{', '"segments":{"device":"MOBILE",');
    await loadInto(state, {
      query: split,
      days: days(MON),
      pieces: [[onMobile, onMobile.replace('MOBILE', 'DESKTOP')]],
    });
    expect(rowsOf(state, 'date, campaign_id, device')).toEqual([
      [MON, 1, 'DESKTOP'],
      [MON, 1, 'MOBILE'],
      [TUE, 1, ''],
    ]);
  });

  it('loses a non-key column: existing rows keep it, new rows have NULL', async () => {
    const state = await loaded();
    const narrow = queryOf(`SELECT campaign.id, metrics.clicks, segments.date ${WHERE}`);
    await ensureQueryTable(state, narrow);
    await loadInto(state, { query: narrow, days: days(TUE), pieces: [[row(1, TUE, 4)]] });
    expect(rowsOf(state, 'date, campaign_id, campaign_name')).toEqual([
      [MON, 1, 'c1'],
      [MON, 2, 'c2'],
      [TUE, 1, null],
    ]);
  });

  it('that stays the same changes nothing', async () => {
    const state = await loaded();
    const before = everything(state);
    await ensureQueryTable(state, STATS);
    expect(everything(state)).toEqual(before);
  });
});

describe('a query that its table cannot follow', () => {
  const ofMetric = (metric: string) => queryOf(`SELECT campaign.id, ${metric}, segments.date ${WHERE}`);
  const COST_TAKEN =
    /Column cost of table stats holds metrics.clicks, but pacekeeper needs this name for the amount of cost_micros\./;
  const LOOSE = queryOf(`SELECT campaign.name, metrics.clicks, segments.date ${WHERE}`);
  const DEVICES = queryOf(`SELECT campaign.id, campaign.name, metrics.clicks, segments.device, segments.date ${WHERE}`);
  const retyped = {
    ...STATS,
    columns: STATS.columns.map((column) =>
      column.name === 'clicks' ? { ...column, type: 'DOUBLE' as const } : column,
    ),
  };
  const ofGroups = queryOf(`SELECT campaign.id, campaign.name, ad_group.id, metrics.clicks, segments.date
    FROM ad_group WHERE segments.date DURING LAST_7_DAYS`);
  it.each<[sentence: string, before: QueryFile, now: QueryFile, words: RegExp]>([
    [
      'lost a segment of its key',
      DEVICES,
      STATS,
      /The query of table \S+ no longer selects device, but the key of the table needs it/,
    ],
    [
      'lost the id of its key',
      STATS,
      LOOSE,
      /The query of table \S+ no longer selects .*campaign_id.*, but the key of the table needs/,
    ],
    [
      'lost the day of rows without a key',
      LOOSE,
      queryOf('SELECT campaign.name, metrics.clicks FROM campaign'),
      /The query of table \S+ no longer selects segments\.date, but the table has days\./,
    ],
    [
      'gained the day',
      queryOf('SELECT campaign.name, metrics.clicks FROM campaign'),
      LOOSE,
      /Table \S+ has rows without days, but its query now selects segments\.date\./,
    ],
    ['changed a type', STATS, retyped, /Column clicks of table stats holds INT64, but its query now selects DOUBLE/],
    ['changed its resource', STATS, ofGroups, /holds rows of campaign, but its query now reads ad_group/],
    [
      'moved an alias to another field',
      ofMetric('metrics.clicks AS n'),
      ofMetric('metrics.impressions AS n'),
      /Column n of table stats holds metrics.clicks, but its query now selects metrics.impressions\./,
    ],
    [
      'gained micros whose amount would have the name of a column',
      ofMetric('metrics.clicks AS cost'),
      ofMetric('metrics.cost_micros'),
      COST_TAKEN,
    ],
    [
      'gained a column with the name of an amount',
      ofMetric('metrics.cost_micros'),
      ofMetric('metrics.clicks AS cost'),
      COST_TAKEN,
    ],
    [
      'gained a key with missing values',
      LOOSE,
      STATS,
      /has rows without a key, but its query now needs the key campaign_id/,
    ],
  ])('is refused with a next step and changes nothing, because it %s', async (_, before, now, words) => {
    const state = await loaded(before);
    const held = everything(state);
    const refused = await ensureQueryTable(state, now).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InputError);
    expect((refused as InputError).message).toMatch(words);
    expect((refused as InputError).nextStep).toContain('"pacekeeper warehouse rebuild stats"');
    expect(everything(state)).toEqual(held);

    expect((await heldRows(state, 'stats'))?.rows).toBe(3n);
    await dropQueryTable(state, 'stats');
    expect(await heldRows(state, 'stats')).toBeUndefined();
    await ensureQueryTable(state, now);
    expect(rowsOf(state, 'customer_id')).toEqual([]);
    const again = await loadInto(state, { query: now, days: WEEK, pieces: [] });
    expect(again.rows).toBe(0n);
  });
});
