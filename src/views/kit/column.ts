import type { StateWord } from '../../text/state-words.ts';

/** The kind of a column's values. Each renderer draws each kind in its own way, and knows nothing else of a column. */
export type Kind =
  | 'text'
  | 'id'
  | 'number'
  | 'money'
  | 'instant'
  | 'day'
  | 'count'
  | 'share'
  | 'flag'
  | 'state'
  | 'list'
  | 'json';

/** The readers of a column: people at a terminal or a page, JSON, CSV and NDJSON. */
export type Use = 'people' | 'json' | 'rows';

/** One column of a view: all that is to be said of it, for every renderer. */
export interface Column<Row> {
  /** The name in JSON, CSV, NDJSON and SQL. Names are stable. */
  readonly key: string;
  readonly kind: Kind;
  /** A sentence for the reference page and the data dictionary. */
  readonly meaning: string;
  /** The unit of a number, where the kind does not say it. */
  readonly unit?: string | undefined;
  /** The value; undefined where there is none. Absent for a column that only SQL fills. */
  readonly value?: ((row: Row) => unknown) | undefined;
  /** The SQL that fills it; the column of the same name where absent. */
  readonly sql?: string | undefined;
  /** The head for people; a column without one is for machines. */
  readonly title?: string | undefined;
  /** Of a text: it gets a line of its own in the terminal, and room on a page; `lines` keeps its line breaks, or those between the entries of a list. */
  readonly long?: boolean | 'lines' | undefined;
  /** In the terminal it is wrapped within its column, and never cut. */
  readonly wraps?: boolean | undefined;
  /** Where alone it is shown. */
  readonly only?: readonly Use[] | undefined;
  /** What people read in place of the value. */
  readonly shown?: ((row: Row) => string | undefined) | undefined;
  /** What JSON has in place of the value, where that is more than one value. */
  readonly nested?: ((row: Row) => unknown) | undefined;
  /** Of money: the currency, ISO 4217. */
  readonly currency?: ((row: Row) => string | undefined) | undefined;
  /** Of money: a sum, which people read rounded to the currency's decimals. */
  readonly rounded?: boolean | undefined;
  /** Of a state: its word for people, and how it stands to them. */
  readonly word?: ((row: Row) => StateWord | undefined) | undefined;
  readonly link?: ((row: Row) => string | undefined) | undefined;
}

export function isFor({ title, only }: Pick<Column<never>, 'title' | 'only'>, use: Use): boolean {
  return (only === undefined || only.includes(use)) && (use !== 'people' || title !== undefined);
}

type More<Row> = Omit<Column<Row>, 'key' | 'kind' | 'meaning' | 'value' | 'currency' | 'rounded' | 'word'>;

/** The value of a column: a function, or the name of the property that has it. */
interface ColumnOf<Type, Key extends string = string, Own extends keyof Column<never> = never> {
  <Row>(
    key: Key,
    meaning: string,
    value?: (row: Row) => Type | undefined,
    more?: More<Row> & Pick<Column<Row>, Own>,
  ): Column<Row>;
  <Name extends string, Row extends { readonly [Each in Name]?: Type | undefined }>(
    key: Key,
    meaning: string,
    value: Name,
    more?: More<Row> & Pick<Column<Row>, Own>,
  ): Column<Row>;
}

function columnOf<Type, Key extends string = string, Own extends keyof Column<never> = never>(
  kind: Kind,
): ColumnOf<Type, Key, Own> {
  const make = (key: Key, meaning: string, value?: string | ((row: never) => unknown), more?: object) => ({
    key,
    kind,
    meaning,
    value: typeof value === 'string' ? (row: Readonly<Record<string, unknown>>) => row[value] : value,
    ...more,
  });
  return make as ColumnOf<Type, Key, Own>;
}

export const text = columnOf<string>('text');
/** Digits, or the number of one of our own rows. */
export const id = columnOf<string | bigint | number>('id');
/** Micros; `currency` where the row has none of its own. */
export const money = columnOf<bigint, `${string}_micros`, 'currency' | 'rounded'>('money');
/** UTC, as ISO 8601. */
export const instant = columnOf<string>('instant');
/** `YYYY-MM-DD` of the account's calendar. */
export const day = columnOf<string>('day');
/** A whole number that neither counts nor names: a year. */
export const number = columnOf<number | bigint>('number');
export const count = columnOf<number | bigint>('count');
/** A fraction: 0.25 is 25%. */
export const share = columnOf<number>('share');
export const flag = columnOf<boolean>('flag');
/** A code; `word` is what people read. */
export const state = columnOf<string, string, 'word'>('state');
export const list = columnOf<readonly (string | number)[]>('list');
/** An object or a list of them: JSON for machines, nothing for people. */
export const json = columnOf<unknown>('json');

/** The key of an amount without its unit: `from` of `from_micros`. */
export function withoutMicros(key: string): string {
  return key.replace(/_micros$/, '');
}

/** A column of the published file that an expression over its `from` fills. */
export function bySql<Row>(column: Column<Row>, sql: string): Column<Row> {
  return { ...column, sql };
}

/** The same column, filled in another way. */
export function filled<Row>(
  { key, kind, meaning, unit, title, long, wraps }: Column<never>,
  value: (row: Row) => unknown,
  more?: More<Row> & Partial<Pick<Column<Row>, 'meaning'>>,
): Column<Row> {
  return { key, kind, meaning, unit, title, long, wraps, value, ...more };
}
