import type { Frozen } from '../../domain/frozen.ts';
import { type Column, text, type Use } from './column.ts';

/** Rows of one kind in a listing. */
export interface Part<Answer> {
  /** Its name in the JSON answer; absent where the answer is this list alone, or has no such part. */
  readonly json?: string | undefined;
  /** It has one row at most, and JSON has no list of it. */
  readonly single?: boolean;
  /** Where alone it is shown. */
  readonly only?: readonly Use[];
  /** So many of its rows a terminal shows. */
  readonly atMost?: number;
  /** Its name in the column `row`; absent where there is no other part. */
  readonly row?: string;
  /** The heading for people; none where it is empty. */
  readonly title: string;
  readonly columns: readonly Column<unknown>[];
  readonly rows: (answer: Answer) => readonly unknown[];
  /** When it was, as ISO 8601: parts that say so are one list, the newest first, for people and in CSV and NDJSON. */
  readonly at?: (row: unknown) => string;
}

/** What a command lists: described here for every format, and for docs/output.md. */
export interface Listing<Answer> {
  readonly name: string;
  readonly about: string;
  readonly parts: readonly Part<Answer>[];
  /** The first keys of CSV and NDJSON, where the parts do not give their order. */
  readonly order?: readonly string[] | undefined;
  /** Members of the JSON answer beside the parts. */
  readonly json?: (answer: Answer) => Readonly<Record<string, unknown>>;
  /** Told before everything while budgets are frozen. */
  readonly frozen?: (answer: Answer) => Frozen | undefined;
  /** Said to people where every part is empty; absent where the lines above or below say it. */
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
  // Its rows meet no other columns than these.
  return described as Part<Answer>;
}

/** A listing of one kind of rows: its JSON is that list alone. */
export function oneList<Row>({
  columns,
  ...described
}: Omit<Listing<readonly Row[]>, 'parts'> & { readonly columns: readonly Column<Row>[] }): Listing<readonly Row[]> {
  const rows = (all: readonly Row[]) => all;
  return { ...described, parts: [part({ title: '', columns, rows })] };
}

/** A part of sentences below a heading, for people. */
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
