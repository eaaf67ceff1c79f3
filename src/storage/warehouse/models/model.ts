import type { Column } from '../../../language/gaql/check/column.ts';
import type { SqlNames } from '../../columns/published-view.ts';
import type { DeclaredType, PublishedTable } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../query-table.ts';

/** A checked SQL file. The file `models/x.sql` becomes the table `x`. */
export interface Model {
  readonly name: string;
  readonly description: string;
  readonly sql: string;
  /** Contains `customer_id` only if the model selects this column. */
  readonly columns: readonly ModelColumn[];
  /** Includes tables that the model reads through other models. */
  readonly tables: readonly SourceTable[];
  /** Models that this model reads, directly or through others, in order of dependency. */
  readonly models: readonly Model[];
  /** False if the result depends on the time of computation, for example because of `date('now')`. */
  readonly isTimeless: boolean;
  /** True if the result depends on conversions, which arrive days after their clicks. */
  readonly usesConversions: boolean;
}

export interface ModelColumn extends Column {
  /** Undefined for a computed column, whose type depends on its values. */
  readonly declared: DeclaredType | undefined;
  readonly unit: string | undefined;
  readonly meaning: string;
  /** As in `PublishedColumn`. */
  readonly micros?: string | undefined;
}

/** The table of a query, with the same columns as in the published file. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly ModelColumn[];
  /** SQL that reads all rows. */
  select(schemas: Schemas): string;
  readonly isLimited: boolean;
  /** The query fingerprint. Empty if the query file was not checked. */
  readonly text: string;
}

/** The schemas in which an engine keeps the rows. */
export type Schemas = Pick<SqlNames, 'records' | 'stored'>;

/** SQL of an account and one of its days. */
export interface OneDay {
  readonly account: string;
  readonly day: string;
}

/** With `oneDay`, the model reads only rows of this account and day. */
export function selectModel({ name, sql, tables, models }: Model, schemas: Schemas, oneDay?: OneDay): string {
  const parts = [
    ...tables.map((table) => [table.name, selectTable(table, schemas, oneDay)] as const),
    ...models.map((model) => [model.name, model.sql] as const),
    [name, sql] as const,
  ];
  return `${withParts(parts)} SELECT * FROM "${name}"`;
}

function selectTable({ select, columns }: SourceTable, schemas: Schemas, oneDay: OneDay | undefined): string {
  if (oneDay === undefined) return select(schemas);
  const hasDays = columns.some(({ name }) => name === DATE_COLUMN);
  const onDay = hasDays ? ` AND ${DATE_COLUMN} = ${oneDay.day}` : '';
  return `SELECT * FROM (${select(schemas)}) AS every WHERE ${CUSTOMER_COLUMN} = ${oneDay.account}${onDay}`;
}

/** The names in the WITH clause hide tables with the same names in the file. */
export function withParts(parts: readonly (readonly [name: string, sql: string])[]): string {
  return `WITH ${parts.map(([name, sql]) => `"${name}" AS (${sql}\n)`).join(', ')}`;
}

export const FAILING_ROWS_MAX = 100;

/** Two statements over the rows that break a test: their number for each account, and the first of them. */
export function failingStatements(
  sql: string,
  { hasAccount, customers }: { readonly hasAccount: boolean; readonly customers: readonly string[] },
): { readonly counts: string; readonly first: string } {
  const account = hasAccount ? CUSTOMER_COLUMN : 'NULL';
  const own = hasAccount ? `WHERE ${CUSTOMER_COLUMN} IN (${customers.join(', ')})` : '';
  const failing = `FROM (${sql}) AS failing ${own}`;
  return {
    counts: `SELECT ${account} AS account, count(*) AS failures ${failing} GROUP BY 1 HAVING count(*) > 0`,
    first: `SELECT * ${failing} LIMIT ${FAILING_ROWS_MAX}`,
  };
}

/** The published table of a model. `declaredBy` finds the type of a computed column, if its values show one. */
export function modelTable(
  { name, description, columns }: Pick<Model, 'name' | 'description' | 'columns'>,
  declaredBy: (column: ModelColumn) => DeclaredType | undefined,
): PublishedTable {
  return {
    name,
    group: 'statistics',
    sources: [{ kind: 'model', name }],
    description: description || `The rows of the model ${name}.`,
    columns: columns.map((column) => ({
      name: column.name,
      declared: column.declared ?? declaredBy(column) ?? TYPES_OF_COMPUTED[column.type] ?? 'DOUBLE',
      expression: identifier(column.name),
      unit: column.unit,
      description: column.meaning,
      micros: column.micros,
    })),
    key: [],
    from: '',
    order: '',
    indexes: [],
  };
}

const TYPES_OF_COMPUTED: Readonly<Record<string, DeclaredType>> = { STRING: 'TEXT', INT64: 'INTEGER' };
