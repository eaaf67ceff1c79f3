import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { checkQueryFile } from '../../src/language/gaql/query-file.ts';
import { identifier } from '../../src/storage/warehouse/query-table.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { createQueryTable } from '../../src/storage/warehouse/sqlite/query-tables.ts';
import { type OpenedState, stateIn } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

type Value = string | number | bigint | null;
export type Row = Readonly<Record<string, Value>>;

export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const ACCOUNT = 4081725530n;

/** A state file with one account in euros and Berlin time. */
export async function stateFile(): Promise<OpenedState & { readonly folder: string; readonly published: string }> {
  const folder = tempDir();
  const state = await stateIn(folder);
  onTestFinished(() => state.close());
  state.connection
    .prepare(
      "INSERT INTO account (customer_id, name, currency, time_zone, seen_at) VALUES (?, 'Shop', 'EUR', 'Europe/Berlin', '2026-11-20T12:00:00Z')",
    )
    .run(ACCOUNT);
  return { ...state, folder, published: join(folder, 'warehouse.sqlite') };
}

/** A query's table with its rows: kept by its key where it has one, and with the internal number of each row. */
export function addTable(state: OpenedState, name: string, select: string, rows: readonly Row[]): void {
  const text = select.includes('segments.date') ? `${select} WHERE segments.date DURING LAST_30_DAYS` : select;
  const { query, diagnostics } = checkQueryFile(name, text, { catalogue: loadCatalogue('v25') });
  if (!query) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  createQueryTable(state, query);
  state.connection
    .prepare('INSERT INTO query_table (name, columns, query, description, key, resource) VALUES (?, ?, ?, ?, ?, ?)')
    .run(name, JSON.stringify(query.columns), query.text, query.description, JSON.stringify(query.key), query.resource);
  for (const [index, row] of rows.entries()) {
    const whole: Row = { customer_id: ACCOUNT, ...row, _row: index + 1 };
    const names = Object.keys(whole);
    state.connection
      .prepare(
        `INSERT INTO ${identifier(name)} (${names.map(identifier).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(whole));
  }
}

/** Publishes and opens the file for reading; integers are numbers where they fit and bigints in `exact`. */
export async function publish(state: OpenedState & { readonly published: string }, nowMs = NOW) {
  const { tables } = await publishWarehouse(state, {
    path: state.published,
    nowMs,
    describe: (field) => (field === 'metrics.clicks' ? 'The number of clicks.' : undefined),
  });
  const file = new Database(state.published, { readonly: true });
  onTestFinished(() => void file.close());
  return {
    tables,
    file,
    rows: (sql: string) => file.prepare(sql).all() as Record<string, unknown>[],
    raw: (sql: string) => file.prepare(sql).raw().all() as unknown[][],
    exact: (sql: string) => file.prepare(sql).safeIntegers().raw().all() as unknown[][],
    sqlOf: (name: string) => file.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name) as string,
  };
}
