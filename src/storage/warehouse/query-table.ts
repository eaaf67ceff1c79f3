import { unreachable } from '../../domain/errors.ts';
import type { DataType } from '../../language/gaql/catalogue/catalogue.ts';
import { type Column, columnName } from '../../language/gaql/check/column.ts';
import type { StateDb } from '../records/record-store.ts';

export const CUSTOMER_COLUMN = 'customer_id';
export const DATE_COLUMN = 'date';
/** Row numbers in the order of loading. No query column begins with an underscore. */
export const ROW_COLUMN = '_row';

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

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

export type StoredColumn = Pick<Column, 'name' | 'type' | 'field' | 'role'>;

export interface TableShape {
  readonly name: string;
  /** All columns except `customer_id`. */
  readonly columns: readonly StoredColumn[];
  /** The table is sorted by these columns. Empty if the table has no key. */
  readonly key: readonly string[];
}

/** SQL for a missing segment in a key, because a key cannot contain NULL. */
export function absentKeyValue({ type, role }: StoredColumn): string | undefined {
  if (role !== 'segment' || type === 'DATE') return undefined;
  return storageType(type) === 'TEXT' ? "''" : '0';
}

export type StoredField = Omit<StoredColumn, 'role'>;

/** The query file of this table may no longer exist. */
export interface StoredQuery extends Pick<TableShape, 'name' | 'key'> {
  readonly description: string;
  readonly resource: string | undefined;
  /** All columns except `customer_id`. */
  readonly columns: readonly StoredField[];
}

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
      // The first versions did not store the field of a column.
      field: column.field ?? column.name,
    })),
    key: JSON.parse(key) as string[],
  }));
}

export function columnOfField(query: StoredQuery, field: string): StoredField | undefined {
  return query.columns.find((column) => column.field === field || column.field === columnName(field));
}

/** SQL of the columns, those of the key first. A row without a day would belong to no slice, so nothing would remove it. */
export function declaredColumns<Column extends StoredField>(
  { columns, key }: { readonly columns: readonly Column[]; readonly key: readonly string[] },
  declare: (column: Column) => string,
): string[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const inOrder = [
    ...key.flatMap((part) => byName.get(part) ?? []),
    ...columns.filter((column) => !key.includes(column.name)),
  ];
  const isRequired = ({ name }: StoredField) => key.includes(name) || name === DATE_COLUMN;
  return inOrder.map((column) => `${declare(column)}${isRequired(column) ? ' NOT NULL' : ''}`);
}
