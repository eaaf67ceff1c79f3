import type { Column } from './column.ts';

export interface PublishedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** Columns of the key, which are never NULL. Empty if rows have no key. */
  readonly key: readonly string[];
  /** SQL after the SELECT list, sorted by key. Default: all rows of the state file's table with this name. */
  readonly from?: string;
  /** Rows never change, so a new publication only adds rows with higher keys. */
  readonly grows?: boolean;
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
