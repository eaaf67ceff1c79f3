import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exploreFile, refusedBy } from '../../../src/storage/warehouse/sqlite/explore-file.ts';
import { smallPublishedFile } from '../../support/small-published-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** The rows, or the words of the refusal. */
function explored(path: string, sql: string): unknown {
  const found = exploreFile(path, sql);
  if (found.kind === 'refused') return found.problems.join('\n');
  try {
    return [...found.rows];
  } catch (error) {
    return refusedBy(error).problems.join('\n');
  }
}

describe('a query of the published file', () => {
  it.each([
    ['exact integers', 'SELECT cost_micros FROM spend ORDER BY date LIMIT 1', [[9007199254740993n]]],
    ['the order of the query', 'SELECT date FROM spend ORDER BY date DESC', [['2026-11-19'], ['2026-11-18']]],
    ['a semicolon and a comment at the end', 'SELECT 1; -- one', [[1n]]],
    ['a semicolon in a text', "SELECT ';' AS mark", [[';']]],
    ['a WITH clause', 'WITH one AS (SELECT 1) SELECT * FROM one', [[1n]]],
    ['a SELECT that closes the bracket around it', 'SELECT 1) UNION ALL SELECT * FROM (SELECT 2', [[1n], [2n]]],
  ])('answers with %s', (_sentence, sql, rows) => {
    expect(explored(smallPublishedFile(tempDir()), sql)).toEqual(rows);
  });

  it('never writes, attaches, or runs anything but one SELECT', () => {
    const path = smallPublishedFile(tempDir());
    const before = digest(path);
    const copy = `${dirname(path)}/copy.sqlite`;
    const statements = [
      'DELETE FROM spend',
      'INSERT INTO spend VALUES (1, 2, 3)',
      'UPDATE spend SET cost_micros = 0',
      'CREATE TABLE more (x)',
      'DROP TABLE spend',
      `ATTACH '${copy}' AS copy`,
      'PRAGMA writable_schema = 1',
      'VACUUM',
      `VACUUM INTO '${copy}'`,
      'BEGIN',
      'EXPLAIN DELETE FROM spend',
    ];
    for (const statement of statements) {
      const open = [
        statement,
        `SELECT 1; ${statement}`,
        `SELECT 1); ${statement}; SELECT (1`,
        `SELECT * FROM (${statement})`,
        `WITH one AS (SELECT 1) ${statement}`,
        // A name that contains an apostrophe must not hide the rest from the check.
        `SELECT 1 AS "'"); ${statement}; SELECT (1 AS "'"`,
      ];
      for (const sql of open) expect([sql, typeof explored(path, sql)]).toEqual([sql, 'string']);
    }
    expect(digest(path)).toBe(before);
    expect(readdirSync(dirname(path))).toEqual(['warehouse.sqlite']);
  });

  it.each([
    ['the path of the file', 'SELECT file FROM pragma_database_list'],
    ['the path, behind a quoted name', `SELECT 1 AS "'", file FROM pragma_database_list WHERE '' = '' AND "'" = 1`],
    ['the path, in a quoted table', 'SELECT file FROM "pragma_database_list"'],
    ['pages of the file', 'SELECT * FROM dbstat'],
    ['pages of the file, written otherwise', 'SELECT * FROM sqlite_dbpage'],
    ['a table of the engine', 'SELECT * FROM fts3tokenize'],
    ['a file of this machine', "SELECT readfile('/etc/passwd')"],
    ['a file to write', "SELECT writefile('/tmp/x', 'x')"],
    ['an editor', "SELECT edit('x')"],
    ['a library', "SELECT load_extension('/tmp/x')"],
    ['code of a tokenizer', "SELECT fts3_tokenizer('x', x'00')"],
    ['a parameter', 'SELECT ?1'],
    ['a named parameter', 'SELECT :x'],
    ['no text', '  -- nothing'],
    ['a NUL', 'SELECT 1 \u0000'],
    ['a text of 1 MB', `SELECT ${'('.repeat(1_000_000)}`],
  ])('does not reach %s, and the words name no path', (_sentence, sql) => {
    const path = smallPublishedFile(tempDir());
    const words = explored(path, sql);
    expect(words).toEqual(expect.stringMatching(/^(Line \d|SQLite refuses|Tables of SQLite)/));
    expect(words).not.toContain(dirname(path));
  });

  it('sees what no check of words sees: each table of the engine is refused', () => {
    expect(explored(smallPublishedFile(tempDir()), "SELECT value FROM json_each('[1]')")).toBe(
      'Tables of SQLite and table functions are refused. Read tables of the file.',
    );
  });

  it('says that a file is missing without its path', () => {
    expect(explored('/nowhere/warehouse.sqlite', 'SELECT 1')).not.toContain('/nowhere');
  });
});
