import { closeSync, openSync, readSync, writeSync } from 'node:fs';
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
