import type { StateWord } from '../../text/state-words.ts';

/** The kind decides how terminal, pages and files format the column. */
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

/** `people`: terminal and pages. `json`: JSON. `rows`: CSV and NDJSON. */
export type Use = 'people' | 'json' | 'rows';

export interface Column<Row> {
  /** The name in JSON, CSV, NDJSON and SQL. Never change a name, because programs depend on it. */
  readonly key: string;
  readonly kind: Kind;
  /** One sentence for the reference page and the data dictionary. */
  readonly meaning: string;
  readonly unit?: string | undefined;
  readonly value?: ((row: Row) => unknown) | undefined;
  /** The SQL expression. Default: the SQL column with the name `key`. */
  readonly sql?: string | undefined;
  /** The heading for people. People do not see a column without a title. */
  readonly title?: string | undefined;
  /**
   * True: the terminal shows the text on its own line. `lines`: it also keeps line breaks, with one list entry per
   * line.
   */
  readonly long?: boolean | 'lines' | undefined;
  /** The terminal wraps the text and never cuts it. */
  readonly wraps?: boolean | undefined;
  readonly only?: readonly Use[] | undefined;
  /** The text that people see instead of the value. */
  readonly shown?: ((row: Row) => string | undefined) | undefined;
  /** The value in JSON, if it differs from the value elsewhere. */
  readonly nested?: ((row: Row) => unknown) | undefined;
  /** The currency code, ISO 4217. */
  readonly currency?: ((row: Row) => string | undefined) | undefined;
  /** True: people see the amount rounded to the decimals of its currency. */
  readonly rounded?: boolean | undefined;
  /** For columns of the kind `state`: the word that people see, and its tone. */
  readonly word?: ((row: Row) => StateWord | undefined) | undefined;
  readonly link?: ((row: Row) => string | undefined) | undefined;
}

export function isFor({ title, only }: Pick<Column<never>, 'title' | 'only'>, use: Use): boolean {
  return (only === undefined || only.includes(use)) && (use !== 'people' || title !== undefined);
}

type More<Row> = Omit<Column<Row>, 'key' | 'kind' | 'meaning' | 'value' | 'currency' | 'rounded' | 'word'>;

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
/** An id from a service, which has only digits, or an id of one of our tables. */
export const id = columnOf<string | bigint | number>('id');
/** An amount in micros. Set the option `currency` if the row has no member `currency`. */
export const money = columnOf<bigint, `${string}_micros`, 'currency' | 'rounded'>('money');
/** A time in UTC, as ISO 8601. */
export const instant = columnOf<string>('instant');
/** A day in the account's calendar, as `YYYY-MM-DD`. */
export const day = columnOf<string>('day');
/** A number that is neither an amount nor an id, such as a year. */
export const number = columnOf<number | bigint>('number');
export const count = columnOf<number | bigint>('count');
/** A fraction: 0.25 is 25%. */
export const share = columnOf<number>('share');
export const flag = columnOf<boolean>('flag');
export const state = columnOf<string, string, 'word'>('state');
export const list = columnOf<readonly (string | number)[]>('list');
export const json = columnOf<unknown>('json');

export function withoutMicros(key: string): string {
  return key.replace(/_micros$/, '');
}

/** In SQL, the column gets its value from this expression, in which the tables of the view's `from` are available. */
export function bySql<Row>(column: Column<Row>, sql: string): Column<Row> {
  return { ...column, sql };
}

export function filled<Row>(
  { key, kind, meaning, unit, title, long, wraps }: Column<never>,
  value: (row: Row) => unknown,
  more?: More<Row> & Partial<Pick<Column<Row>, 'meaning'>>,
): Column<Row> {
  return { key, kind, meaning, unit, title, long, wraps, value, ...more };
}
