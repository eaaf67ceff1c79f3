import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { lookAtPages } from '../../../src/storage/records/sqlite/look-at-state.ts';
import { damageTable, flipBytes } from '../../support/damage.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PAGE = 4096;

/** A database with two tables of many pages, and an index of one of them. */
function database(): string {
  const path = join(tempDir(), 'some.sqlite');
  const file = new Database(path);
  file.exec(`CREATE TABLE first (a INTEGER PRIMARY KEY, b TEXT); CREATE TABLE "the ""other""" (a REFERENCES first, b TEXT);
    CREATE INDEX first_by_b ON first (b);
    INSERT INTO first SELECT value, hex(randomblob(200)) FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200) SELECT value FROM n);
    INSERT INTO "the ""other""" SELECT a, b FROM first;`);
  file.close();
  return path;
}

describe('the pages of a database', () => {
  it('are whole after writing', () => {
    const path = database();
    expect([lookAtPages(path), lookAtPages(path, 'thorough')]).toEqual([{ kind: 'whole' }, { kind: 'whole' }]);
  });

  it.each([
    ['a table', 'first', /^in first: /],
    ['an index, as part of its table', 'first_by_b', /^in first: /],
    ['a table with quotes in its name', 'the "other"', /^in the "other": /],
  ])('are damaged, naming the table: %s', (_words, name, reason) => {
    const path = database();
    damageTable(path, name);
    expect(lookAtPages(path)).toEqual({ kind: 'damaged', reason: expect.stringMatching(reason) });
  });

  it.each([1, 2, 3])('are damaged if the start of a page is, in quarter %s of the file', (quarter) => {
    const path = database();
    const pages = new Database(path, { readonly: true }).pragma('page_count', { simple: true }) as number;
    flipBytes(path, Math.floor((pages * quarter) / 4) * PAGE, 8);
    expect(lookAtPages(path).kind).toBe('damaged');
  });

  it('are damaged for a thorough look if an index misses rows of its table', () => {
    const path = database();
    const file = new Database(path);
    file.unsafeMode();
    file.pragma('writable_schema = ON');
    file.exec("UPDATE sqlite_schema SET sql = 'CREATE INDEX first_by_b ON first (a)' WHERE name = 'first_by_b'");
    file.close();
    expect(lookAtPages(path)).toEqual({ kind: 'whole' });
    expect(lookAtPages(path, 'thorough')).toMatchObject({ kind: 'damaged' });
  });

  it('are damaged for a thorough look if a row refers to a missing one', () => {
    const path = database();
    const file = new Database(path);
    file.pragma('foreign_keys = OFF');
    file.exec('DELETE FROM first WHERE a = 7');
    file.close();
    expect(lookAtPages(path, 'thorough')).toEqual({
      kind: 'damaged',
      reason: 'rows of the "other" refer to missing rows',
    });
  });

  it('are unreadable if the file is missing', () => {
    expect(lookAtPages(join(tempDir(), 'none.sqlite')).kind).toBe('unreadable');
  });
});
