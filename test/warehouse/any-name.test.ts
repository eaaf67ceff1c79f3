import { globSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { campaignId, customerId } from '../../src/domain/ids.ts';
import type { MemberDemand } from '../../src/domain/member.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { checkQueryFile, type QueryFile } from '../../src/language/gaql/query-file.ts';
import { MADE_OBJECTS } from '../../src/storage/records/record-tables.ts';
import { dropQueryTable, ensureQueryTable, heldRows } from '../../src/storage/warehouse/evolve-table.ts';
import { identifier, storedQueries } from '../../src/storage/warehouse/query-table.ts';
import { aggregateMembers } from '../../src/storage/warehouse/sqlite/members.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { openPublished } from '../../src/storage/warehouse/sqlite/published-file.ts';
import { everyNth, isThorough } from '../support/effort.ts';
import { type OpenedState, openedState } from '../support/state.ts';
import { stateFile } from './published.ts';
import { writesOf } from './renewed.ts';

const CUSTOMER = customerId('4081725530');
const DAY = civilDate('2026-11-18');
const DAYS = { from: DAY, to: DAY };
const catalogue = loadCatalogue('v25');

/** Of https://www.sqlite.org/lang_keywords.html. */
const KEYWORDS =
  `abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case
  cast check collate column commit conflict constraint create cross current current_date current_time current_timestamp database
  default deferrable deferred delete desc detach distinct do drop each else end escape except exclude exclusive exists explain fail
  filter first following for foreign from full generated glob group groups having if ignore immediate in index indexed initially
  inner insert instead intersect into is isnull join key last left like limit match materialized natural no not nothing notnull
  null nulls of offset on or order others outer over partition plan pragma preceding primary query raise range recursive references
  regexp reindex release rename replace restrict returning right rollback row rows savepoint select set table temp temporary then
  ties to transaction trigger unbounded union unique update using vacuum values view virtual when where window with within
  without`.split(/\s+/);

/** The words that stand in our statements for a table, an alias or a database, and some that do not. */
function ownWords(): string[] {
  const texts = globSync('src/{storage,engine/read}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const place =
    /\b(?:AS|FROM|JOIN|TABLE|EXISTS|WITH|RECURSIVE|INDEX|INTO|UPDATE|ATTACH \? AS)\s+(?:\w+\.)?"?([a-z]\w*)/g;
  const qualifier = /\b([a-z]\w*)\.(?="?[a-z_])/g;
  return texts.flatMap((text) => [...text.matchAll(place), ...text.matchAll(qualifier)].map(([, word = '']) => word));
}

/** What SQLite itself has as a table, or as a function that stands in place of one. */
function tablesOfSqlite({ connection }: OpenedState): string[] {
  const modules = connection.prepare('SELECT name FROM pragma_module_list').pluck().all() as string[];
  const pragmas = connection.prepare("SELECT 'pragma_' || name FROM pragma_pragma_list").pluck().all() as string[];
  const others = [
    'json_each',
    'json_tree',
    'jsonb_each',
    'jsonb_tree',
    'sqlite',
    'sqlite_schema',
    'main',
    'temp',
    'state',
  ];
  return [...modules, ...pragmas, ...others];
}

function functionsOf({ connection }: OpenedState): string[] {
  return connection.prepare('SELECT DISTINCT name FROM pragma_function_list ORDER BY 1').pluck().all() as string[];
}

/** Tables that are ours for a time only, the first of them in the state file's own connection. */
const TEMPORARY = [
  'kept',
  'member_sums_1_1_1',
  'span',
  'sought',
  'named',
  'gathered',
  'selecting',
  'dated',
  'day_before',
  'recounted',
  'excluded',
];

function namesOfOurs(): string[] {
  const made = Array.from(MADE_OBJECTS.keys(), (object) => object.split(' ')[1] ?? '');
  return [...made, ...made.map((name) => name.replace(/^ix_/, '')), ...ownWords()];
}

const queryOf = (name: string, fields: string) =>
  checkQueryFile(
    name,
    `SELECT campaign.id, campaign.name, ${fields}, segments.date FROM campaign WHERE segments.date DURING LAST_7_DAYS`,
    { catalogue },
  );

const row = (campaign: number, clicks: number) =>
  JSON.stringify({
    campaign: { id: `${campaign}`, name: `c${campaign}`, status: 'ENABLED' },
    metrics: { clicks: `${clicks}`, costMicros: '5' },
    segments: { date: DAY },
  });

/** Each row is a piece, so that one that comes again is known. */
function load(state: OpenedState, query: QueryFile, rows: readonly string[]): Promise<void> {
  return state.warehouse.loading({ query, customerId: CUSTOMER, days: DAYS }, async (_, open) => {
    for (const one of rows) await open.add({ json: Buffer.from(`[${one}]`), booleans: false });
    await open.finish();
  });
}

const CLICKS: MemberDemand = {
  grain: 'campaign',
  ids: ['campaign_id'],
  metrics: [{ column: 'clicks', type: 'INT64' }],
  attributes: ['campaign_name'],
  stretches: [DAYS],
};

it.runIf(isThorough)('a table may have any checked name: no function, alias or temporary table conflicts', async () => {
  const state = await stateFile();
  state.connection.pragma('synchronous = OFF');
  const names = new Set([...TEMPORARY, ...tablesOfSqlite(state), ...namesOfOurs(), ...KEYWORDS, ...functionsOf(state)]);
  const queries = everyNth(3, [...names]).flatMap(
    (name) => queryOf(name, 'campaign.status, metrics.clicks, metrics.cost_micros').query ?? [],
  );
  expect(queries.length).toBeGreaterThan(70);
  const found = (table: string, sql = 'campaign_id, campaign_status, clicks') =>
    state.connection.prepare(`SELECT ${sql} FROM main."${table}" ORDER BY 1`).safeIntegers(false).raw().all();
  for (const query of queries) await ensureQueryTable(state, query);
  for (const query of queries) {
    const { name } = query;
    await load(state, query, [row(1, 10), row(2, 20), row(3, 30)]);
    await load(state, query, [row(1, 10), row(2, 21), row(4, 40)]);
    expect([name, ...found(name)]).toEqual([name, [1, 'ENABLED', 10], [2, 'ENABLED', 21], [4, 'ENABLED', 40]]);
    const sums = [...aggregateMembers(state, name, CUSTOMER, CLICKS)].map(({ stretches }) => stretches[0]?.sums[0]);
    expect([name, ...sums]).toEqual([name, 10n, 21n, 40n]);
    expect(await heldRows(state, name)).toMatchObject({ rows: 3n });
  }
  const publish = async () => {
    await publishWarehouse(state, {
      path: state.published,
      nowMs: Date.parse('2026-11-20T12:00:00Z'),
      describe: () => undefined,
    });
    const file = new Database(state.published, { readonly: true });
    const published = queries.map(({ name }) => [
      name,
      ...file.prepare(`SELECT campaign_id, clicks FROM main."${name}" ORDER BY 1`).raw().all(),
      ...file.prepare(`SELECT campaign_id, clicks FROM main."${name}_by_month" ORDER BY 1`).raw().all(),
    ]);
    file.close();
    return published;
  };
  const asLoaded = (clicks: number) =>
    queries.map(({ name }) => [name, [1, 10], [2, clicks], [4, 40], [1, 10], [2, clicks], [4, 40]]);
  expect(await publish()).toEqual(asLoaded(21));
  const before = writesOf(state.published);

  for (const query of queries) await load(state, query, [row(1, 10), row(2, 22), row(4, 40)]);
  expect(await publish()).toEqual(asLoaded(22));
  expect(writesOf(state.published)).toBeGreaterThan(before);

  const pages = await openPublished(state.published);
  for (const { name } of queries) {
    expect(await pages?.hasDays(name)).toBe(true);
    expect(await pages?.daysOfCampaigns(name, CUSTOMER, [campaignId('2')], DAY, DAY)).toMatchObject([{ clicks: 22n }]);
  }
  pages?.close();

  // A column is gained and one is lost; where there are many tables SQLite takes long to alter one.
  for (const { name } of queries) {
    const { query } = queryOf(name, 'metrics.clicks, metrics.cost_micros, metrics.impressions');
    if (query === undefined) throw new Error(name);
    await ensureQueryTable(state, query);
    await load(state, query, [row(1, 10), row(2, 23), row(4, 40)]);
    expect([name, ...found(name)]).toEqual([name, [1, null, 10], [2, null, 23], [4, null, 40]]);
  }

  const again = await openedState(state.path);
  for (const { name } of queries) await dropQueryTable(again, name);
  const left = queries.filter(({ name }) =>
    again.connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ? AND rootpage > 0').get(name),
  );
  await again.close();
  expect(left).toEqual([]);
});

it('a table and its columns keep names that the program would spell differently', async () => {
  const state = await stateFile();
  const { query } = queryOf('stats', 'metrics.clicks');
  if (query === undefined) throw new Error('No query.');
  const names: Readonly<Record<string, string>> = {
    clicks: 'clicks_7_',
    campaign_name: 'campaignName',
    campaign_id: 'a__b_2',
  };
  const renamed = (name: string) => names[name] ?? name;
  const odd: QueryFile = {
    ...query,
    name: 'statsOf_7__days',
    key: query.key.map(renamed),
    columns: query.columns.map((column) => ({ ...column, name: renamed(column.name) })),
  };
  for (const clicks of [10, 11]) {
    await ensureQueryTable(state, odd);
    await load(state, odd, [row(1, clicks)]);
  }
  const [stored] = await storedQueries(state.db);
  expect(stored?.name).toBe('statsOf_7__days');
  expect(stored?.columns.map(({ name }) => name)).toEqual(['a__b_2', 'campaignName', 'clicks_7_', 'date']);
  const select = 'SELECT customer_id, a__b_2, campaignName, clicks_7_ FROM main."statsOf_7__days"';
  expect(state.connection.prepare(select).all()).toEqual([
    { customer_id: BigInt(CUSTOMER), a__b_2: 1n, campaignName: 'c1', clicks_7_: 11n },
  ]);
  expect(await heldRows(state, 'statsOf_7__days')).toMatchObject({ rows: 1n });
  await dropQueryTable(state, 'statsOf_7__days');
  expect(await storedQueries(state.db)).toEqual([]);
});

it.each(['plain', 'with "quotes"', "o'clock", 'a; DROP TABLE run', 'ünïcode'])(
  'a name in quotes is only a name: %s',
  (name) => {
    const file = new Database(':memory:');
    file.exec(`CREATE TABLE ${identifier(name)} (${identifier(name)} INTEGER)`);
    expect(file.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual([name]);
  },
);
