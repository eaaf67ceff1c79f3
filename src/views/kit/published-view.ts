import type { Column } from './column.ts';

/** A table of the published file about our own records: its columns, and where its rows come from. */
export interface PublishedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** The primary key, none of it NULL; empty where rows cannot be told apart. */
  readonly key: readonly string[];
  /** What follows the SELECT list, in the order of the key; all rows of the state file's table by this name where absent. */
  readonly from?: string;
  /** Its rows are never changed, so that a renewal only adds those beyond the greatest key. */
  readonly grows?: boolean;
  /** Columns of each index beside the key. */
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
