import { unreachable } from '../domain/errors.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { UNITS, unitOf } from '../gaql/catalogue/units.ts';
import { amountColumn } from '../gaql/check/column.ts';
import type { DeclaredType, PublishedColumn } from './published-table.ts';
import { CUSTOMER_COLUMN, identifier } from './query-table.ts';
import type { StoredColumn } from './stored-query.ts';

/** What the catalogue says of a field; undefined where it says nothing. */
export type Describe = (field: string) => string | undefined;

/** The account's column, which begins every table. */
export function customerColumn(expression: string): PublishedColumn {
  return {
    name: CUSTOMER_COLUMN,
    declared: 'INTEGER',
    expression,
    unit: UNITS.id,
    description: 'The account.',
  };
}

/** A selected field's column, and beside integer micros the amount in the account's currency unit, for display. */
export function publishedColumns(column: StoredColumn, expression: string, describe: Describe): PublishedColumn[] {
  const { name, type, field } = column;
  const description = describe(field) ?? `The field ${field}.`;
  const own = { name, declared: declaredType(type), expression, unit: unitOf(field, type), description };
  const amount = amountColumn(name, type);
  return amount === undefined ? [own] : [own, amountBeside(amount, name, expression)];
}

/** The amount that is published beside a column of micros. */
export function amountBeside(name: string, micros: string, expression: string): PublishedColumn {
  return {
    name,
    declared: 'DECIMAL(18,6)',
    expression: amountOf(expression),
    unit: UNITS.currency,
    description: `${micros} in units of the currency, for display; sums are exact over ${micros}.`,
  };
}

/** The currency of the row's account, from the join that the table's `from` makes. */
export function currencyColumn(expression: string): PublishedColumn {
  return { name: 'currency', declared: 'TEXT', expression, description: "The account's currency, ISO 4217." };
}

export function amountOf(column: string): string {
  return `${column} / 1000000.0`;
}

/** A reference to a column of the table that goes by `alias` in the statement. */
export function columnIn(alias: string, column: string): string {
  return `${alias}.${identifier(column)}`;
}

export function declaredType(type: DataType): DeclaredType {
  switch (type) {
    case 'INT64':
      return 'INTEGER';
    case 'DOUBLE':
      return 'DOUBLE';
    case 'BOOLEAN':
      return 'BOOLEAN';
    case 'DATE':
      return 'DATE';
    case 'STRING':
    case 'ENUM':
    case 'RESOURCE_NAME':
    case 'DATE_TIME':
    case 'MESSAGE':
      return 'TEXT';
    default:
      return unreachable(type);
  }
}
