import type { Frozen } from '../../domain/frozen.ts';
import { type Column, text, type Use } from './column.ts';

export interface Part<Answer> {
  /** The key of this part in JSON. Undefined if JSON is only this list, or does not have this part. */
  readonly json?: string | undefined;
  /** In JSON, the part is one object instead of a list. */
  readonly single?: boolean;
  readonly only?: readonly Use[];
  readonly atMost?: number;
  /** The name of the part in the column `row`. Absent if the listing has only one part. */
  readonly row?: string;
  readonly title: string;
  readonly columns: readonly Column<unknown>[];
  readonly rows: (answer: Answer) => readonly unknown[];
  /** The row's time in ISO 8601. Except in JSON, parts with times become one list, newest first. */
  readonly at?: (row: unknown) => string;
}

export interface Listing<Answer> {
  readonly name: string;
  readonly about: string;
  /** Keys of columns whose names say enough. The reference page gives them no meaning. */
  readonly evident?: readonly string[];
  readonly parts: readonly Part<Answer>[];
  /** These keys are the first columns in CSV and NDJSON. */
  readonly order?: readonly string[] | undefined;
  /** Additional members of the JSON answer. */
  readonly json?: (answer: Answer) => Readonly<Record<string, unknown>>;
  readonly frozen?: (answer: Answer) => Frozen | undefined;
  /** The sentence for people if every part is empty. Not needed if `before` or `after` already says so. */
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
  // A part's columns only get rows of the same part.
  return described as Part<Answer>;
}

/** In JSON, the rows are the member of the answer that `json` names. */
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
