import { closeSync, cpSync, existsSync, openSync, readSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Flips the first bytes of the page that a table, or an index, begins with, as a failing disk does. */
export function damageTable(path: string, name: string): void {
  const file = new Database(path);
  file.pragma('wal_checkpoint(TRUNCATE)');
  const page = file.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name) as
    | number
    | undefined;
  const size = file.pragma('page_size', { simple: true }) as number;
  file.close();
  if (page === undefined) throw new Error(`There is no ${name} in ${path}.`);
  flipBytes(path, (page - 1) * size, 16);
}

/** Each becomes its complement. */
export function flipBytes(path: string, offset: number, count: number): void {
  const descriptor = openSync(path, 'r+');
  try {
    const bytes = Buffer.alloc(count);
    readSync(descriptor, bytes, 0, count, offset);
    writeSync(
      descriptor,
      bytes.map((byte) => byte ^ 0xff),
      0,
      count,
      offset,
    );
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Leaves beside a database what a tool leaves there that was killed while it wrote: a `-wal` with its index, or a hot `-journal`.
 * The database is then as the tool left it, too.
 */
export function leaveBehind(path: string, kind: 'wal' | 'journal'): void {
  const tool = new Database(path);
  // Small enough that SQLite writes to the file within the transaction.
  tool.pragma('cache_size = 1');
  tool.pragma(`journal_mode = ${kind === 'wal' ? 'WAL' : 'DELETE'}`);
  tool.exec(`CREATE TABLE IF NOT EXISTS left_behind (text);
    BEGIN; INSERT INTO left_behind SELECT hex(randomblob(3000)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9))`);
  if (kind === 'wal') tool.exec('COMMIT');
  const endings = ['', '-wal', '-shm', '-journal'].filter((ending) => existsSync(`${path}${ending}`));
  for (const ending of endings) cpSync(`${path}${ending}`, `${path}.kept${ending}`);
  if (tool.inTransaction) tool.exec('ROLLBACK');
  tool.close();
  for (const ending of endings) cpSync(`${path}.kept${ending}`, `${path}${ending}`);
}
