import { unreachable } from '../domain/errors.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { type Column, columnName } from '../gaql/check/column.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';

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

export function hasDays({ columns }: { readonly columns: readonly { readonly name: string }[] }): boolean {
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

/** What a key's column holds where a row has no value: a key cannot hold NULL. An id has none: such a row is refused. */
export function absentKeyValue({ type, role }: StoredColumn): string | undefined {
  if (role !== 'segment' || type === 'DATE') return undefined;
  return storageType(type) === 'TEXT' ? "''" : '0';
}

export type StoredField = Omit<StoredColumn, 'role'>;

/** A query's table as the state file remembers it: the query file itself may be gone. */
export interface StoredQuery {
  readonly name: string;
  readonly description: string;
  readonly resource: string | undefined;
  /** Without the account's column. */
  readonly columns: readonly StoredField[];
  /** The columns that tell rows apart, in the order in which the rows are kept; empty where they cannot. */
  readonly key: readonly string[];
}

/** Every query table there is, by name. */
export async function storedQueries(db: StateDb): Promise<StoredQuery[]> {
  const rows = await db
    .selectFrom('queryTable')
    .select(['name', 'columns', 'description', 'key', 'resource'])
    .orderBy('name')
    .execute();
  return rows.map(({ name, columns, description, key, resource }) => ({
    name,
    description,
    resource,
    columns: (JSON.parse(columns) as (Omit<StoredField, 'field'> & { field?: string })[]).map((column) => ({
      ...column,
      // Tables of the first versions did not remember it.
      field: column.field ?? column.name,
    })),
    key: JSON.parse(key) as string[],
  }));
}

/** The column that holds a field, whatever its alias. */
export function columnOfField(query: StoredQuery, field: string): StoredField | undefined {
  return query.columns.find((column) => column.field === field || column.field === columnName(field));
}
