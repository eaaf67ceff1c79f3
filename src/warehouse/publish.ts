import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { instantText } from '../domain/civil-date.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import type { StateFile } from '../store/open-state.ts';
import { AMOUNT, amountOf, publishedTable } from './published-columns.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from './query-table.ts';

/**
 * Writes `warehouse.sqlite` anew beside the old one and renames it into place: a reader sees the old file or the new one,
 * never a half, and keeps the one it has open. Plain tables, no WAL: the file opens in a folder one cannot write to.
 */
export async function publishWarehouse(state: StateFile, warehousePath: string, nowMs: number): Promise<void> {
  const tables = await state.db.selectFrom('query_table').select(['name', 'columns']).orderBy('name').execute();
  const next = join(dirname(warehousePath), '.warehouse.sqlite.next');
  rmSync(next, { force: true });
  const file = new Database(next);
  try {
    // The file is worth nothing before the rename, so a journal would protect nothing.
    file.pragma('journal_mode = OFF');
    file.pragma('synchronous = OFF');
    file.prepare('ATTACH ? AS state').run(state.path);
    // One transaction: all tables are of the same moment.
    file.exec('BEGIN');
    for (const { name, columns } of tables) publishQueryTable(file, name, JSON.parse(columns));
    for (const statement of OWN_TABLES) file.exec(statement);
    file.prepare(AS_OF).run(instantText(nowMs));
    file.exec('COMMIT');
    file.exec('DETACH state');
    file.pragma('journal_mode = DELETE');
  } finally {
    file.close();
  }
  const descriptor = openSync(next, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  chmodSync(next, 0o644);
  renameSync(next, warehousePath);
}

function publishQueryTable(
  file: Database.Database,
  name: string,
  stored: readonly { name: string; type: DataType }[],
): void {
  const columns = publishedTable(stored);
  const table = identifier(name);
  const declared = columns.map((column) => `${identifier(column.name)} ${column.declared}`);
  file.exec(`CREATE TABLE ${table} (${declared.join(', ')})`);
  const expressions = columns.map(({ expression }) => expression);
  const dated = stored.some((column) => column.name === DATE_COLUMN);
  const order = dated ? `${CUSTOMER_COLUMN}, ${DATE_COLUMN}` : CUSTOMER_COLUMN;
  file.exec(`INSERT INTO main.${table} SELECT ${expressions.join(', ')} FROM state.${table} ORDER BY ${order}`);
  file.exec(`CREATE INDEX ${identifier(`${name}_by_day`)} ON ${table} (${order})`);
}

const OWN_TABLES = [
  'CREATE TABLE as_of (as_of DATETIME, target TEXT)',

  `CREATE TABLE account (customer_id INTEGER PRIMARY KEY, name TEXT, currency TEXT, time_zone TEXT);
   INSERT INTO main.account SELECT customer_id, name, currency, time_zone FROM state.account`,

  `CREATE TABLE run (
     id INTEGER PRIMARY KEY, command TEXT, target TEXT, mode TEXT, dry_run BOOLEAN, state TEXT,
     started_at DATETIME, ended_at DATETIME, accounts INTEGER, rows_read INTEGER, budget_changes INTEGER,
     messages_sent INTEGER, failures INTEGER, error TEXT);
   INSERT INTO main.run SELECT id, command, target, mode, dry_run, state, started_at, ended_at, accounts, rows_read,
     budget_changes, messages_sent, failures, error FROM state.run`,

  `CREATE TABLE budget_change (
     id INTEGER PRIMARY KEY, run_id INTEGER, customer_id INTEGER, budget_id INTEGER, campaign_id INTEGER,
     campaign_name TEXT, currency TEXT, from_micros INTEGER, from_amount ${AMOUNT}, to_micros INTEGER,
     to_amount ${AMOUNT}, rule TEXT, reason TEXT, state TEXT, decided_at DATETIME, changed_at DATETIME);
   INSERT INTO main.budget_change SELECT id, run_id, customer_id, budget_id, campaign_id, campaign_name, currency,
     from_micros, ${amountOf('from_micros')}, to_micros, ${amountOf('to_micros')}, rule, reason, state, created_at,
     updated_at FROM state.budget_intent WHERE state IN ('applied', 'confirmed')`,
];

const AS_OF = 'INSERT INTO main.as_of SELECT ?, (SELECT identity FROM state.target)';
