import type Database from 'better-sqlite3';
import type { RecordStore } from '../record-store.ts';

/** A connection for statements without kysely. */
export interface Connected {
  readonly connection: Database.Database;
}

/** An open file, for what works below its methods. */
export interface OpenFile extends Connected, Pick<RecordStore, 'path' | 'db'> {}

const STATEMENTS_MAX = 256;

const caches = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** `columns` returns rows as arrays. `values` returns only the first column. */
export function prepared(
  connection: Database.Database,
  sql: string,
  answers: 'rows' | 'columns' | 'values' = 'rows',
): Database.Statement<unknown[]> {
  const cache = caches.get(connection) ?? new Map<string, Database.Statement>();
  caches.set(connection, cache);
  const key = `${answers} ${sql}`;
  const known = cache.get(key);
  const statement = known ?? connection.prepare(sql);
  if (known === undefined && answers === 'columns') statement.raw();
  if (known === undefined && answers === 'values') statement.pluck();
  cache.delete(key);
  cache.set(key, statement);
  if (cache.size > STATEMENTS_MAX) cache.delete(cache.keys().next().value ?? '');
  return statement;
}
