import type Database from 'better-sqlite3';

/** Runs statements without kysely. If the connection is kysely's, they are part of its open transaction. */
export interface Connected {
  readonly connection: Database.Database;
}

/** Maximum of cached statements. A run over many accounts needs fewer. */
const STATEMENTS_MAX = 256;

const caches = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/**
 * Returns a cached statement, because preparing may take longer than running. `columns` returns rows as arrays,
 * `values` returns only the first column.
 */
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
