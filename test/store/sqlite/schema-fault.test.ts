import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { refuseUnguarded } from '../../../src/storage/records/altered-record.ts';
import { lookAtState } from '../../../src/storage/records/sqlite/look-at-state.ts';
import { openState, openStateToLook } from '../../../src/storage/records/sqlite/open-state.ts';
import { freshState, stateIn } from '../../support/state.ts';
import { fileOfVersion, VERSIONS } from '../../support/state-of-version.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function fileAfter(...statements: readonly string[]): Promise<string> {
  const folder = tempDir();
  await (await stateIn(folder)).close();
  const path = join(folder, 'state.sqlite');
  const file = new Database(path);
  file.pragma('foreign_keys = OFF');
  for (const statement of statements) file.exec(statement);
  file.close();
  return path;
}

describe.each([
  ['a table', 'DROP TABLE silence', 'table silence is missing'],
  ['a table with indexes', 'DROP TABLE outbox', 'table outbox is missing'],
  ['an index', 'DROP INDEX budget_intent_once_a_day', 'index budget_intent_once_a_day is missing'],
  ['a column', 'ALTER TABLE silence DROP COLUMN rule', 'column rule of table silence is missing'],
  ['the name of a column', 'ALTER TABLE silence RENAME COLUMN why TO reason', 'column why of table silence is missing'],
  ['the name of a table', 'ALTER TABLE silence RENAME TO silences', 'table silence is missing'],
  [
    'a table replaced by a view',
    'ALTER TABLE silence RENAME TO x; CREATE VIEW silence AS SELECT * FROM x',
    'table silence is missing',
  ],
  [
    'a type',
    'DROP TABLE target; CREATE TABLE target (id INTEGER PRIMARY KEY, identity BLOB)',
    'column identity of table target is BLOB, expected TEXT',
  ],
  [
    'a unique constraint',
    'DROP INDEX budget_proposal_one_open; CREATE INDEX budget_proposal_one_open ON budget_proposal (customer_id)',
    'index budget_proposal_one_open differs from the one that pacekeeper creates',
  ],
  [
    'a constraint',
    'CREATE TABLE r AS SELECT * FROM query_table; DROP TABLE query_table; ALTER TABLE r RENAME TO query_table',
    'column next_row of table query_table is INT, expected INTEGER',
  ],
])('a state file that lost %s', (_words, statements, reason) => {
  it('is damaged, and no command opens or reads it', async () => {
    const path = await fileAfter(statements);
    expect(lookAtState(path)).toMatchObject({ kind: 'damaged', reason });
    const refusal = {
      name: 'InputError',
      message: expect.stringContaining(`${path} cannot be used as a database: ${reason}.`),
      nextStep: expect.stringMatching(/ut a copy back with pacekeeper restore FILE\./),
    };
    await expect(openState(path)).rejects.toMatchObject(refusal);
    await expect(openStateToLook(path, 1000)).rejects.toMatchObject(refusal);
  });
});

it('a state file without a trigger is damaged: it opens for inspection, but nothing is sent', async () => {
  const path = await fileAfter('DROP TRIGGER budget_event_goes_on');
  const reason = 'trigger budget_event_goes_on is missing';
  expect(lookAtState(path)).toMatchObject({ kind: 'damaged', reason });
  const state = await freshState(path);
  await expect(refuseUnguarded(state)).rejects.toThrow(`${path} cannot be used as a database: ${reason}.`);
});

it('a state file may hold tables beyond the migrations', async () => {
  const path = await fileAfter(
    'CREATE TABLE mine (a); CREATE INDEX mine_by_a ON mine (a); CREATE VIEW seen AS SELECT * FROM run',
    'CREATE INDEX run_by_target ON run (target); ALTER TABLE run ADD COLUMN note TEXT; ANALYZE',
  );
  expect(lookAtState(path)).toMatchObject({ kind: 'sound' });
  await freshState(path);
});

it.each(VERSIONS.slice(0, -1))('judges a file of version %i after its migration', async (version) => {
  const path = join(tempDir(), 'state.sqlite');
  await fileOfVersion(version, path);
  const file = new Database(path);
  file.exec('DROP TABLE target');
  file.close();
  expect(lookAtState(path)).toMatchObject({ kind: 'older' });
  await expect(openState(path)).rejects.toMatchObject({
    // 0006 makes it anew. After that no migration needs it, and it is missed in the end.
    message: `${path} cannot be used as a database: ${version < 6 ? 'no such table: target' : 'table target is missing'}.`,
    nextStep: expect.stringMatching(/^Put a copy back/),
  });
});

it('refuses an older file whose migration fails, with a next step', async () => {
  const path = join(tempDir(), 'state.sqlite');
  cpSync('test/fixtures/state/0001.sqlite', path);
  const file = new Database(path);
  file.pragma('foreign_keys = OFF');
  file.exec('DROP TABLE slice');
  file.close();
  await expect(openState(path)).rejects.toMatchObject({
    message: `${path} cannot be used as a database: no such table: slice.`,
    nextStep: expect.stringMatching(/^Put a copy back/),
  });
});
