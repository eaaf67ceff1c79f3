import type { Column } from '../../gaql/check/column.ts';
import type { DeclaredType } from '../publish/published-table.ts';

/** A checked file of `models/`: one SELECT over tables of queries and other models. `models/x.sql` is the table `x`. */
export interface Model {
  readonly name: string;
  readonly description: string;
  readonly sql: string;
  /** With the account's column, if it is selected. A computed column has the field {@link COMPUTED}. */
  readonly columns: readonly ModelColumn[];
  /** The queries whose tables it reads, directly or through other models. */
  readonly tables: readonly SourceTable[];
  /** The models that it reads, each after those that it needs. */
  readonly models: readonly Model[];
  /** False if it depends on the time of its computation, such as `date('now')`. */
  readonly isTimeless: boolean;
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

export const COMPUTED = 'computed';
/** A column that may depend on conversions, which arrive days after their clicks. */
export const COMPUTED_OF_CONVERSIONS = 'computed.conversions';

/** The SELECT of a model, in a connection with the state file attached as `state`. */
export function selectModel({ name, sql, tables, models }: Model): string {
  const parts = [
    ...tables.map((table) => [table.name, table.select] as const),
    ...models.map((model) => [model.name, model.sql] as const),
    [name, sql] as const,
  ];
  return `${withParts(parts)} SELECT * FROM "${name}"`;
}

/** Names hide all tables of the files, so a model cannot read another table by mistake. */
export function withParts(parts: readonly (readonly [name: string, sql: string])[]): string {
  return `WITH ${parts.map(([name, sql]) => `"${name}" AS (${sql}\n)`).join(', ')}`;
}
