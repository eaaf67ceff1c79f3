import type Database from 'better-sqlite3';
import { unreachable } from '../domain/errors.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import type { Column } from '../gaql/check/column.ts';
import type { QueryFile } from '../gaql/query-file.ts';

/** The account's column, first in every query's table. */
export const CUSTOMER_COLUMN = 'customer_id';
export const DATE_COLUMN = 'date';
/**
 * Numbers the rows of a table in the order they were loaded; a number is given once and never again. Not published. No
 * column of a query can have the name: theirs begin with a letter.
 */
export const ROW_COLUMN = '_row';

/** A name as SQL takes it, whatever it holds. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A column's type in the state file's STRICT tables. */
export function storageType(type: DataType): 'INTEGER' | 'REAL' | 'TEXT' {
  switch (type) {
    case 'INT64':
    case 'BOOLEAN':
      return 'INTEGER';
    case 'DOUBLE':
      return 'REAL';
    case 'STRING':
    case 'ENUM':
    case 'DATE':
    case 'RESOURCE_NAME':
    case 'DATE_TIME':
    case 'MESSAGE':
      return 'TEXT';
    default:
      return unreachable(type);
  }
}

export function hasDays({ columns }: Pick<QueryFile, 'columns'>): boolean {
  return columns.some(({ name }) => name === DATE_COLUMN);
}

/** What is remembered of a table's columns between runs. */
export type StoredColumn = Pick<Column, 'name' | 'type' | 'field' | 'role'>;

/** The shape of a query's table. */
export interface TableShape {
  readonly name: string;
  /** All but the account's. */
  readonly columns: readonly StoredColumn[];
  /** The columns that tell rows apart, in the order of the table; empty where they cannot be told apart. */
  readonly key: readonly string[];
}

/**
 * With a key the rows lie in its order, the account and the day first, so that a day's new rows are appended at one
 * place whatever the table's size. Without one the rows are as they came, duplicates too.
 */
export function createTable({ name, columns, key }: TableShape): string {
  const table = `main.${identifier(name)}`;
  const isKey = (column: string) => key.includes(column);
  const byName = new Map(columns.map((column) => [column.name, column]));
  const inOrder = [
    ...key.flatMap((part) => byName.get(part) ?? []),
    ...columns.filter((column) => !isKey(column.name)),
  ];
  const declared = [
    `${CUSTOMER_COLUMN} INTEGER NOT NULL`,
    // A row without its day would be of no slice, and stay for good.
    ...inOrder.map(
      (column) => `${declare(column)}${isKey(column.name) || column.name === DATE_COLUMN ? ' NOT NULL' : ''}`,
    ),
  ];
  if (key.length > 0) {
    const primary = `PRIMARY KEY (${key.map(identifier).join(', ')})`;
    return `CREATE TABLE ${table} (${declared.join(', ')}, ${ROW_COLUMN} INTEGER NOT NULL, ${primary}) STRICT, WITHOUT ROWID`;
  }
  const indexed = byName.has(DATE_COLUMN) ? `${CUSTOMER_COLUMN}, ${DATE_COLUMN}` : CUSTOMER_COLUMN;
  return `CREATE TABLE ${table} (${declared.join(', ')}, ${ROW_COLUMN} INTEGER PRIMARY KEY) STRICT;
    CREATE INDEX main.${identifier(`ix_${name}`)} ON ${identifier(name)} (${indexed})`;
}

export function declare({ name, type }: StoredColumn): string {
  return `${identifier(name)} ${storageType(type)}`;
}

/** The columns that the query's table has from earlier queries, and this one does not fill. */
export function formerColumns(connection: Database.Database, { name, columns }: QueryFile): string[] {
  const filled = new Set([CUSTOMER_COLUMN, ROW_COLUMN, ...columns.map((column) => column.name)]);
  return heldColumns(connection, name).filter((column) => !filled.has(column));
}

/** The names of all columns of a table; none where there is no such table. */
export function heldColumns(connection: Database.Database, table: string): string[] {
  const rows = connection.pragma(`main.table_info(${identifier(table)})`) as { readonly name: string }[];
  return rows.map(({ name }) => name);
}

/** What a key's column holds where a row has no value: a key cannot hold NULL. An id has none: such a row is refused. */
export function absentKeyValue({ type, role }: StoredColumn): string | undefined {
  if (role !== 'segment' || type === 'DATE') return undefined;
  return storageType(type) === 'TEXT' ? "''" : '0';
}
