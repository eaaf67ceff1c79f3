import { unreachable } from '../domain/errors.ts';
import { UNITS } from '../gaql/catalogue/units.ts';
import { type Column, withoutMicros } from '../views/column.ts';
import { amountBeside } from './published-columns.ts';
import { publishedInstant } from './published-instant.ts';
import type { DeclaredType, PublishedColumn, PublishedTable } from './published-table.ts';

/** A table of the published file by the columns of a view. */
export interface PublishedView extends Omit<PublishedTable, 'columns' | 'indexes'> {
  readonly columns: readonly Column<never>[];
}

/** The view as a table: each column is filled by its own SQL, and an amount has the same in units of the currency beside it. */
export function publishedTable({ columns, ...view }: PublishedView): PublishedTable {
  return { ...view, columns: columns.flatMap(publishedColumn), indexes: [] };
}

function publishedColumn({ key, kind, meaning, unit, sql = key }: Column<never>): PublishedColumn[] {
  const { declared, ownUnit } = typeOf(kind);
  const expression = kind === 'instant' ? publishedInstant(sql) : sql;
  const own = { name: key, declared, expression, unit: unit ?? ownUnit, description: meaning };
  return kind === 'money' ? [own, amountBeside(`${withoutMicros(key)}_amount`, key, sql)] : [own];
}

function typeOf(kind: Column<never>['kind']): { readonly declared: DeclaredType; readonly ownUnit?: string } {
  switch (kind) {
    case 'id':
      return { declared: 'INTEGER', ownUnit: UNITS.id };
    case 'money':
      return { declared: 'INTEGER', ownUnit: UNITS.micros };
    case 'count':
      return { declared: 'INTEGER', ownUnit: UNITS.count };
    case 'number':
      return { declared: 'INTEGER' };
    case 'share':
      return { declared: 'DOUBLE', ownUnit: UNITS.ratio };
    case 'day':
      return { declared: 'DATE', ownUnit: UNITS.date };
    case 'instant':
      return { declared: 'DATETIME', ownUnit: UNITS.instant };
    case 'flag':
      return { declared: 'BOOLEAN', ownUnit: UNITS.flag };
    case 'text':
    case 'state':
    case 'list':
    case 'json':
      return { declared: 'TEXT' };
    default:
      return unreachable(kind);
  }
}
