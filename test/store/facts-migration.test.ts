import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { describe, expect, it } from 'vitest';
import { up as addFacts } from '../../migrations/0006-facts.ts';
import { verifyAudit } from '../../src/engine/budgets/verify-audit.ts';
import { lookAtState } from '../../src/storage/records/sqlite/look-at-state.ts';
import { freshState } from '../support/state.ts';
import { fileOfVersion } from '../support/state-of-version.ts';
import { tempDir } from '../support/temp-dir.ts';

const AT = "'2026-11-20T12:00:00Z'";

/** A file of the version before facts were columns. */
async function fileOfBefore(...statements: readonly string[]): Promise<string> {
  const path = join(tempDir(), 'state.sqlite');
  await fileOfVersion(5, path);
  execute(path, ...statements);
  return path;
}

function execute(path: string, ...statements: readonly string[]): void {
  const file = new Database(path);
  for (const statement of statements) file.exec(statement);
  file.close();
}

const run = (id: number, state: string, error: string | null, target = 'sandbox (seed 1)') =>
  `INSERT INTO run (id, command, target, mode, dry_run, state, started_at, error)
    VALUES (${id}, 'report', '${target}', 'apply', 0, '${state}', ${AT}, ${error === null ? 'NULL' : `'${error}'`})`;

const ofRun = (id: number, state: string, reason: string) =>
  `INSERT INTO run_account (run_id, customer_id, state, reason) VALUES (1, ${id}, '${state}', '${reason}')`;

const alert = (id: number, kind: string, key: string) =>
  `INSERT INTO alert (id, dedupe_key, kind, state, severity, text, fired_at, created_at, updated_at)
    VALUES (${id}, '${key}', '${kind}', 'firing', 'info', 'x', ${AT}, ${AT}, ${AT})`;

const row = (id: number, state: string, error: string) =>
  `INSERT INTO outbox (id, alert_id, occasion, reason, severity, text, channel, state, error, created_at, updated_at)
    VALUES (${id}, 1, ${id}, 'event', 'info', 'x', 'messages', '${state}', '${error}', ${AT}, ${AT})`;

/** A file that the program of that version left. */
function fixture(version: string): string {
  const path = join(tempDir(), 'state.sqlite');
  copyFileSync(`test/fixtures/state/${version}.sqlite`, path);
  return path;
}

/** What it executes, in order. */
async function statementsOfMigration(): Promise<readonly string[]> {
  const statements: string[] = [];
  const dialect = {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
  await addFacts(new Kysely<unknown>({ dialect, log: ({ query }) => void statements.push(query.sql) }));
  return statements;
}

const rows = (connection: Database.Database, sql: string) => connection.prepare(sql).raw().all();

describe('facts that used to be sentences', () => {
  it('move the end of a run and its target into columns', async () => {
    const { connection } = await freshState(
      await fileOfBefore(
        run(1, 'failed', 'It failed.'),
        run(2, 'failed', 'A slice was left for the next run: the run was asked to stop.'),
        run(3, 'failed', 'It failed.\nThe run was asked to stop before it was sent.', 'live (https://ads.example.com)'),
        run(4, 'done', null, 'live (no advertising interface)'),
        run(5, 'died', 'the run was asked to stop'),
      ),
    );
    expect(rows(connection, 'SELECT state, target_kind FROM run ORDER BY id')).toEqual([
      ['failed', 'sandbox'],
      ['stopped', 'sandbox'],
      ['stopped', 'live'],
      ['done', 'live'],
      ['died', 'sandbox'],
    ]);
  });

  it('move the end of an account in a run into columns', async () => {
    const { connection } = await freshState(
      await fileOfBefore(
        run(1, 'done', null),
        ofRun(1, 'failed', 'The request to ads.example.com was given up, because the run was asked to stop.'),
        ofRun(2, 'not_reached', 'the run was asked to stop'),
        ofRun(3, 'not_reached', 'nothing was to be read of it in this run'),
        ofRun(4, 'not_reached', 'the service takes no more requests for now (RESOURCE_EXHAUSTED)'),
        ofRun(5, 'left_out', 'SUSPENDED'),
      ),
    );
    expect(rows(connection, 'SELECT state, code FROM run_account ORDER BY customer_id')).toEqual([
      ['stopped', null],
      ['stopped', null],
      ['not_reached', 'nothing_to_read'],
      ['not_reached', null],
      ['left_out', null],
    ]);
  });

  it('move alerts and withdrawn notifications into columns', async () => {
    const { connection } = await freshState(
      await fileOfBefore(
        alert(1, 'event', 'proposal:K7MX'),
        alert(2, 'digest', 'digest:anna:2026-11-20'),
        alert(3, 'condition', 'trim:1234567890:21'),
        row(1, 'withdrawn', 'The proposal waits no more.'),
        row(2, 'withdrawn', 'It was over before it was told.'),
        row(3, 'withdrawn', 'No route is for it (alerts.routes).'),
        row(4, 'failed', 'It was over before it was told.'),
      ),
    );
    expect(rows(connection, 'SELECT proposal_code, recipient FROM alert ORDER BY id')).toEqual([
      ['K7MX', null],
      [null, 'anna'],
      [null, null],
    ]);
    expect(rows(connection, 'SELECT withdrawn_because FROM outbox ORDER BY id').flat()).toEqual([
      'proposal_over',
      'condition_over',
      null,
      null,
    ]);
  });
});

describe('the person or rule that let a change through', () => {
  const CHANGE = `'a', '2026-11-20', 'EUR', 'trim', '1f2e'`;
  const intent = (id: number, kind: string, undoes: number | null, actor: string) =>
    `INSERT INTO budget_intent (id, kind, undoes, customer_id, budget_id, campaign_name, account_day, currency, rule,
      rule_version, actor, from_micros, to_micros, amount_source, state, reason, created_at, updated_at)
      VALUES (${id}, '${kind}', ${undoes}, 1, ${id}, ${CHANGE}, '${actor}', 1, 2, 'read', 'applied', 'x', ${AT}, ${AT})`;
  const PROPOSAL = `INSERT INTO budget_proposal (code, customer_id, budget_id, account_day, currency, rule, rule_version,
      from_micros, to_micros, amount_source, state, reason, intent_id, decided_by, decided_at, created_at, expires_at)
      VALUES ('K7MX', 1, 2, '2026-11-20', 'EUR', 'trim', '1f2e', 1, 2, 'read', 'approved', 'x', 2, 'ben', ${AT}, ${AT}, ${AT})`;

  it('is found in the record, whatever people are called', async () => {
    const { connection } = await freshState(
      await fileOfBefore(
        // A person may be called anything.
        intent(1, 'rule', null, 'approved by nobody'),
        intent(2, 'rule', null, 'ben'),
        intent(3, 'undo', 1, 'approved by ben'),
        PROPOSAL,
      ),
    );
    expect(rows(connection, 'SELECT origin FROM budget_intent ORDER BY id').flat()).toEqual([
      'rule',
      'approval',
      'undo',
    ]);
  });

  it('is compared with the record, which has it for every new change', async () => {
    const state = await freshState(fixture('0005'));
    expect((await verifyAudit(state)).differences).toEqual([]);
    state.connection.exec(
      "UPDATE budget_intent SET origin = 'approval' WHERE id = (SELECT min(id) FROM budget_intent WHERE origin = 'rule')",
    );
    expect((await verifyAudit(state)).differences).toEqual([
      expect.stringMatching(/: origin is "approval" in budget_intent, but "rule" in its events\.$/),
    ]);
  });
});

describe('the migration', () => {
  it('reuses no number of a run, even if the newest runs are gone', async () => {
    const path = await fileOfBefore(run(1, 'done', null), run(41, 'done', null), 'DELETE FROM run');
    const { connection } = await freshState(path);
    connection.exec(`INSERT INTO run (command, target, target_kind, mode, dry_run, state, started_at)
      VALUES ('report', 'x', 'live', 'apply', 0, 'running', ${AT})`);
    expect(rows(connection, 'SELECT id FROM run')).toEqual([[42n]]);
  });

  it('leaves a user’s view unchanged', async () => {
    const path = await fileOfBefore(run(1, 'done', null), 'CREATE VIEW mine AS SELECT id, state FROM run');
    const { connection } = await freshState(path);
    expect(rows(connection, 'SELECT * FROM mine')).toEqual([[1n, 'done']]);
  });

  it('writes no page of large tables, whatever their size', async () => {
    const path = await fileOfBefore(
      run(1, 'done', null),
      `INSERT INTO slice (id, run_id, query, query_text, customer_id, state, ended_at) VALUES (1, 1, 'q', 'q', 1, 'done', ${AT})`,
      'CREATE TABLE q_stats (a INTEGER PRIMARY KEY, b TEXT) STRICT',
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO q_stats SELECT i, printf('%0200d', i) FROM n`,
    );
    const before = new Database(path);
    before.defaultSafeIntegers(true);
    const roots =
      "SELECT name, rootpage FROM sqlite_schema WHERE name IN ('q_stats', 'slice', 'account_day', 'day_reading')";
    const placed = rows(before, roots);
    const pages = before.pragma('page_count', { simple: true });
    before.pragma('journal_mode = WAL');
    before.close();
    const { connection } = await freshState(path);
    expect(rows(connection, roots)).toEqual(placed);
    // What was written is in the journal: a few pages, of several hundred.
    const [[, written]] = rows(connection, 'PRAGMA wal_checkpoint') as [[bigint, bigint]];
    expect(pages).toBeGreaterThan(500);
    expect(Number(written)).toBeLessThan(100);
  });

  it('leaves the file unchanged if killed at any statement', async () => {
    const path = await fileOfBefore(run(1, 'failed', 'the run was asked to stop'), alert(1, 'event', 'proposal:K7MX'));
    const file = new Database(path);
    file.pragma('journal_mode = WAL');
    // So that what is not committed is written, too.
    file.pragma('cache_size = 1');
    file.pragma('cache_spill = 1');
    file.pragma('foreign_keys = OFF');
    const before = file.serialize();
    const statements = await statementsOfMigration();
    expect(statements.length).toBeGreaterThan(15);
    file.exec('BEGIN IMMEDIATE');
    for (const statement of statements) {
      file.exec(statement);
      const killed = join(tempDir(), 'state.sqlite');
      for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${killed}${suffix}`);
      expect(lookAtState(killed)).toEqual({ kind: 'older', version: '0005' });
      const left = new Database(killed);
      expect(left.serialize().equals(before)).toBe(true);
      left.close();
    }
    file.exec('ROLLBACK');
    file.close();
    const { connection } = await freshState(path);
    expect(rows(connection, 'SELECT state FROM run')).toEqual([['stopped']]);
  });

  it('is refused if it would leave a row with a missing reference, and the file stays unchanged', async () => {
    const path = await fileOfBefore(
      run(1, 'failed', 'It failed.'),
      ofRun(1, 'failed', 'x'),
      alert(1, 'event', 'budget-intent:1:done'),
      row(1, 'withdrawn', 'The proposal waits no more.'),
      'CREATE TRIGGER loses AFTER UPDATE ON outbox BEGIN DELETE FROM run; END',
    );
    await expect(freshState(path)).rejects.toThrow(
      'a row of table run_account refers to a row of table run that is missing',
    );
    expect(lookAtState(path)).toEqual({ kind: 'older', version: '0005' });
  });

  it('ignores rows whose reference was already missing, so that nobody is locked out', async () => {
    const path = await fileOfBefore('PRAGMA foreign_keys = OFF', ofRun(1, 'failed', 'x'));
    const { connection } = await freshState(path);
    expect(rows(connection, 'SELECT state, reason FROM run_account')).toEqual([['failed', 'x']]);
    expect(lookAtState(path)).toMatchObject({ kind: 'sound' });
  });
});
