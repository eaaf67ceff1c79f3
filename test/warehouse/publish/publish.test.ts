import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { publishWarehouse, writeFile } from '../../../src/storage/warehouse/sqlite/publish.ts';
import { leaveBehind } from '../../support/damage.ts';
import { beginRun, putUnusedState, stateIn } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';

const require = createRequire(import.meta.url);
const T1 = Date.parse('2026-11-20T12:00:00Z');
const T2 = Date.parse('2026-11-20T13:00:00Z');

async function fresh() {
  const folder = tempDir();
  const state = await stateIn(folder);
  onTestFinished(() => state.close());
  const warehouse = join(folder, 'warehouse.sqlite');
  const publish = (nowMs: number, path = warehouse) =>
    publishWarehouse(state, { path, nowMs, describe: () => undefined });
  return { folder, state, warehouse, publish };
}

const runs = (file: Database.Database) => file.prepare('SELECT count(*) FROM run').pluck().get();
const asOf = (file: Database.Database) => file.prepare('SELECT as_of FROM as_of').pluck().get();

function opened(path: string): Database.Database {
  const file = new Database(path, { readonly: true });
  onTestFinished(() => void file.close());
  return file;
}

describe('warehouse.sqlite', () => {
  it('is complete for a reader who keeps it open during the next publication', async () => {
    const { state, warehouse, publish } = await fresh();
    await beginRun(state.db);
    await publish(T1);
    const reader = opened(warehouse);
    expect(runs(reader)).toBe(1);

    await beginRun(state.db);
    await publish(T2);
    expect(runs(reader)).toBe(1);
    const later = opened(warehouse);
    expect(runs(later)).toBe(2);
  });

  it('is one file, readable by others, without companions', async () => {
    const { folder, warehouse, publish } = await fresh();
    await publish(T1);
    expect(statSync(warehouse).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder).filter((name) => name.includes('warehouse'))).toEqual(['warehouse.sqlite']);
  });

  it.each(['wal', 'journal'] as const)(
    'is what a reader gets even if a killed tool left its %s beside the previous file',
    async (kind) => {
      const { folder, state, warehouse, publish } = await fresh();
      await publish(T1);
      leaveBehind(warehouse, kind);
      expect(readdirSync(folder)).toContain(`warehouse.sqlite-${kind}`);
      for (let run = 0; run < 300; run++) await beginRun(state.db);
      await publish(T2);
      const found = readdirSync(folder).filter((name) => /^warehouse\.sqlite-/.test(name));
      const file = opened(warehouse);
      expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(asOf(file)).toBe('2026-11-20 13:00:00.000');
      expect(runs(file)).toBe(300);
      expect(found).toEqual([]);
    },
  );

  it('is refused with the next step if a folder has the name of a journal', async () => {
    const { warehouse, publish } = await fresh();
    await publish(T1);
    mkdirSync(`${warehouse}-wal`);
    await expect(publish(T2)).rejects.toThrow(
      `${warehouse}-wal is a folder, but SQLite needs a file of this name. Move the folder away.`,
    );
  });

  it('is what a reader gets even if a tool has the previous file open and writes to it', async () => {
    const { warehouse, publish } = await fresh();
    await publish(T1);
    const tool = new Database(warehouse);
    onTestFinished(() => void tool.close());
    tool.pragma('journal_mode = WAL');
    tool.exec('CREATE TABLE mine (text); BEGIN IMMEDIATE; INSERT INTO mine VALUES (1)');
    await publish(T2);
    const file = opened(warehouse);
    expect(asOf(file)).toBe('2026-11-20 13:00:00.000');
    expect(file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'mine'").get()).toBeUndefined();
    expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('ignores leftovers beside the file being written', async () => {
    const { folder, state, warehouse, publish } = await fresh();
    await publish(T1);
    cpSync(warehouse, join(folder, 'other'));
    leaveBehind(join(folder, 'other'), 'journal');
    renameSync(join(folder, 'other-journal'), join(folder, '.warehouse.sqlite.next-journal'));
    for (let run = 0; run < 300; run++) await beginRun(state.db);
    await publish(T2);
    const file = opened(warehouse);
    expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(asOf(file)).toBe('2026-11-20 13:00:00.000');
    expect(readdirSync(folder)).not.toContain('.warehouse.sqlite.next-journal');
  });

  it('replaces a file that a killed run left half-written', async () => {
    const { folder, warehouse, publish } = await fresh();
    writeFileSync(join(folder, '.warehouse.sqlite.next'), 'half');
    await publish(T1);
    const file = opened(warehouse);
    expect(asOf(file)).toBe('2026-11-20 12:00:00.000');
    expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('stays the last good file if publishing fails', async () => {
    const { folder, warehouse, publish } = await fresh();
    await publish(T1);
    // A folder in the place of the file to be renamed: the rename must fail.
    await expect(publish(T2, folder)).rejects.toThrow();
    const file = opened(warehouse);
    expect(asOf(file)).toBe('2026-11-20 12:00:00.000');
  });

  it.each([
    ['an older', (path: string, older: Buffer) => writeFileSync(path, older)],
    ['an unused', (path: string) => putUnusedState(dirname(path))],
    ['no', () => undefined],
  ])('stays the last good file if there is %s state file in place of the open one', async (_, put) => {
    const { state, warehouse, publish } = await fresh();
    await beginRun(state.db);
    await publish(T1);
    const older = state.connection.serialize();
    await beginRun(state.db);
    for (const journal of ['', '-wal', '-shm']) rmSync(`${state.path}${journal}`);
    await put(state.path, older);
    await expect(publish(T2)).rejects.toThrow(/state\.sqlite is another file now/);
    expect(runs(opened(warehouse))).toBe(1);
    const path = join(dirname(warehouse), 'copy.sqlite');
    const copying = writeFile(state, { path, nowMs: T2, describe: () => undefined });
    await expect(copying).rejects.toThrow(/copy\.sqlite was not replaced: .*state\.sqlite is another file now/);
    expect(existsSync(path)).toBe(false);
  });

  it('is readable by another user in a read-only folder', async () => {
    const { folder, warehouse, publish } = await fresh();
    await publish(T1);
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o755));
    // Permissions do not bind root, so root becomes somebody else, who may be unable to read this project.
    const count = `const Database = require(${JSON.stringify(require.resolve('better-sqlite3'))});
      new Database(':memory:').close();
      if (process.getuid?.() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
      const file = new Database(process.argv[1], { readonly: true });
      console.log(file.prepare('SELECT count(*) FROM as_of').pluck().get());`;
    const printed = execFileSync(process.execPath, ['-e', count, warehouse], { encoding: 'utf8' });
    expect(printed).toBe('1\n');
  });

  it('is published and read while another process writes to the state file', async () => {
    const { state, warehouse, publish } = await fresh();
    await beginRun(state.db);
    const writer = new Database(state.path);
    onTestFinished(() => void writer.close());
    writer.exec("BEGIN IMMEDIATE; UPDATE run SET command = 'half-way'");
    await publish(T1);
    const reader = opened(warehouse);
    expect(reader.prepare('SELECT command FROM run').pluck().all()).toEqual(['report']);
  });

  it('leaves nothing beside the last good file if publishing fails half-way', async () => {
    const { folder, state, warehouse, publish } = await fresh();
    await publish(T1);
    state.connection.exec(`INSERT INTO query_table (name, columns, query, description) VALUES ('gone', '[]', 'q', '')`);
    const before = readdirSync(folder).sort();
    await expect(publish(T2)).rejects.toThrow('no such table: state.gone');
    expect(readdirSync(folder).sort()).toEqual(before);
    const file = opened(warehouse);
    expect(asOf(file)).toBe('2026-11-20 12:00:00.000');
  });
});
