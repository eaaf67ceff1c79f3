import { cpSync, existsSync } from 'node:fs';
import Database from 'better-sqlite3';

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
