import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { columnName } from '../gaql/check/column.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';
import { DATE_COLUMN } from './query-table.ts';

export interface StoredColumn {
  readonly name: string;
  readonly type: DataType;
  readonly field: string;
}

/** A query's table as the state file remembers it: the query file itself may be gone. */
export interface StoredQuery {
  readonly name: string;
  readonly description: string;
  readonly resource: string | undefined;
  /** Without the account's column. */
  readonly columns: readonly StoredColumn[];
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
    columns: (JSON.parse(columns) as (Omit<StoredColumn, 'field'> & { field?: string })[]).map((column) => ({
      ...column,
      // Tables of the first versions did not remember it.
      field: column.field ?? column.name,
    })),
    key: JSON.parse(key) as string[],
  }));
}

export function isDated({ columns }: StoredQuery): boolean {
  return columns.some(({ name }) => name === DATE_COLUMN);
}

/** The column that holds a field, whatever its alias. */
export function columnOfField(query: StoredQuery, field: string): StoredColumn | undefined {
  return query.columns.find((column) => column.field === field || column.field === columnName(field));
}
