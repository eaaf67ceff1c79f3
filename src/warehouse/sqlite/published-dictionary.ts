import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { withDatabase } from '../../store/sqlite/open-database.ts';

export interface DictionaryRow {
  readonly table: string;
  /** Empty in the row of the table itself. */
  readonly column: string;
  readonly type: string;
  readonly unit: string | null;
  readonly description: string;
}

export interface PublishedDictionary {
  readonly asOf: string;
  readonly rows: readonly DictionaryRow[];
}

/** Undefined if there is no published file. Throws SQLite's error for a file that is not from pacekeeper. */
export function publishedDictionary(path: string): PublishedDictionary | undefined {
  if (!existsSync(path)) return undefined;
  return withDatabase(new Database(path, { readonly: true }), (file) => ({
    asOf: file.prepare('SELECT as_of FROM as_of').pluck().get() as string,
    rows: file
      .prepare(
        'SELECT table_name AS "table", column_name AS "column", type, unit, description FROM data_dictionary ORDER BY table_name, column_name',
      )
      .all() as DictionaryRow[],
  }));
}
