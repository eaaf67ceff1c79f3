import type { Column } from './column.ts';

/** Names in the SELECTs of published tables. Each engine has its own. */
export interface SqlNames {
  /** The schema of the records. */
  readonly records: string;
  /** The schema with the rows of queries, from which the published rows are made. */
  readonly stored: string;
  readonly published: string;
  /** A SELECT of `query`, `customer_id` and `date` of days that no run has read, after the first day read. */
  readonly missingDays: string;
}

/** Figures, what happened, or which days there are. */
export type TableGroup = 'statistics' | 'record' | 'calendar';

/** Foreign keys: the referenced table and its key, by the referring columns. Only those that hold in each file. */
export type References = Readonly<Record<string, string>>;

export interface PublishedView {
  readonly name: string;
  /** Default: `record`. */
  readonly group?: TableGroup;
  readonly references?: References;
  readonly description: string;
  readonly columns: readonly Column<never>[];
  /** Empty if the rows have no key. */
  readonly key: readonly string[];
  /** SQL after the SELECT list. Default: the table with this name. */
  readonly from?: (names: SqlNames) => string;
  /** Sorts the rows by key. Default: the columns of the key. */
  readonly order?: string;
  /** True if rows never change. Then a publication only adds rows with higher keys. */
  readonly grows?: boolean;
  /** True if `customer_id` is empty in rows of several accounts. */
  readonly isOfSeveral?: boolean;
  readonly indexes?: readonly { readonly name: string; readonly columns: readonly string[] }[];
}
