import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { open } from '../../src/app.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { customerId } from '../../src/domain/ids.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { publishToFile } from '../../src/engine/publish-files.ts';
import { RECORD_TABLES } from '../../src/storage/records/record-tables.ts';
import { byEffort } from '../support/effort.ts';
import { describePostgres, freshDatabase, onDatabase, readerOf } from '../support/postgres-server.ts';
import { toldLog } from '../support/told-log.ts';
import { TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const CONFIG = `${APPLY}extract: { concurrency: 1 }\n`;
/** The rows of one campaign are enough: their number changes nothing. */
const ONE_CAMPAIGN = byEffort({ quick: `\n  AND campaign.name = '${TRIMMED.campaignName}'`, thorough: '' });
const ONE = { customers: [customerId(TRIMMED.customerId)] };

/** Random references, addresses with a port, and what only a published file needs. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  message: ['reference', 'text', 'provider_id', 'response'],
  run: ['target'],
  target: ['identity'],
};
const LEFT_OUT = new Set(['publication', 'unpublished_day']);

async function twoDays(world: World): Promise<readonly string[]> {
  const first = await world.report(ONE);
  world.clock.set('2026-11-21T12:00:00Z');
  const dry = await world.report({ ...ONE, dryRun: true });
  const second = await world.report(ONE);
  return [first, dry, second].flatMap(({ failures }) => failures);
}

const texts = (rows: readonly (readonly unknown[])[]) =>
  rows
    .map((row) =>
      row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value))).join('|'),
    )
    .sort();

/** The publication's own time and token, and what the file adds to the tables of queries. */
const LEFT_OUT_VIEWS = new Set(['as_of', 'data_dictionary']);
const QUERIES = ['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats'];

interface PublishedColumn {
  readonly name: string;
  readonly isNumber: boolean;
}

/** The last digits of a sum depend on the order of the rows, and each service has its own port. */
function shownRows(columns: readonly PublishedColumn[], rows: readonly (readonly unknown[])[]): string[] {
  const shown = (value: unknown, index: number) => {
    // PostgreSQL sums integers as NUMERIC.
    const number = value === null || !columns[index]?.isNumber ? Number.NaN : Number(value);
    if (!Number.isNaN(number)) return Number.isInteger(number) ? String(number) : number.toPrecision(12);
    return typeof value === 'string' ? value.replace(/127\.0\.0\.1:\d+/, 'here') : value;
  };
  return [columns.map(({ name }) => name).join('|'), ...texts(rows.map((row) => row.map(shown)))];
}

function publishedIn(path: string, leftOut: readonly string[] = []): Record<string, string[]> {
  const file = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  const names = file.prepare(
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'",
  );
  const found = (names.pluck().all() as string[])
    .filter((name) => !LEFT_OUT_VIEWS.has(name) && !leftOut.includes(name))
    .map((name) => {
      const columns = (file.pragma(`table_info("${name}")`) as { name: string; type: string }[]).map((column) => ({
        name: column.name,
        isNumber: /^D(?:ECIMAL|OUBLE)/.test(column.type),
      }));
      return [name, shownRows(columns, file.prepare(`SELECT * FROM "${name}"`).raw().all() as unknown[][])];
    });
  file.close();
  return Object.fromEntries(found);
}

async function publishedOn(url: string): Promise<Record<string, string[]>> {
  const all = await onDatabase(
    url,
    `SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
    JOIN information_schema.views USING (table_schema, table_name) WHERE table_schema = 'warehouse'
    ORDER BY table_name, ordinal_position`,
  );
  const found: [string, string[]][] = [];
  for (const [name, own] of Map.groupBy(all as [string, string, string][], ([table]) => table)) {
    if (LEFT_OUT_VIEWS.has(name)) continue;
    const list = own.map(([, column, type]) => READ[type]?.(`"${column}"`) ?? `"${column}"`);
    const rows = await onDatabase(url, `SELECT ${list.join(', ')} FROM warehouse."${name}"`);
    const columns = own.map(([, column, type]) => ({ name: column, isNumber: /^(?:numeric|double)/.test(type) }));
    found.push([name, shownRows(columns, rows)]);
  }
  return Object.fromEntries(found);
}

const READ: Readonly<Record<string, (column: string) => string>> = {
  date: (column) => `${column}::text`,
  'timestamp without time zone': (column) => `to_char(${column}, 'YYYY-MM-DD HH24:MI:SS.MS')`,
  boolean: (column) => `${column}::int::text`,
};

describePostgres('a report on both engines', () => {
  it('leaves equal tables row by row, and the same chain of events', async () => {
    const url = await freshDatabase();
    const queries = Object.fromEntries(
      ['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats'].map((name) => [
        `${name}.sql`,
        readFileSync(`queries/${name}.sql`, 'utf8').trimEnd() + (name === 'keyword_stats' ? ONE_CAMPAIGN : ''),
      ]),
    );
    const sqlite = await createWorld({ config: CONFIG, queries });
    const postgres = await createWorld({ config: CONFIG, queries, env: { PACEKEEPER_STORE_URL: url } });
    for (const { folder } of [sqlite, postgres]) cpSync('models', join(folder, 'models'), { recursive: true });
    expect(await twoDays(sqlite)).toEqual([]);
    expect(await twoDays(postgres)).toEqual([]);

    const file = new Database(join(sqlite.dataDir, 'state.sqlite'), { readonly: true }).defaultSafeIntegers(true);
    for (const [name, columns] of RECORD_TABLES) {
      if (LEFT_OUT.has(name)) continue;
      const list = columns
        .filter((column) => !OWN[name]?.includes(column))
        .map((column) => `"${column}"`)
        .join(', ');
      const expected = file.prepare(`SELECT ${list} FROM "${name}"`).raw().all() as unknown[][];
      const found = await onDatabase(url, `SELECT ${list} FROM pacekeeper."${name}"`);
      expect([name, ...texts(found)]).toEqual([name, ...texts(expected)]);
    }
    for (const name of Object.keys(queries).map((query) => query.replace('.sql', ''))) {
      const columns = (file.pragma(`table_info("${name}")`) as { name: string }[]).map((column) => column.name);
      const expected = file
        .prepare(`SELECT ${columns.join(', ')} FROM "${name}"`)
        .raw()
        .all() as unknown[][];
      const list = columns.map((column) => (column === 'date' ? 'date::text' : column)).join(', ');
      const found = await onDatabase(url, `SELECT ${list} FROM warehouse."${name}"`);
      expect(found.length).toBeGreaterThan(0);
      expect(texts(found)).toEqual(texts(expected));
    }
    file.close();
    const published = join(sqlite.dataDir, 'warehouse.sqlite');
    const reader = await readerOf(url);
    expect(await publishedOn(reader)).toEqual(publishedIn(published, QUERIES));
    await expect(onDatabase(reader, 'SELECT 1 FROM pacekeeper.account')).rejects.toThrow(/permission denied/);
    const events = await onDatabase(url, "SELECT count(*) FROM pacekeeper.budget_event WHERE kind = 'applied'");
    expect(Number(events[0]?.[0])).toBeGreaterThan(0);

    const config = join(postgres.folder, 'pacekeeper.yaml');
    const settings = await readSettings(
      postgres.folder,
      { config, dataDir: postgres.dataDir },
      { PACEKEEPER_STORE_URL: url },
    );
    const copy = join(postgres.folder, 'copy.sqlite');
    await open(settings, { clock: postgres.clock, log: toldLog() }, { what: 'state' }, (app) =>
      publishToFile(app, copy),
    );
    expect(publishedIn(copy)).toEqual(publishedIn(published));
    expect(readdirSync(postgres.folder).filter((name) => name.includes('publish'))).toEqual([]);
    await expect(
      open(settings, { clock: postgres.clock, log: toldLog() }, { what: 'state' }, (app) => publishToFile(app, config)),
    ).rejects.toThrow(/pacekeeper\.yaml was not replaced: it is not a file that pacekeeper published\.$/);

    const verdict = await open(settings, { clock: postgres.clock, log: toldLog() }, { what: 'state' }, ({ state }) =>
      verifyAudit(state),
    );
    expect([verdict.broken, verdict.differences]).toEqual([[], []]);

    // The folder belongs to the database now, and the database to it.
    const without = await readSettings(postgres.folder, { config, dataDir: postgres.dataDir }, {});
    await expect(
      open(without, { clock: postgres.clock, log: toldLog() }, { what: 'state' }, async () => 1),
    ).rejects.toThrow(/^The records of .* are in postgres:\/\/127\.0\.0\.1:\d+\/db_\d+\.$/);
    const moved = await readSettings(
      postgres.folder,
      { config, dataDir: postgres.dataDir },
      { PACEKEEPER_STORE_URL: await freshDatabase(url) },
    );
    await expect(
      open(moved, { clock: postgres.clock, log: toldLog() }, { what: 'all', lock: 'a test' }, async () => 1),
    ).rejects.toThrow(/^The records of .* are in postgres:.*, but store\.url names postgres:.*\/db_\d+\.$/);
    const other = await readSettings(sqlite.folder, { dataDir: sqlite.dataDir }, { PACEKEEPER_STORE_URL: url });
    await expect(
      open(other, { clock: sqlite.clock, log: toldLog() }, { what: 'state' }, async () => 1),
    ).rejects.toThrow(/state\.sqlite has records, but store\.url names postgres:/);
  });
});
