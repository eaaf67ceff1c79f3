import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordStore } from '../../records/record-store.ts';
import { openState, type StateFile } from '../../records/sqlite/open-state.ts';
import { MOVED_RECORDS, QUERY_TABLES, queryTable, readRows } from '../moved-rows.ts';
import type { PublishedTable } from '../publish/published-table.ts';
import { storedQueries } from '../query-table.ts';
import { sqliteMovedRows } from '../sqlite/moved-rows.ts';
import { tableStatement } from '../sqlite/query-tables.ts';
import { sqliteWarehouse } from '../sqlite/sqlite-warehouse.ts';
import type { Publication } from '../store.ts';
import { postgresMovedRows } from './moved-rows.ts';

/** The records that a published file shows. */
const PUBLISHED = new Set([
  'account',
  'account_day',
  'budget_event',
  'budget_intent',
  'budget_proposal',
  'data_test',
  'day_reading',
  'decision',
  'foreign_change',
  'query_table',
  'run',
  'run_account',
  'run_pacing',
  'run_pacing_day',
  'slice',
  'target',
]);

/** Copies the tables into a temporary state file, from which SQLite writes the published file. */
export async function writeFile(records: RecordStore, publication: Publication): Promise<readonly PublishedTable[]> {
  const folder = mkdtempSync(join(dirname(publication.path), '.publish-'));
  try {
    const copy = await openState(join(folder, 'state.sqlite'));
    try {
      await copyAll(records, copy);
      return await sqliteWarehouse(copy).writeFile(publication);
    } finally {
      await copy.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function copyAll({ db, eachRow }: RecordStore, copy: StateFile): Promise<void> {
  const from = { eachRow, moved: postgresMovedRows(db) };
  const to = sqliteMovedRows(copy);
  // Some tables that others refer to are not copied.
  copy.connection.pragma('foreign_keys = OFF');
  await copy.db.transaction().execute(async (trx) => {
    const tables = MOVED_RECORDS.concat(QUERY_TABLES).filter(({ name }) => PUBLISHED.has(name));
    for (const shape of await storedQueries(db)) {
      copy.connection.exec(tableStatement(shape));
      tables.push(queryTable(shape));
    }
    for (const table of tables) await readRows(from, table, (row) => to.insert(trx, table, [row]));
  });
}
