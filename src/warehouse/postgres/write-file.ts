import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CompiledQuery } from 'kysely';
import type { RecordStore } from '../../store/record-store.ts';
import { RECORD_TABLES } from '../../store/record-tables.ts';
import { openState, type StateFile } from '../../store/sqlite/open-state.ts';
import type { PublishedTable } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, identifier, ROW_COLUMN, storedQueries } from '../query-table.ts';
import { tableStatement } from '../sqlite/query-tables.ts';
import { sqliteWarehouse } from '../sqlite/sqlite-warehouse.ts';
import type { Publication } from '../store.ts';

/** The records that a published file shows. */
const PUBLISHED = new Set([
  'account',
  'account_day',
  'budget_event',
  'budget_intent',
  'budget_proposal',
  'day_reading',
  'decision',
  'foreign_change',
  'query_table',
  'run',
  'run_account',
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

async function copyAll(records: RecordStore, copy: StateFile): Promise<void> {
  copy.connection.pragma('foreign_keys = OFF');
  copy.connection.exec('BEGIN');
  for (const [name, columns] of RECORD_TABLES) {
    if (!PUBLISHED.has(name)) continue;
    await copyTable(records, copy, `pacekeeper.${identifier(name)}`, name, columns);
  }
  for (const { name, key, columns } of await storedQueries(records.db)) {
    copy.connection.exec(tableStatement({ name, key, columns }));
    const names = [CUSTOMER_COLUMN, ...columns.map((column) => column.name), ROW_COLUMN];
    await copyTable(records, copy, `warehouse.${identifier(name)}`, name, names);
  }
  copy.connection.exec('COMMIT');
}

async function copyTable(
  records: RecordStore,
  { connection }: StateFile,
  from: string,
  to: string,
  columns: readonly string[],
): Promise<void> {
  const names = columns.map(identifier).join(', ');
  const insert = connection.prepare(
    `INSERT INTO main.${identifier(to)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  // Events are accepted only in their order.
  const order = to === 'budget_event' ? ' ORDER BY id' : '';
  await records.eachRow(CompiledQuery.raw(`SELECT ${names} FROM ${from}${order}`), (row) => void insert.run(row));
}
