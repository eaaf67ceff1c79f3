import type { Column } from './column.ts';

export interface PublishedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** Columns of the key, which are never NULL. Empty if rows have no key. */
  readonly key: readonly string[];
  /**
   * SQL that follows the SELECT list. It sorts by key. Default: all rows of the table with this name in the state file.
   */
  readonly from?: string;
  /** True if rows never change. A new publication then only adds rows with higher keys. */
  readonly grows?: boolean;
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
