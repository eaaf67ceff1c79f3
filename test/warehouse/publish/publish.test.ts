import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from '../../../src/storage/records/runs/run-table.ts';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { publishWarehouse } from '../../../src/storage/warehouse/sqlite/publish.ts';
import { leaveBehind } from '../../support/damage.ts';
import { tempDir } from '../../support/temp-dir.ts';

const require = createRequire(import.meta.url);
const T1 = Date.parse('2026-11-20T12:00:00Z');
const T2 = Date.parse('2026-11-20T13:00:00Z');

async function fresh() {
  const folder = tempDir();
  const state = await openState(join(folder, 'state.sqlite'));
  onTestFinished(() => state.close());
  return { folder, state, warehouse: join(folder, 'warehouse.sqlite') };
}

const runs = (file: Database.Database) => file.prepare('SELECT count(*) FROM run').pluck().get();
const start = { command: 'report', target: 't', targetKind: 'sandbox' as const, mode: 'apply', dryRun: false };

describe('warehouse.sqlite', () => {
  it('is complete for a reader who keeps it open during the next publication', async () => {
    const { state, warehouse } = await fresh();
    await startRun(state.db, { ...start, nowMs: T1 });
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    const reader = new Database(warehouse, { readonly: true });
    onTestFinished(() => void reader.close());
    expect(runs(reader)).toBe(1);

    await startRun(state.db, { ...start, nowMs: T2 });
    await publishWarehouse(state, { path: warehouse, nowMs: T2, describe: () => undefined });
    expect(runs(reader)).toBe(1);
    const later = new Database(warehouse, { readonly: true });
    onTestFinished(() => void later.close());
    expect(runs(later)).toBe(2);
  });

  it('is one file, readable by others, without companions', async () => {
    const { state, warehouse, folder } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    expect(statSync(warehouse).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder).filter((name) => name.includes('warehouse'))).toEqual(['warehouse.sqlite']);
  });

  it.each(['wal', 'journal'] as const)(
    'is what a reader gets even if a killed tool left its %s beside the previous file',
    async (kind) => {
      const { state, warehouse, folder } = await fresh();
      await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
      leaveBehind(warehouse, kind);
      expect(readdirSync(folder)).toContain(`warehouse.sqlite-${kind}`);
      for (let run = 0; run < 300; run++) await startRun(state.db, { ...start, nowMs: T2 });
      await publishWarehouse(state, { path: warehouse, nowMs: T2, describe: () => undefined });
      const found = readdirSync(folder).filter((name) => /^warehouse\.sqlite-/.test(name));
      const file = new Database(warehouse);
      onTestFinished(() => void file.close());
      expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(file.prepare('SELECT as_of FROM as_of').pluck().get()).toBe('2026-11-20 13:00:00.000');
      expect(runs(file)).toBe(300);
      expect(found).toEqual([]);
    },
  );

  it('is refused with the next step if a folder has the name of a journal', async () => {
    const { state, warehouse } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    mkdirSync(`${warehouse}-wal`);
    await expect(publishWarehouse(state, { path: warehouse, nowMs: T2, describe: () => undefined })).rejects.toThrow(
      `${warehouse}-wal is a folder, but SQLite needs a file of this name. Move the folder away.`,
    );
  });

  it('is what a reader gets even if a tool has the previous file open and writes to it', async () => {
    const { state, warehouse } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    const tool = new Database(warehouse);
    onTestFinished(() => void tool.close());
    tool.pragma('journal_mode = WAL');
    tool.exec('CREATE TABLE mine (text); BEGIN IMMEDIATE; INSERT INTO mine VALUES (1)');
    await publishWarehouse(state, { path: warehouse, nowMs: T2, describe: () => undefined });
    const file = new Database(warehouse, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.prepare('SELECT as_of FROM as_of').pluck().get()).toBe('2026-11-20 13:00:00.000');
    expect(file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'mine'").get()).toBeUndefined();
    expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('ignores leftovers beside the file being written', async () => {
    const { state, warehouse, folder } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    cpSync(warehouse, join(folder, 'other'));
    leaveBehind(join(folder, 'other'), 'journal');
    renameSync(join(folder, 'other-journal'), join(folder, '.warehouse.sqlite.next-journal'));
    for (let run = 0; run < 300; run++) await startRun(state.db, { ...start, nowMs: T2 });
    await publishWarehouse(state, { path: warehouse, nowMs: T2, describe: () => undefined });
    const file = new Database(warehouse, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(file.prepare('SELECT as_of FROM as_of').pluck().get()).toBe('2026-11-20 13:00:00.000');
    expect(readdirSync(folder)).not.toContain('.warehouse.sqlite.next-journal');
  });

  it('replaces a file that a killed run left half-written', async () => {
    const { state, warehouse, folder } = await fresh();
    writeFileSync(join(folder, '.warehouse.sqlite.next'), 'half');
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    const file = new Database(warehouse, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.prepare('SELECT as_of FROM as_of').pluck().get()).toBe('2026-11-20 12:00:00.000');
    expect(file.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('stays the last good file if publishing fails', async () => {
    const { state, warehouse, folder } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    // A folder in the place of the file to be renamed: the rename must fail.
    await expect(publishWarehouse(state, { path: folder, nowMs: T2, describe: () => undefined })).rejects.toThrow();
    const file = new Database(warehouse, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.prepare('SELECT as_of FROM as_of').pluck().get()).toBe('2026-11-20 12:00:00.000');
  });

  it('is readable by another user in a read-only folder', async () => {
    const { state, warehouse, folder } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
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
    const { state, warehouse } = await fresh();
    await startRun(state.db, { ...start, nowMs: T1 });
    const writer = new Database(state.path);
    onTestFinished(() => void writer.close());
    writer.exec("BEGIN IMMEDIATE; UPDATE run SET command = 'half-way'");
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    const reader = new Database(warehouse, { readonly: true });
    onTestFinished(() => void reader.close());
    expect(reader.prepare('SELECT command FROM run').pluck().all()).toEqual(['report']);
  });

  it('leaves nothing beside the last good file if publishing fails half-way', async () => {
    const { state, warehouse, folder } = await fresh();
    await publishWarehouse(state, { path: warehouse, nowMs: T1, describe: () => undefined });
    state.connection.exec(`INSERT INTO query_table (name, columns, query, description) VALUES ('gone', '[]', 'q', '')`);
    const before = readdirSync(folder).sort();
    await expect(publishWarehouse(state, { path: warehouse, nowMs: T2, describe: () => undefined })).rejects.toThrow(
      'no such table: state.gone',
    );
    expect(readdirSync(folder).sort()).toEqual(before);
    const file = new Database(warehouse, { readonly: true });
    onTestFinished(() => void file.close());
    expect(file.prepare('SELECT as_of FROM as_of').pluck().get()).toBe('2026-11-20 12:00:00.000');
  });
});
