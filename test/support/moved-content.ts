import Database from 'better-sqlite3';

/** They describe a published file, or the making of the tables. */
const OF_FILE = new Set(['publication', 'unpublished_day', 'kysely_migration', 'kysely_migration_lock']);

export const textOf = (row: readonly unknown[]): string =>
  row
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : `${typeof value} ${value}`))
    .join('|');

/** All rows that move, in an order of their own, and the last ids. Without columns such as `run.target`. */
export function contentOf(path: string, without: readonly string[] = []): Record<string, readonly string[]> {
  const file = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  try {
    const names = file.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const tables = names.filter((name) => !OF_FILE.has(name)).sort();
    return Object.fromEntries(
      tables.map((name) => {
        const columns = (file.pragma(`table_info("${name}")`) as { name: string }[])
          .filter((column) => !without.includes(`${name}.${column.name}`))
          .map((column) => `"${column.name}"`);
        const rows = file
          .prepare(`SELECT ${columns.join(', ')} FROM "${name}"`)
          .raw()
          .all() as unknown[][];
        const moved = name === 'sqlite_sequence' ? rows.filter(([of]) => !OF_FILE.has(String(of))) : rows;
        return [name, moved.map(textOf).sort()];
      }),
    );
  } finally {
    file.close();
  }
}
