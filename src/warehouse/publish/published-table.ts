import type { DataType } from '../../gaql/catalogue/catalogue.ts';
import { UNITS, unitOf } from '../../gaql/catalogue/units.ts';
import { amountColumn } from '../../gaql/check/column.ts';
import { type Column, type Kind, withoutMicros } from '../../views/kit/column.ts';
import type { PublishedView } from '../../views/kit/published-view.ts';
import { identifier, type StoredField } from '../query-table.ts';

/**
 * SQL: an instant of the state file, `2026-11-20T08:15:00Z`, as the published file has it, `2026-11-20 08:15:00.000`. SQLAlchemy,
 * RSQLite and JDBC read no other text in a DATETIME column.
 */
function publishedInstant(expression: string): string {
  return `strftime('%Y-%m-%d %H:%M:%f', ${expression})`;
}

/** SQL: the published instant as it stands everywhere else, `2026-11-20T08:15:00Z`. */
export function instantOutside(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%SZ', ${column})`;
}

/** A column of the published file. */
export interface PublishedColumn {
  readonly name: string;
  /** BI tools type a column by this declaration, not by its values. */
  readonly declared: DeclaredType;
  /** What fills it, in SQL over the table's `from`. */
  readonly expression: string;
  /** What a number counts; undefined where there is nothing to say or it is not known. */
  readonly unit?: string | undefined;
  readonly description: string;
}

export type DeclaredType = 'INTEGER' | 'TEXT' | 'DATE' | 'DATETIME' | 'BOOLEAN' | 'DOUBLE' | 'DECIMAL(18,6)';

/** What the catalogue says of a field; undefined where it says nothing. */
export type Describe = (field: string) => string | undefined;

/** Each column is filled by its own SQL, and an amount has the same in units of the currency beside it. */
export function publishedColumns(columns: readonly Column<never>[]): PublishedColumn[] {
  return columns.flatMap(({ key, kind, meaning, unit, sql = key }) => {
    const [declared, ownUnit] = TYPES[kind];
    const expression = kind === 'instant' ? publishedInstant(sql) : sql;
    const own = { name: key, declared, expression, unit: unit ?? ownUnit, description: meaning };
    // A plain name could be a word of SQL: `from`, `to`.
    const amount = key === 'cost_micros' ? 'cost' : `${withoutMicros(key)}_amount`;
    return kind === 'money' ? [own, amountBeside(amount, key, sql)] : [own];
  });
}

/** A selected field's column, and beside integer micros the amount in the account's currency unit, for display. */
export function fieldColumns(column: StoredField, expression: string, describe: Describe): PublishedColumn[] {
  const { name, type, field } = column;
  const description = describe(field) ?? `The field ${field}.`;
  const own = { name, declared: FIELD_TYPES[type], expression, unit: unitOf(field, type), description };
  const amount = amountColumn(name, type);
  return amount === undefined ? [own] : [own, amountBeside(amount, name, expression)];
}

/** The amount that is published beside a column of micros. */
function amountBeside(name: string, micros: string, expression: string): PublishedColumn {
  return {
    name,
    declared: 'DECIMAL(18,6)',
    expression: `${expression} / 1000000.0`,
    unit: UNITS.currency,
    description: `${micros} in units of the currency, for display; sums are exact over ${micros}.`,
  };
}

/** A reference to a column of the table that goes by `alias` in the statement. */
export function columnIn(alias: string, column: string): string {
  return `${alias}.${identifier(column)}`;
}

const TYPES: Readonly<Record<Kind, readonly [declared: DeclaredType, unit?: string]>> = {
  id: ['INTEGER', UNITS.id],
  money: ['INTEGER', UNITS.micros],
  count: ['INTEGER', UNITS.count],
  number: ['INTEGER'],
  share: ['DOUBLE', UNITS.ratio],
  day: ['DATE', UNITS.date],
  instant: ['DATETIME', UNITS.instant],
  flag: ['BOOLEAN', UNITS.flag],
  text: ['TEXT'],
  state: ['TEXT'],
  list: ['TEXT'],
  json: ['TEXT'],
};

const FIELD_TYPES: Readonly<Record<DataType, DeclaredType>> = {
  INT64: 'INTEGER',
  DOUBLE: 'DOUBLE',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  STRING: 'TEXT',
  ENUM: 'TEXT',
  RESOURCE_NAME: 'TEXT',
  DATE_TIME: 'TEXT',
  MESSAGE: 'TEXT',
};

/** A table of the published file: its columns, and the rest of the SELECT that fills it. */
export interface PublishedTable {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly PublishedColumn[];
  /** The primary key, none of it NULL; empty where rows cannot be told apart. */
  readonly key: readonly string[];
  /** What follows the SELECT list. Rows in the order of the key are only appended, which is several times faster. */
  readonly from: string;
  /** Columns of each index beside the key. */
  readonly indexes: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** The view as a table. */
export function publishedTable({ columns, from, indexes = [], ...view }: PublishedView): PublishedTable {
  return { ...view, columns: publishedColumns(columns), from: from ?? fromState(view), indexes };
}

function fromState({ name, key, grows }: Pick<PublishedView, 'name' | 'key' | 'grows'>): string {
  const order = key.join(', ');
  const more = grows === true ? ` WHERE ${order} > coalesce((SELECT max(${order}) FROM main.${name}), 0)` : '';
  return `FROM state.${name}${more} ORDER BY ${order}`;
}
