import type Database from 'better-sqlite3';
import { prepared } from './prepared.ts';

/**
 * The named members of a big JSON object, as text, undefined for what is no JSON. SQLite reads it outside of the heap: a record of a run
 * over a thousand accounts has megabytes of which a page shows some lines.
 */
export function jsonParts(
  connection: Database.Database,
  json: Uint8Array | string,
  names: readonly string[],
): string | undefined {
  const members = names.map((name) => `'${name}', json_extract(text, '$.${name}')`).join(', ');
  const statement = prepared(
    connection,
    `SELECT json_object(${members}) FROM (SELECT CAST(? AS TEXT) AS text)`,
    'values',
  );
  try {
    return statement.get(json) as string;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'SQLITE_ERROR') return undefined;
    throw error;
  }
}
