import type { Column } from './column.ts';

export interface PublishedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** Never NULL; empty if rows have no identity. */
  readonly key: readonly string[];
  /** SQL after the SELECT list, in key order. Absent: all rows of the state file's table of this name. */
  readonly from?: string;
  /** Rows never change, so a renewal only adds those beyond the greatest key. */
  readonly grows?: boolean;
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
