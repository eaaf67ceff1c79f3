import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openForOwner } from '../../../src/storage/records/sqlite/open-database.ts';
import { acquireRunLock } from '../../../src/storage/records/sqlite/run-lock.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Returns the code of an error of SQLite, or nothing. */
function inAnotherProcess(path: string, statements: string): string {
  const program = `import Database from 'better-sqlite3';
    const file = new Database(process.argv[1], { timeout: 0 });
    try { file.exec(process.argv[2]); } catch (error) { process.stdout.write(error.code); } finally { file.close(); }`;
  const words = ['--input-type=module', '--eval', program, path, statements];
  return execFileSync(process.execPath, words, { encoding: 'utf8' });
}

/** The system drops all locks of a process on a file when the process closes any descriptor of this file. */
describe('a second opening in the same process', () => {
  it('does not free the run lock for another process', () => {
    const folder = tempDir();
    const held = acquireRunLock(folder, 'pacekeeper report', '2026-11-20T12:00:00Z');
    expect(acquireRunLock(folder, 'pacekeeper serve', '2026-11-20T12:00:01Z').kind).toBe('held');
    expect(inAnotherProcess(join(folder, 'lock.sqlite'), 'BEGIN IMMEDIATE')).toBe('SQLITE_BUSY');
    if (held.kind === 'acquired') held.release();
  });

  it('does not free another file', () => {
    const path = join(tempDir(), 'schedule.sqlite');
    const first = openForOwner(path, 0);
    first.exec('BEGIN IMMEDIATE');
    openForOwner(path, 0).close();
    expect(inAnotherProcess(path, 'BEGIN IMMEDIATE')).toBe('SQLITE_BUSY');
    first.close();
  });
});

describe('the lock of a data folder', () => {
  it('has one holder at a time and names it', () => {
    const folder = tempDir();
    const first = acquireRunLock(folder, 'pacekeeper report', '2026-11-20T12:00:00Z');
    const second = acquireRunLock(folder, 'pacekeeper report', '2026-11-20T12:00:01Z');
    expect(first.kind).toBe('acquired');
    expect(second).toEqual({
      kind: 'held',
      command: 'pacekeeper report',
      since: '2026-11-20T12:00:00Z',
      holder: expect.stringMatching(`^pacekeeper report, process ${process.pid} on .+, since 2026-11-20 12:00 UTC$`),
    });
    if (first.kind === 'acquired') first.release();
  });

  it('is free again after release', () => {
    const folder = tempDir();
    for (const since of ['2026-11-20T12:00:00Z', '2026-11-20T13:00:00Z']) {
      const lock = acquireRunLock(folder, 'pacekeeper report', since);
      expect(lock.kind).toBe('acquired');
      if (lock.kind === 'acquired') lock.release();
    }
  });
});
