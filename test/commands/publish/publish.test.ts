import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
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

  it('writes Parquet again only where rows changed, and says so', async () => {
    const folder = await folderWithState();
    const publish = () => runInProcess(['publish', '--to', 'parquet', 'out'], { folder });
    expect((await publish()).stdout).toContain('out/account: 0 rows, 1 of 1 files changed\n');
    const { code, stdout } = await publish();
    expect(code).toBe(0);
    expect(stdout).toContain('out/account: 0 rows, 0 of 1 files changed\n');
    expect(stdout).toContain('out/as_of: 1 row, 1 of 1 files changed\n');
    expect(existsSync(join(folder, 'out', 'manifest.json'))).toBe(true);
  });

  it('replaces its own spreadsheet', async () => {
    const folder = await folderWithState();
    for (const _ of ['first', 'again']) {
      const { code, stdout } = await runInProcess(['publish', '--to', 'xlsx', 'all.xlsx'], { folder });
      expect([code, stdout]).toEqual([
        0,
        'data/warehouse.sqlite: 20 tables\nall.xlsx: a copy of all tables\ndata/report.html: the report\n',
      ]);
    }
    const parts = unzipSync(readFileSync(join(folder, 'all.xlsx')));
    expect(Object.keys(parts).filter((path) => path.startsWith('xl/worksheets/'))).toHaveLength(20);
  });

  it.each<[sentence: string, args: string[], words: string]>([
    ['a format without a folder', ['--to', 'csv'], 'Found only --to csv, expected both --to FORMAT and a folder'],
    ['a folder without a format', ['out'], 'Found only the folder out, expected both --to FORMAT and a folder'],
    ['a format that there is not', ['--to', 'xls', 'out'], 'Allowed choices are csv, json, parquet, sqlite, xlsx.'],
    ['a spreadsheet with another ending', ['--to', 'xlsx', 'out'], 'expected one that ends with .xlsx.'],
    [
      'a spreadsheet of somebody else',
      ['--to', 'xlsx', 'mine.xlsx'],
      'mine.xlsx was not replaced: pacekeeper did not write',
    ],
    [
      'a folder for a spreadsheet',
      ['--to', 'xlsx', 'folder.xlsx'],
      'folder.xlsx was not replaced: pacekeeper did not write',
    ],
    ['the folder of the queries for Parquet', ['--to', 'parquet', 'queries'], 'queries contains mine.sql'],
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
    writeFileSync(join(folder, 'mine.xlsx'), 'PK mine');
    mkdirSync(join(folder, 'folder.xlsx'));
    const { code, stdout, stderr } = await runInProcess(['publish', ...args], { folder });
    expect(stderr).toContain(words);
    expect(stderr).toContain('next step: ');
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(existsSync(join(folder, 'data', 'warehouse.sqlite'))).toBe(false);
    expect(existsSync(join(folder, 'nope'))).toBe(false);
    expect(readFileSync(join(folder, 'mine.xlsx'), 'utf8')).toBe('PK mine');
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
    ['before Parquet is written', ['--to', 'parquet', 'out'], 'data/warehouse.sqlite: 20 tables\n'],
    ['before a spreadsheet is written', ['--to', 'xlsx', 'out.xlsx'], 'data/warehouse.sqlite: 20 tables\n'],
  ])('asked to stop %s, exits with 1 and names the unchanged files', async (_sentence, args, said) => {
    const folder = await folderWithState();
    const stopped = await runInProcess(['publish', ...args], { folder, onStop: (stop) => stop() });
    expect([stopped.code, stopped.stdout]).toEqual([1, said]);
    expect(stopped.stderr).toContain('All other files, including report.html, are unchanged, because the run was');
    expect(existsSync(join(folder, 'data', 'report.html'))).toBe(false);
    for (const name of ['out/as_of.csv', 'out/manifest.json', 'out.xlsx'])
      expect(existsSync(join(folder, name))).toBe(false);
  });
});
