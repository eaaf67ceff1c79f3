import type { Frozen } from '../../domain/frozen.ts';
import { type Column, text, type Use } from '../../storage/columns/column.ts';

export interface Part<Answer> {
  readonly json?: string | undefined;
  /** True if JSON has one object instead of a list. */
  readonly single?: boolean;
  readonly only?: readonly (Use | 'page')[];
  /** True if people see it first, on a page as a warning. */
  readonly serious?: boolean;
  readonly atMost?: number;
  readonly row?: string;
  readonly title: string;
  readonly columns: readonly Column<unknown>[];
  readonly rows: (answer: Answer) => readonly unknown[];
  /** Returns the time of a row in ISO 8601. */
  readonly at?: (row: unknown) => string;
}

export interface Listing<Answer> {
  readonly name: string;
  readonly about: string;
  /** Columns whose names need no explanation on the reference page. */
  readonly evident?: readonly string[];
  readonly parts: readonly Part<Answer>[];
  readonly order?: readonly string[] | undefined;
  readonly json?: (answer: Answer) => Readonly<Record<string, unknown>>;
  readonly frozen?: (answer: Answer) => Frozen | undefined;
  /** A sentence that people see instead of an empty list. */
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
  return described as Part<Answer>;
}

export function memberPart<Name extends string, Row>(
  json: Name,
  described: Omit<Part<never>, 'json' | 'columns' | 'rows' | 'at'> & { readonly columns: readonly Column<Row>[] },
): Part<{ readonly [Each in Name]: readonly Row[] }> {
  return part({ ...described, json, rows: (answer: { readonly [Each in Name]: readonly Row[] }) => answer[json] });
}

/** The JSON is a list without an object around the list. */
export function oneList<Row>({
  columns,
  ...described
}: Omit<Listing<readonly Row[]>, 'parts'> & { readonly columns: readonly Column<Row>[] }): Listing<readonly Row[]> {
  const rows = (all: readonly Row[]) => all;
  return { ...described, parts: [part({ title: '', columns, rows })] };
}

export function sentences<Answer>(
  title: string,
  lines: (answer: Answer) => readonly string[],
  more: Pick<Part<Answer>, 'serious'> = {},
): Part<Answer> {
  return part({
    ...more,
    only: ['people'],
    title,
    columns: [text('sentence', title, (sentence: string) => sentence, { title, long: true })],
    rows: lines,
  });
}

/** A page shows all that people see in a terminal. */
export function partsFor<Answer>(parts: readonly Part<Answer>[], use: Use | 'page'): Part<Answer>[] {
  const isUsed = ({ only = [use] }: Part<Answer>) => only.includes(use) || (use === 'page' && only.includes('people'));
  return parts.filter(isUsed);
}
