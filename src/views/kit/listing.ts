import type { Frozen } from '../../domain/frozen.ts';
import { type Column, text, type Use } from './column.ts';

export interface Part<Answer> {
  /** The key of this part in JSON. Undefined if JSON consists only of this list, or omits this part. */
  readonly json?: string | undefined;
  /** True: JSON has one object for this part instead of a list. */
  readonly single?: boolean;
  readonly only?: readonly Use[];
  readonly atMost?: number;
  /** The value of the column `row` that names this part. Undefined if the listing has only one part. */
  readonly row?: string;
  readonly title: string;
  readonly columns: readonly Column<unknown>[];
  readonly rows: (answer: Answer) => readonly unknown[];
  /** The time of a row, in ISO 8601. Outside JSON, parts with times are joined into one list, newest first. */
  readonly at?: (row: unknown) => string;
}

export interface Listing<Answer> {
  readonly name: string;
  readonly about: string;
  /** Keys of columns whose names say enough. The reference page gives them no meaning. */
  readonly evident?: readonly string[];
  readonly parts: readonly Part<Answer>[];
  /** Keys of the columns that come first in CSV and NDJSON. */
  readonly order?: readonly string[] | undefined;
  /** Additional members of the JSON answer. */
  readonly json?: (answer: Answer) => Readonly<Record<string, unknown>>;
  readonly frozen?: (answer: Answer) => Frozen | undefined;
  /** The sentence that people see if every part is empty. Undefined if `before` or `after` contains such a sentence. */
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
  // Safe, because the columns of a part get only rows of the same part.
  return described as Part<Answer>;
}

/** A part whose rows are the member `json` of the answer. JSON uses the same key. */
export function memberPart<Name extends string, Row>(
  json: Name,
  described: Omit<Part<never>, 'json' | 'columns' | 'rows' | 'at'> & { readonly columns: readonly Column<Row>[] },
): Part<{ readonly [Each in Name]: readonly Row[] }> {
  return part({ ...described, json, rows: (answer: { readonly [Each in Name]: readonly Row[] }) => answer[json] });
}

/** A listing with one part. Its JSON is the list itself, without an object around it. */
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
