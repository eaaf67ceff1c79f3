import type { Column } from './column.ts';

export interface PublishedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** Empty if the rows have no key. */
  readonly key: readonly string[];
  /** SQL after the SELECT list, sorted by key. Default: the table with this name. */
  readonly from?: string;
  /** True if rows never change. Then a publication only adds rows with higher keys. */
  readonly grows?: boolean;
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
