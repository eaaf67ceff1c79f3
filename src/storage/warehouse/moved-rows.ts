import { InvariantError } from '../../domain/errors.ts';
import type { StateDb } from '../records/record-store.ts';
import { RECORD_TABLES } from '../records/record-tables.ts';
import { CUSTOMER_COLUMN, identifier, ROW_COLUMN, type StoredColumn, type TableShape } from './query-table.ts';
import type { Store } from './store.ts';

/** A table of the records, or of a query. */
export interface MovedTable {
  readonly name: string;
  readonly isOfQuery: boolean;
  readonly columns: readonly string[];
  /** Rows are read in the order of these columns. */
  readonly order: readonly string[];
}

/** A store from which, or to which, the records move. */
export interface MovingStore extends Store {
  readonly moved: MovedRows;
}

/** Copies rows from one engine to another. */
export interface MovedRows {
  /** The table in SQL. */
  nameOf(table: MovedTable): string;
  insert(trx: StateDb, table: MovedTable, rows: readonly (readonly unknown[])[]): Promise<void>;
  /** The last id that each table has given to a row. The next id is higher, even if that row is deleted. */
  counters(): Promise<ReadonlyMap<string, bigint>>;
  count(trx: StateDb, counters: ReadonlyMap<string, bigint>): Promise<void>;
}

/** Has a row for each table of a query. */
export const QUERY_TABLES = recordTable('query_table');

/** Other tables refer to rows of these. */
const FIRST = ['run', 'slice', 'budget_intent', 'budget_event', 'alert', 'message'];
/** Two tables describe the publication. The next one makes them anew. */
const ELSEWHERE = new Set(FIRST).add(QUERY_TABLES.name).add('publication').add('unpublished_day');
const OTHERS = Array.from(RECORD_TABLES.keys()).filter((name) => !ELSEWHERE.has(name));

/** In an order that all references allow. */
export const MOVED_RECORDS: readonly MovedTable[] = FIRST.concat(OTHERS).map(recordTable);

function recordTable(name: string): MovedTable {
  const columns = RECORD_TABLES.get(name);
  if (columns === undefined) throw new InvariantError(`There is no table ${name}.`);
  // The audit trail only takes an event that follows the last one.
  return { name, isOfQuery: false, columns, order: columns.filter((column) => column === 'id') };
}

type NamedColumns = Pick<TableShape, 'name' | 'key'> & { readonly columns: readonly Pick<StoredColumn, 'name'>[] };

export function queryTable({ name, columns, key }: NamedColumns): MovedTable {
  return {
    name,
    isOfQuery: true,
    columns: [CUSTOMER_COLUMN, ...columns.map((column) => column.name), ROW_COLUMN],
    order: key.length > 0 ? key : [ROW_COLUMN],
  };
}

/** One row at a time, for tables of any size. */
export function readRows(
  { eachRow, moved }: Pick<MovingStore, 'eachRow' | 'moved'>,
  table: MovedTable,
  take: (row: readonly unknown[]) => Promise<void> | void,
): Promise<void> {
  const order = table.order.length === 0 ? '' : ` ORDER BY ${table.order.map(identifier).join(', ')}`;
  const columns = table.columns.map(identifier).join(', ');
  return eachRow({ sql: `SELECT ${columns} FROM ${moved.nameOf(table)}${order}`, parameters: [] }, take);
}

export async function hasRow(store: MovingStore): Promise<boolean> {
  for (const table of [...MOVED_RECORDS, QUERY_TABLES]) if (await holds(store, table)) return true;
  return false;
}

export async function holds({ moved, eachRow }: MovingStore, table: MovedTable): Promise<boolean> {
  let found = false;
  await eachRow({ sql: `SELECT 1 FROM ${moved.nameOf(table)} LIMIT 1`, parameters: [] }, () => {
    found = true;
  });
  return found;
}
