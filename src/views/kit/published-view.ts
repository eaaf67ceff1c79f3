import type { Column } from './column.ts';

export interface PublishedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** Key columns, never NULL. Empty if rows have no key. */
  readonly key: readonly string[];
  /** SQL after the SELECT list, in key order. Default: all rows of the table with this name in the state file. */
  readonly from?: string;
  /** Rows never change, so publishing again only adds rows with greater keys. */
  readonly grows?: boolean;
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
