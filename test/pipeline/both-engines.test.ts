import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { open } from '../../src/app.ts';
import { verifyAudit } from '../../src/budgets/verify-audit.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { customerId } from '../../src/domain/ids.ts';
import { MADE_BY_MIGRATIONS } from '../../src/store/made-by-migrations.ts';
import { byEffort } from '../support/effort.ts';
import { describePostgres, freshDatabase, onDatabase } from '../support/postgres-server.ts';
import { toldLog } from '../support/told-log.ts';
import { TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const CONFIG = `${APPLY}extract: { concurrency: 1 }\n`;
/** The rows of one campaign are enough: their number changes nothing. */
const ONE_CAMPAIGN = byEffort({ quick: `\n  AND campaign.name = '${TRIMMED.campaignName}'`, thorough: '' });
const ONE = { customers: [customerId(TRIMMED.customerId)] };

const TABLES = MADE_BY_MIGRATIONS.flatMap(([object, columns]) => {
  const [kind, name = ''] = object.split(' ');
  return kind === 'table' ? [{ name, columns: columns.split(', ').map((column) => column.split(' ')[0] ?? '') }] : [];
});

/** Random references, addresses with a port, and what only a published file needs. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  message: ['reference', 'text', 'provider_id', 'response'],
  run: ['target'],
  target: ['identity'],
  loaded_piece: ['digest'],
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
    expect(await twoDays(sqlite)).toEqual([]);
    expect(await twoDays(postgres)).toEqual([]);

    const file = new Database(join(sqlite.dataDir, 'state.sqlite'), { readonly: true }).defaultSafeIntegers(true);
    for (const { name, columns } of TABLES) {
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
    const events = await onDatabase(url, "SELECT count(*) FROM pacekeeper.budget_event WHERE kind = 'applied'");
    expect(Number(events[0]?.[0])).toBeGreaterThan(0);

    const config = join(postgres.folder, 'pacekeeper.yaml');
    const settings = await readSettings(
      postgres.folder,
      { config, dataDir: postgres.dataDir },
      { PACEKEEPER_STORE_URL: url },
    );
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
