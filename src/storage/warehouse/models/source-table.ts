import type { FieldRole } from '../../../language/gaql/catalogue/catalogue.ts';
import { ownerOf } from '../../../language/gaql/catalogue/catalogue.ts';
import { amountColumn } from '../../../language/gaql/check/column.ts';
import { publishedQuery, queryColumns } from '../publish/published-query.ts';
import type { Describe, PublishedColumn } from '../publish/published-table.ts';
import { CUSTOMER_COLUMN, identifier, type StoredQuery } from '../query-table.ts';
import type { ModelColumn, SourceTable } from './model.ts';

export function sourceTable(
  query: StoredQuery,
  {
    isLimited = false,
    text = '',
    describe = () => undefined,
  }: Partial<Pick<SourceTable, 'isLimited' | 'text'>> & { readonly describe?: Describe } = {},
): SourceTable {
  return {
    name: query.name,
    columns: queryColumns(query, describe).map((column) => modelColumn(column, query)),
    select(schemas) {
      const { columns, from } = publishedQuery(query, describe, schemas);
      return `SELECT ${columns.map(({ name, expression }) => `${expression} AS ${identifier(name)}`).join(', ')} ${from}`;
    },
    isLimited,
    text,
  };
}

function modelColumn({ name, declared, unit, description }: PublishedColumn, { columns }: StoredQuery): ModelColumn {
  const shown = { name, path: [], declared, unit, meaning: description };
  const stored = columns.find((column) => column.name === name);
  if (stored) return { ...shown, field: stored.field, type: stored.type, role: roleOf(stored.field) };
  const micros = columns.find((column) => amountColumn(column.name, column.type) === name);
  // With the field name of the micros column, the amount would be taken for micros.
  if (micros) return { ...shown, field: `amount.${micros.field}`, type: 'DOUBLE', role: roleOf(micros.field) };
  const isAccount = name === CUSTOMER_COLUMN;
  return {
    ...shown,
    field: isAccount ? 'customer.id' : 'customer.currency_code',
    type: isAccount ? 'INT64' : 'STRING',
    role: 'attribute',
  };
}

function roleOf(field: string): FieldRole {
  const owner = ownerOf(field);
  return owner === 'metrics' ? 'metric' : owner === 'segments' ? 'segment' : 'attribute';
}
