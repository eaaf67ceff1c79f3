import type { DataType } from '../../../language/gaql/catalogue/catalogue.ts';
import { UNITS, unitOf } from '../../../language/gaql/catalogue/units.ts';
import { amountColumn } from '../../../language/gaql/check/column.ts';
import { type Column, type Kind, withoutMicros } from '../../columns/column.ts';
import type { PublishedView, References, SqlNames, TableGroup } from '../../columns/published-view.ts';
import { identifier, type StoredField } from '../query-table.ts';
import type { Named } from './lineage.ts';

/** The form is `2026-11-20 08:15:00.000`, because some tools cannot read `2026-11-20T08:15:00Z`. */
function publishedInstant(expression: string): string {
  return `strftime('%Y-%m-%d %H:%M:%f', ${expression})`;
}

/** Converts a published time to `2026-11-20T08:15:00Z`. */
export function instantOutside(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%SZ', ${column})`;
}

export interface PublishedColumn {
  readonly name: string;
  /** BI tools take the column's type from this declaration, not from the values. */
  readonly declared: DeclaredType;
  readonly expression: string;
  /** Undefined if the column has no unit, or an unknown unit. */
  readonly unit?: string | undefined;
  readonly description: string;
  /** Set if the next version removes the column: its replacement, such as `use cost_micros`. */
  readonly deprecated?: string | undefined;
  /** The column with the exact amount in micros, for an amount in currency units. */
  readonly micros?: string | undefined;
}

export type DeclaredType = 'INTEGER' | 'TEXT' | 'DATE' | 'DATETIME' | 'BOOLEAN' | 'DOUBLE' | 'DECIMAL(18,6)';

export type Describe = (field: string) => string | undefined;

export function publishedColumns(columns: readonly Column<never>[]): PublishedColumn[] {
  return columns.flatMap(({ key, kind, meaning, unit, deprecated, sql = key }) => {
    const [declared, ownUnit] = TYPES[kind];
    const expression = kind === 'instant' ? publishedInstant(sql) : sql;
    const own = { name: key, declared, expression, unit: unit ?? ownUnit, description: meaning, deprecated };
    // The suffix `_amount` prevents names that are SQL keywords, such as `from` and `to`.
    const amount = key === 'cost_micros' ? 'cost' : `${withoutMicros(key)}_amount`;
    const currency = unit ?? UNITS.currency;
    return kind === 'money'
      ? [{ ...own, unit: `micros of the ${currency}` }, amountBeside(amount, key, sql, currency)]
      : [own];
  });
}

/** A column in micros is followed by a column with the amount in currency units. */
export function fieldColumns(column: StoredField, expression: string, describe: Describe): PublishedColumn[] {
  const { name, type, field } = column;
  const description = describe(field) ?? `The field ${field}.`;
  const own = { name, declared: FIELD_TYPES[type], expression, unit: unitOf(field, type), description };
  const amount = amountColumn(name, type);
  return amount === undefined ? [own] : [own, amountBeside(amount, name, expression)];
}

export function amountBeside(
  name: string,
  micros: string,
  expression: string,
  unit: string = UNITS.currency,
): PublishedColumn {
  return {
    name,
    declared: 'DECIMAL(18,6)',
    expression: `${expression} / 1000000.0`,
    unit,
    description: `${micros} in currency units, for display. For exact sums, use ${micros}.`,
    micros,
  };
}

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

export interface PublishedTable {
  readonly name: string;
  readonly group: TableGroup;
  /** The queries or the model whose rows it has. Undefined for pacekeeper's own records. */
  readonly sources?: readonly Named[];
  readonly description: string;
  readonly columns: readonly PublishedColumn[];
  /** These columns are never NULL. Empty if the table has no key. */
  readonly key: readonly string[];
  readonly references?: References;
  readonly isOfSeveral?: boolean;
  /** SQL after the SELECT list. */
  readonly from: string;
  /** The order of the key, which makes inserting several times faster. Empty if any order will do. */
  readonly order: string;
  readonly indexes: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

export function publishedTable(
  { columns, from, order, group = 'record', indexes = [], ...view }: PublishedView,
  names: SqlNames,
): PublishedTable {
  return {
    ...view,
    group,
    columns: publishedColumns(columns),
    from: from === undefined ? `FROM ${names.records}.${view.name}` : from(names),
    order: order ?? view.key.join(', '),
    indexes,
  };
}

/** Only the rows that a published file lacks. */
export function rowsAfter(table: PublishedTable, { published }: SqlNames): PublishedTable {
  const key = table.key.join(', ');
  const last = `SELECT max(${key}) FROM ${published}.${table.name}`;
  return { ...table, from: `${table.from} WHERE ${key} > coalesce((${last}), 0)` };
}
