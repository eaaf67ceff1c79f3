import { unreachable } from '../domain/errors.ts';
import type { DataType } from '../gaql/catalogue/catalogue.ts';
import { amountColumn } from '../gaql/check/column.ts';
import { CUSTOMER_COLUMN, identifier } from './query-table.ts';

/** A column of the published file. */
export interface PublishedColumn {
  readonly name: string;
  /** BI tools type a column by this declaration, not by its values. */
  readonly declared: string;
  /** What fills it, in terms of the state file's table. */
  readonly expression: string;
}

/** The columns of a query's table as BI tools see them, the account's first. */
export function publishedTable(
  columns: readonly { readonly name: string; readonly type: DataType }[],
): PublishedColumn[] {
  return [
    { name: CUSTOMER_COLUMN, declared: 'INTEGER NOT NULL', expression: CUSTOMER_COLUMN },
    ...columns.flatMap(publishedColumns),
  ];
}

/** A column, and beside integer micros the amount in the account's currency unit, for display. */
function publishedColumns({ name, type }: { name: string; type: DataType }): PublishedColumn[] {
  const own = { name, declared: declaredType(type), expression: identifier(name) };
  const amount = amountColumn(name, type);
  if (amount === undefined) return [own];
  return [own, { name: amount, declared: AMOUNT, expression: amountOf(identifier(name)) }];
}

/** The type of an amount in currency units. */
export const AMOUNT = 'DECIMAL(18,6)';
export const amountOf = (column: string): string => `${column} / 1000000.0`;

function declaredType(type: DataType): string {
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
