import type { Frozen } from '../../domain/frozen.ts';
import { type Column, text, type Use } from './column.ts';

export interface Part<Answer> {
  /** Key in JSON. Undefined if JSON is only this list, or omits this part. */
  readonly json?: string | undefined;
  /** JSON has one object instead of a list. */
  readonly single?: boolean;
  readonly only?: readonly Use[];
  readonly atMost?: number;
  /** Its name in the column `row`. Absent if the listing has only one part. */
  readonly row?: string;
  readonly title: string;
  readonly columns: readonly Column<unknown>[];
  readonly rows: (answer: Answer) => readonly unknown[];
  /** ISO 8601. Dated parts merge into one list, newest first, except in JSON. */
  readonly at?: (row: unknown) => string;
}

export interface Listing<Answer> {
  readonly name: string;
  readonly about: string;
  readonly parts: readonly Part<Answer>[];
  /** The first keys of CSV and NDJSON. */
  readonly order?: readonly string[] | undefined;
  /** Further members of the JSON answer. */
  readonly json?: (answer: Answer) => Readonly<Record<string, unknown>>;
  readonly frozen?: (answer: Answer) => Frozen | undefined;
  /** Shown to people if every part is empty. Absent if `before` or `after` says so. */
  readonly none?: string;
  readonly before?: (answer: Answer) => readonly string[];
  readonly after?: (answer: Answer) => readonly string[];
}

export function part<Answer, Row>(
  described: Omit<Part<Answer>, 'columns' | 'rows' | 'at'> & {
    readonly columns: readonly Column<Row>[];
    readonly rows: (answer: Answer) => readonly Row[];
    readonly at?: (row: Row) => string;
  },
): Part<Answer> {
  // The columns of a part only get rows of the same part.
  return described as Part<Answer>;
}

/** The rows are the member `json` of the answer. */
export function memberPart<Name extends string, Row>(
  json: Name,
  described: Omit<Part<never>, 'json' | 'columns' | 'rows' | 'at'> & { readonly columns: readonly Column<Row>[] },
): Part<{ readonly [Each in Name]: readonly Row[] }> {
  return part({ ...described, json, rows: (answer: { readonly [Each in Name]: readonly Row[] }) => answer[json] });
}

/** JSON is only the list, without an object around it. */
export function oneList<Row>({
  columns,
  ...described
}: Omit<Listing<readonly Row[]>, 'parts'> & { readonly columns: readonly Column<Row>[] }): Listing<readonly Row[]> {
  const rows = (all: readonly Row[]) => all;
  return { ...described, parts: [part({ title: '', columns, rows })] };
}

export function sentences<Answer>(title: string, lines: (answer: Answer) => readonly string[]): Part<Answer> {
  return part({
    only: ['people'],
    title,
    columns: [text('sentence', title, (sentence: string) => sentence, { title, long: true })],
    rows: lines,
  });
}

export function partsFor<Answer>(parts: readonly Part<Answer>[], use: Use): Part<Answer>[] {
  return parts.filter(({ only }) => only === undefined || only.includes(use));
}
