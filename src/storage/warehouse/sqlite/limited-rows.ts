import type Database from 'better-sqlite3';

export interface Computation {
  readonly statePath: string;
  readonly maxRows: number;
}

export class TooManyRows extends Error {}

/** `sql` must be able to end with a LIMIT, so that rows beyond the limit never fill the disk. */
export function createRows(file: Database.Database, table: string, sql: string, { maxRows }: Computation): void {
  file.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} AS ${sql} LIMIT ${maxRows + 1}`);
  const count = file.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number | bigint;
  if (count > maxRows) throw new TooManyRows();
}
