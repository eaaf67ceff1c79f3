import type Database from 'better-sqlite3';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import { prepared } from '../sqlite/prepared.ts';

/** A piece of a stream as it lies in a query's table: the rows with these numbers are what its bytes say. */
export interface LoadedPiece {
  readonly digest: Uint8Array;
  readonly firstRow: bigint;
  readonly rows: bigint;
}

/** The pieces of the newest load of the query and account, by their digest in hexadecimal. */
export function keptPieces(
  connection: Database.Database,
  query: string,
  customer: CustomerId,
): Map<string, LoadedPiece> {
  const select = 'SELECT digest, first_row, rows FROM loaded_piece WHERE query = ? AND customer_id = ?';
  const rows = prepared(connection, select, 'columns').all(query, customer) as [Buffer, bigint, bigint][];
  return new Map(rows.map(([digest, firstRow, count]) => [digest.toString('hex'), { digest, firstRow, rows: count }]));
}

/** The number of the next row of a query's table. */
export function nextRow(connection: Database.Database, query: string): bigint {
  return prepared(connection, 'SELECT next_row FROM query_table WHERE name = ?', 'values').get(query) as bigint;
}

/** Forgets the pieces of the load before, keeps these, and takes the row numbers below `next` as given. */
export function rememberPieces(
  connection: Database.Database,
  query: string,
  customer: CustomerId,
  pieces: readonly LoadedPiece[],
  next: bigint,
): void {
  prepared(connection, 'DELETE FROM loaded_piece WHERE query = ? AND customer_id = ?').run(query, customer);
  const insert = prepared(connection, 'INSERT OR REPLACE INTO loaded_piece VALUES (?, ?, ?, ?, ?)');
  for (const { digest, firstRow, rows } of pieces) insert.run(query, customer, digest, firstRow, rows);
  prepared(connection, 'UPDATE query_table SET next_row = ? WHERE name = ?').run(next, query);
}

/** Lets the next load of the query and account be done whole. */
export async function forgetPieces(db: StateDb, query: string, customer: CustomerId): Promise<void> {
  await db.deleteFrom('loadedPiece').where('query', '=', query).where('customerId', '=', customer).execute();
}
