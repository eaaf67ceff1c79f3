import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { acquireRunLock } from '../../../src/storage/records/sqlite/run-lock.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

async function folderWithState(): Promise<string> {
  const folder = tempDir();
  await (await openState(join(folder, 'data', 'state.sqlite'))).close();
  return folder;
}

describe('pacekeeper publish', () => {
  it('rewrites the file from stored data, and shows its path', async () => {
    const folder = await folderWithState();
    const { code, stdout, stderr } = await runInProcess(['publish'], { folder });
    expect(stderr).toBe('');
    expect(stdout).toBe('data/warehouse.sqlite: 20 tables\ndata/report.html: the report\n');
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'data', 'metadata.json'))).toBe(true);
    // Nothing is asked of a service, so none is started.
    expect(existsSync(join(folder, 'data', 'sandbox.sqlite'))).toBe(false);
  });

  it.each(['csv', 'json'])('creates a folder with one %s file per table', async (format) => {
    const folder = await folderWithState();
    const { code, stdout } = await runInProcess(['publish', '--to', format, 'out/tables'], { folder });
    expect(code).toBe(0);
    expect(stdout).toContain(`out/tables/as_of.${format}: 1 row\n`);
    expect(stdout).toContain(`out/tables/account.${format}: 0 rows\n`);
    expect(readFileSync(join(folder, 'out', 'tables', `as_of.${format}`), 'utf8')).toContain('as_of');
  });

  it.each<[sentence: string, args: string[], words: string]>([
    ['a format without a folder', ['--to', 'csv'], 'Found only --to csv, expected both --to FORMAT and a folder'],
    ['a folder without a format', ['out'], 'Found only the folder out, expected both --to FORMAT and a folder'],
    ['a format that there is not', ['--to', 'xlsx', 'out'], 'Allowed choices are csv, json, sqlite.'],
    ['a folder that is a file', ['--to', 'csv', 'data/state.sqlite'], 'state.sqlite is a file.'],
    [
      'a folder below a file',
      ['--to', 'csv', 'data/state.sqlite/x'],
      'cannot be created: a part of that path is a file.',
    ],
    [
      'the folder of the queries',
      ['--to', 'csv', 'queries'],
      'contains mine.sql, so it holds queries, rules or settings.',
    ],
    ['a data folder in which nothing was read', ['--data-dir', 'nope'], 'No run has read data yet'],
  ])('refuses %s, with the next step', async (_sentence, args, words) => {
    const folder = await folderWithState();
    mkdirSync(join(folder, 'queries'));
    writeFileSync(join(folder, 'queries', 'mine.sql'), '');
    const { code, stdout, stderr } = await runInProcess(['publish', ...args], { folder });
    expect(stderr).toContain(words);
    expect(stderr).toContain('next step: ');
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(existsSync(join(folder, 'data', 'warehouse.sqlite'))).toBe(false);
    expect(existsSync(join(folder, 'nope'))).toBe(false);
  });

  it('does not wait for the run lock, and names the process that holds it', async () => {
    const folder = await folderWithState();
    const lock = acquireRunLock(join(folder, 'data'), 'pacekeeper report', '2026-11-20T12:00:00Z');
    const { code, stderr } = await runInProcess(['publish'], { folder });
    if (lock.kind === 'acquired') lock.release();
    expect(stderr).toMatch(/in use by pacekeeper report, process \d+/);
    expect(code).toBe(1);
  });

  it.each<[sentence: string, args: string[], stdout: string]>([
    ['before the page is written', [], 'data/warehouse.sqlite: 20 tables\n'],
    ['before the tables are written to a folder', ['--to', 'csv', 'out'], 'data/warehouse.sqlite: 20 tables\n'],
  ])('asked to stop %s, exits with 1 and names the unchanged files', async (_sentence, args, said) => {
    const folder = await folderWithState();
    const stopped = await runInProcess(['publish', ...args], { folder, onStop: (stop) => stop() });
    expect([stopped.code, stopped.stdout]).toEqual([1, said]);
    expect(stopped.stderr).toContain('All other files, including report.html, are unchanged, because the run was');
    expect(existsSync(join(folder, 'data', 'report.html'))).toBe(false);
    expect(existsSync(join(folder, 'out', 'as_of.csv'))).toBe(false);
  });
});
