import type { Column } from '../../gaql/check/column.ts';
import type { DeclaredType } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN } from '../query-table.ts';

/**
 * A checked file of `models/`. It is one SELECT over tables of queries and other models. `models/x.sql` makes the table
 * `x`.
 */
export interface Model {
  readonly name: string;
  readonly description: string;
  readonly sql: string;
  /** All columns. `customer_id` is among them only if the model selects it. */
  readonly columns: readonly ModelColumn[];
  /** The queries whose tables the model reads, directly or through other models. */
  readonly tables: readonly SourceTable[];
  /** The models that this model reads, directly or through others. Each one comes after the models that it reads. */
  readonly models: readonly Model[];
  /** False if the result depends on the time of computation, for example because of `date('now')`. */
  readonly isTimeless: boolean;
  /**
   * True if the model names a column of conversions, or reads a model that does. Conversions arrive days after their
   * clicks.
   */
  readonly usesConversions: boolean;
}

export interface ModelColumn extends Column {
  /** Undefined for a computed column, whose type depends on its values. */
  readonly declared: DeclaredType | undefined;
  readonly unit: string | undefined;
  readonly meaning: string;
}

/** The table of a query, with the same columns as in the published file. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly ModelColumn[];
  /** SQL that reads the rows from the state file, which is attached as `state`. */
  readonly select: string;
  /** True if the query has a LIMIT. */
  readonly isLimited: boolean;
  /** The query fingerprint. Empty if the table's query file was not checked. */
  readonly text: string;
}

/** Name of a table with one row: the account and the day for {@link selectModel}. */
export const ONE_DAY = 'temp."one day"';

/**
 * Returns the SELECT of a model, for a connection with the state file attached as `state`. With `ofOneDay`, the model
 * reads only rows of the account and the day in {@link ONE_DAY}. Tables without days then have all rows of the account.
 */
export function selectModel({ name, sql, tables, models }: Model, ofOneDay = false): string {
  const parts = [
    ...tables.map((table) => [table.name, ofOneDay ? selectOneDay(table) : table.select] as const),
    ...models.map((model) => [model.name, model.sql] as const),
    [name, sql] as const,
  ];
  return `${withParts(parts)} SELECT * FROM "${name}"`;
}

function selectOneDay({ select, columns }: SourceTable): string {
  const hasDays = columns.some(({ name }) => name === DATE_COLUMN);
  const onDay = hasDays ? ` AND ${DATE_COLUMN} = (SELECT day FROM ${ONE_DAY})` : '';
  return `SELECT * FROM (${select}) WHERE ${CUSTOMER_COLUMN} = (SELECT account FROM ${ONE_DAY})${onDay}`;
}

/** Returns a WITH clause. Its names hide all tables of the files, so a model cannot read another table by mistake. */
export function withParts(parts: readonly (readonly [name: string, sql: string])[]): string {
  return `WITH ${parts.map(([name, sql]) => `"${name}" AS (${sql}\n)`).join(', ')}`;
}
