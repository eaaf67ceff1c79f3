import type { Column } from '../../gaql/check/column.ts';
import type { DeclaredType } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN } from '../query-table.ts';

/** A checked file of `models/`: one SELECT over tables of queries and other models. `models/x.sql` is the table `x`. */
export interface Model {
  readonly name: string;
  readonly description: string;
  readonly sql: string;
  /** All columns. The account's column is included only if the model selects it. */
  readonly columns: readonly ModelColumn[];
  /** The queries whose tables the model reads, directly or through other models. */
  readonly tables: readonly SourceTable[];
  /** The models that this model reads. Each one comes after the models that it needs. */
  readonly models: readonly Model[];
  /** False if the model depends on the time of its computation, for example by `date('now')`. */
  readonly isTimeless: boolean;
  /** True if it names a column of conversions, which arrive days after their clicks, or reads such a model. */
  readonly usesConversions: boolean;
}

export interface ModelColumn extends Column {
  /** Undefined for a computed column: its values decide. */
  readonly declared: DeclaredType | undefined;
  readonly unit: string | undefined;
  readonly meaning: string;
}

/** The table of a query, with its columns as they are published. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly ModelColumn[];
  /** Reads the rows from the state file, attached as `state`. */
  readonly select: string;
  /** True if the query has a LIMIT. */
  readonly isLimited: boolean;
  /** Query fingerprint. Empty for a table whose query file was not checked. */
  readonly text: string;
}

/** A table with one row, the account and the day of {@link selectModel}. */
export const ONE_DAY = 'temp."one day"';

/**
 * The SELECT of a model, in a connection with the state file attached as `state`. With `ofOneDay`, its tables have only
 * the rows of the account and the day in {@link ONE_DAY}. Tables without days have all rows of the account.
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

/** Names hide all tables of the files, so a model cannot read another table by mistake. */
export function withParts(parts: readonly (readonly [name: string, sql: string])[]): string {
  return `WITH ${parts.map(([name, sql]) => `"${name}" AS (${sql}\n)`).join(', ')}`;
}
