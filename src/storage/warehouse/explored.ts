import type { Span } from '../../domain/diagnostic.ts';

/** An integer is text, because JSON rounds large integers. A long text is cut. Binary data has only its size. */
export type ExploredValue = null | string | number | { readonly integer: string } | { readonly bytes: number };

export interface ExploredRows {
  readonly kind: 'rows';
  readonly columns: readonly string[];
  /** The first rows. */
  readonly rows: readonly (readonly ExploredValue[])[];
  /** The number of rows that were read. */
  readonly count: number;
  /** False if the SELECT has more rows than the limits allow. */
  readonly isWhole: boolean;
}

export interface ExploreRefusal {
  readonly kind: 'refused';
  readonly problems: readonly string[];
  /** The part of the query that the first problem is about. */
  readonly at?: Span | undefined;
  /** The name of that part, if no table or column has it. */
  readonly unknown?: UnknownName | undefined;
}

export interface UnknownName {
  readonly kind: 'table' | 'column';
  readonly name: string;
}

export const placed = ({ start }: Span, words: string): string =>
  `Line ${start.line}, column ${start.column}: ${words}`;

/** One SELECT that has begun. Integers are bigint. */
export interface OpenSelect {
  readonly kind: 'open';
  readonly columns: readonly string[];
  readonly rows: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>;
  /** The words for an error of the rows. */
  refusedBy(error: unknown): ExploreRefusal;
  close?(): Promise<void>;
}

export interface ExploreLimits {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** The limit of the whole process. */
  readonly memoryBytesMax: number;
}

/** The published file, or the address of a database for a role that only reads. */
export type ExploredPlace = { readonly path: string } | { readonly url: string };

export type FileFormat = 'csv' | 'xlsx' | 'whole_csv' | 'whole_json';

/** The order for a process of its own. For a file, its text follows one line of JSON. */
export interface ExploreOrder {
  readonly place: ExploredPlace;
  readonly timeMs: number;
  readonly sql: string;
  readonly format: 'page' | FileFormat;
  readonly limits: ExploreLimits;
}

/** The first line of the answer to an order of a file. */
export type ExploreHead = ExploreRefusal | { readonly kind: 'file' };
