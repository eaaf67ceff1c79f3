import type { PublishedView } from '../../views/kit/published-view.ts';
import { type PublishedColumn, publishedColumns } from './published-columns.ts';

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
