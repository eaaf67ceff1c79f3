import type Database from 'better-sqlite3';
import type { PublishedView } from '../../views/kit/published-view.ts';
import { CUSTOMER_COLUMN, identifier } from '../query-table.ts';
import type { PublishedColumn } from './published-columns.ts';
import { publishedColumns } from './published-columns.ts';

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

/** Creates the table, fills it from the attached `state` and the tables made before it, and then indexes it. */
export function createTable(file: Database.Database, table: PublishedTable): void {
  file.exec(tableStatement(table));
  fillTable(file, table);
  for (const statement of indexStatements(table)) file.exec(statement);
}

/** Adds the rows of the table. */
export function fillTable(file: Database.Database, { name, columns, from }: PublishedTable): void {
  const values = columns.map(({ expression }) => expression);
  file.exec(`INSERT INTO main.${identifier(name)} SELECT ${values.join(', ')} ${from}`);
}

function tableStatement({ name, columns, key }: PublishedTable): string {
  const declarations = columns.map((column) => {
    const required = column.name === CUSTOMER_COLUMN || key.includes(column.name) ? ' NOT NULL' : '';
    return `${identifier(column.name)} ${column.declared}${required}`;
  });
  const primary = key.length === 0 ? [] : [`PRIMARY KEY (${key.map(identifier).join(', ')})`];
  // Without a rowid the key is the table itself, not an index beside it.
  const kind = key.length === 0 ? '' : ' WITHOUT ROWID';
  return `CREATE TABLE main.${identifier(name)} (${[...declarations, ...primary].join(', ')})${kind}`;
}

function indexStatements({ name, indexes }: PublishedTable): string[] {
  return indexes.map(
    (index) =>
      `CREATE INDEX main.${identifier(index.name)} ON ${identifier(name)} (${index.columns.map(identifier).join(', ')})`,
  );
}
