import { isMoney } from '../../../language/gaql/catalogue/units.ts';
import { CURRENCY, CUSTOMER } from '../../columns/budget-columns.ts';
import { bySql } from '../../columns/column.ts';
import type { SqlNames } from '../../columns/published-view.ts';
import {
  CUSTOMER_COLUMN,
  DATE_COLUMN,
  hasDays,
  identifier,
  type StoredField,
  type StoredQuery,
  storageType,
} from '../query-table.ts';
import {
  columnIn,
  type Describe,
  fieldColumns,
  type PublishedColumn,
  type PublishedTable,
  publishedColumns,
} from './published-table.ts';
import { DAY_GRAIN, type Extent, rowsWithin } from './spans.ts';

export function publishedQuery(
  query: StoredQuery,
  describe: Describe,
  { records, stored }: Pick<SqlNames, 'records' | 'stored'>,
  extent: Extent = 'all',
): PublishedTable {
  const columns = queryColumns(query, describe);
  const priced = columns.some(({ expression }) => expression === ACCOUNT_CURRENCY);
  const key = publishedKey(query);
  const order = (query.key.length > 0 ? query.key : inOrder(query)).map((column) => columnIn('stored', column));
  const account = `LEFT JOIN ${records}.account ON account.customer_id = ${columnIn('stored', CUSTOMER_COLUMN)}`;
  return {
    name: query.name,
    group: 'statistics',
    sources: [{ kind: 'query', name: query.name }],
    references: {
      customer_id: 'account (customer_id)',
      ...(hasDays(query) ? { [DATE_COLUMN]: `dim_calendar (${DATE_COLUMN})` } : {}),
    },
    description: query.description.replaceAll(/\s*\n\s*/g, ' ') || `The rows of the query ${query.name}.`,
    columns,
    key,
    from: `FROM ${rowsWithin(extent, query, DAY_GRAIN, `${stored}.${identifier(query.name)}`, 'stored')} ${priced ? account : ''}`,
    order: order.join(', '),
    // A table with a key needs no index: with statistics, SQLite finds a day without a full scan.
    indexes: key.length > 0 ? [] : [{ name: `ix_${query.name}_by_account`, columns: inOrder(query) }],
  };
}

const ACCOUNT_CURRENCY = 'account.currency';

export function queryColumns(query: StoredQuery, describe: Describe): readonly PublishedColumn[] {
  const fields = query.columns.flatMap((column) => fieldColumns(column, publishedValue(query, column), describe));
  const columns = [...publishedColumns([bySql(CUSTOMER, columnIn('stored', CUSTOMER_COLUMN))]), ...fields];
  const named = columns.some(({ name }) => name === 'currency');
  const priced = columns.some(({ unit }) => isMoney(unit)) && !named;
  return priced ? [...columns, ...publishedColumns([bySql(CURRENCY, ACCOUNT_CURRENCY)])] : columns;
}

function inOrder(query: StoredQuery): string[] {
  return hasDays(query) ? [CUSTOMER_COLUMN, DATE_COLUMN] : [CUSTOMER_COLUMN];
}

/** A missing text segment of a key is '' in the state file and NULL in the published file. */
function publishedValue(query: StoredQuery, column: StoredField): string {
  const value = columnIn('stored', column.name);
  return mayBeEmpty(query, column) ? `nullif(${value}, '')` : value;
}

function mayBeEmpty(query: StoredQuery, { name, type }: StoredField): boolean {
  return query.key.includes(name) && name !== DATE_COLUMN && storageType(type) === 'TEXT';
}

/** Returns an empty key if one of its columns can be NULL. */
export function publishedKey(query: StoredQuery): readonly string[] {
  return query.columns.some((column) => mayBeEmpty(query, column)) ? [] : query.key;
}
