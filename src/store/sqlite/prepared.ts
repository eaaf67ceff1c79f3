import type Database from 'better-sqlite3';

/**
 * The connection beneath kysely, for what only SQLite can do and for statements over rows by the million. Inside a
 * transaction of kysely it takes part in that transaction: kysely lends its one connection to nobody else meanwhile.
 */
export interface Connected {
  readonly connection: Database.Database;
}

/** As many as a run over many accounts uses again and again; the least recently used one goes first. */
const STATEMENTS_MAX = 256;

const caches = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/**
 * The statement of that text, prepared once per connection: planning one takes longer than running it on a small account,
 * and what SQLite keeps of it is freed late. Answers `rows` as objects, `columns` as arrays, `values` the first column.
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
