import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { up as createFirstTables } from '../../migrations/0001-first-tables.ts';
import { up as createSlicesAndDays } from '../../migrations/0002-slices-and-days.ts';
import { customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { insertIntent, intentsOf, moveIntent, openIntents } from '../../src/storage/records/budgets/intent-table.ts';
import { lastSet } from '../../src/storage/records/budgets/past-changes.ts';
import { openState } from '../../src/storage/records/sqlite/open-state.ts';
import { freshState, NOW_MS, someIntent } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A file as the program before this one left it. */
async function fileOfBefore(...statements: readonly string[]): Promise<string> {
  const path = join(tempDir(), 'state.sqlite');
  const database = new Database(path);
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const before = {
    '0001-first-tables': { up: createFirstTables },
    '0002-slices-and-days': { up: createSlicesAndDays },
  };
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => before } }).migrateToLatest();
  if (error !== undefined) throw error;
  database.pragma('journal_mode = WAL');
  for (const statement of statements) database.exec(statement);
  await db.destroy();
  return path;
}

const RUN = `INSERT INTO run (id, command, target, mode, dry_run, state, started_at)
  VALUES (7, 'report', 'sandbox', 'apply', 0, 'running', '2026-11-01T12:00:00Z')`;

/** An intent of each state; the later ones came to theirs earlier. */
const STATES = [
  'planned',
  'validated',
  'sending',
  'applied',
  'rejected',
  'unknown',
  'confirmed',
  'superseded',
  'expired',
];
const INTENTS = STATES.map(
  (state, index) => `INSERT INTO budget_intent VALUES (${index + 3}, 7, 1234567890, ${300 + index}, 21,
    'Trail "Shoes" €', '2026-11-19', 'EUR', 'trim', 40000000, 34000000, 'read', '${state}', 'CODE', 'dear clicks', 'so it went',
    '2026-11-19T12:00:00Z', '2026-11-19T12:00:${59 - index}Z')`,
);

const tableOf = (path: string, sql: string) => {
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  const rows = file.prepare(sql).all();
  file.close();
  return rows;
};

const EVERYTHING = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';

describe('a state file from before events existed', () => {
  it('keeps every intent, with its number', async () => {
    const path = await fileOfBefore(RUN, ...INTENTS);
    const before = tableOf(path, 'SELECT * FROM budget_intent ORDER BY id');
    await freshState(path);
    const columns = Object.keys(before[0] as object).join();
    expect(tableOf(path, `SELECT ${columns} FROM budget_intent ORDER BY id`)).toEqual(before);
    expect(tableOf(path, 'SELECT DISTINCT kind, rule_version, actor, undoes, floor_micros FROM budget_intent')).toEqual(
      [{ kind: 'rule', rule_version: '', actor: 'rule trim', undoes: null, floor_micros: null }],
    );
  });

  it('gets one event per intent, in the order of their last moves, and a valid chain', async () => {
    const path = await fileOfBefore(RUN, ...INTENTS);
    const state = await freshState(path);
    const { events, broken, differences } = await verifyAudit(state);
    expect({ events, broken, differences }).toEqual({ events: 9, broken: [], differences: [] });
    const [first] = tableOf(path, 'SELECT * FROM budget_event ORDER BY id');
    expect(first).toMatchObject({ id: 1n, intent_id: 11n, kind: 'recorded', actor: 'rule trim' });
    expect(first).toMatchObject({ created_at: '2026-11-19T12:00:51Z', previous_hash: '0'.repeat(64) });
    expect(tableOf(path, "SELECT DISTINCT kind, detail ->> 'run_id' AS run FROM budget_event")).toEqual([
      { kind: 'recorded', run: '7' },
    ]);
  });

  it('keeps working from there', async () => {
    const state = await freshState(await fileOfBefore(RUN, ...INTENTS));
    const open = await openIntents(state.db);
    expect(open.map((intent) => intent.state)).toEqual(['planned', 'validated', 'sending', 'unknown']);
    for (const intent of open.slice(2)) {
      const sending =
        intent.state === 'sending' ? intent : await moveIntent(state.db, intent, { to: 'sending' }, NOW_MS);
      await expect(moveIntent(state.db, sending, { to: 'expired' }, NOW_MS)).rejects.toThrow('its outcome is unknown');
      await moveIntent(state.db, sending, { to: 'applied' }, NOW_MS);
    }
    const next = await insertIntent(state.db, 7n, someIntent({ to: micros(30_000_000n) }), NOW_MS);
    expect(next).toMatchObject({ id: 12n });
    expect(await verifyAudit(state)).toMatchObject({ events: 13, broken: [], differences: [] });
    const set = await lastSet(state.db, customerId('1234567890'));
    expect([...set.keys()]).toEqual(['306', '303', '302', '305']);
  });

  it('still allows one intent of a rule per budget and account day', async () => {
    const state = await freshState(await fileOfBefore(RUN, ...INTENTS));
    const [newest] = await intentsOf(state.db, { limit: 1 });
    const again = (kind: 'rule' | 'undo', undoes: bigint | null) => () =>
      state.connection
        .prepare(
          `INSERT INTO budget_intent (kind, origin, undoes, customer_id, budget_id, account_day, currency, rule, rule_version, actor,
             from_micros, to_micros, amount_source, state, reason, created_at, updated_at)
           VALUES (?, ?, ?, 1234567890, 303, '2026-11-19', 'EUR', 'x', '', 'x', 1, 2, 'read', 'planned', '',
             '2026-11-19T12:00:00Z', '2026-11-19T12:00:00Z')`,
        )
        .run(kind, kind, undoes);
    expect(again('rule', null)).toThrow('UNIQUE constraint failed');
    expect(again('undo', newest?.id ?? null)).not.toThrow();
  });

  it('has no events without intents', async () => {
    const state = await freshState(await fileOfBefore());
    expect(await verifyAudit(state)).toMatchObject({ events: 0, broken: [], differences: [] });
  });

  it('stays unchanged if the migration fails', async () => {
    const path = await fileOfBefore(RUN, ...INTENTS, 'CREATE TABLE foreign_change (mine TEXT)');
    const before = [tableOf(path, EVERYTHING), tableOf(path, 'SELECT * FROM budget_intent')];
    await expect(openState(path)).rejects.toThrow('table foreign_change already exists');
    expect([tableOf(path, EVERYTHING), tableOf(path, 'SELECT * FROM budget_intent')]).toEqual(before);
    const file = new Database(path);
    file.exec('DROP TABLE foreign_change');
    file.close();
    expect(await intentsOf((await freshState(path)).db)).toHaveLength(9);
  });
});
