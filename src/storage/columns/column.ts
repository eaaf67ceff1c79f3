import type { StateWord } from './state-words.ts';

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

/** `people` means terminal and pages. `rows` means CSV and NDJSON. */
export type Use = 'people' | 'json' | 'rows';

export interface Column<Row> {
  /** Never change a key, because programs depend on it. */
  readonly key: string;
  readonly kind: Kind;
  readonly meaning: string;
  readonly unit?: string | undefined;
  readonly value?: ((row: Row) => unknown) | undefined;
  /** An SQL expression. Default: the SQL column with the name `key`. */
  readonly sql?: string | undefined;
  /** Set if the next version removes the published column: its replacement, such as `use cost_micros`. */
  readonly deprecated?: string | undefined;
  /** People do not see a column without a title. */
  readonly title?: string | undefined;
  /** True if the terminal shows the text on its own line. `lines` also keeps line breaks. */
  readonly long?: boolean | 'lines' | undefined;
  /** The terminal wraps the text instead of cutting the text. */
  readonly wraps?: boolean | undefined;
  /** A narrow terminal drops other columns first. */
  readonly stays?: boolean | undefined;
  readonly only?: readonly Use[] | undefined;
  readonly shown?: ((row: Row) => string | undefined) | undefined;
  /** The value in JSON, if it differs from `value`. */
  readonly nested?: ((row: Row) => unknown) | undefined;
  /** An ISO 4217 code. */
  readonly currency?: ((row: Row) => string | undefined) | undefined;
  /** True if people see the amount rounded to the decimals of the currency. */
  readonly rounded?: boolean | undefined;
  readonly word?: ((row: Row) => StateWord | undefined) | undefined;
  readonly link?: ((row: Row) => string | undefined) | undefined;
  /** The cell of a page, if it shows more than the text. Without `path`, it has no links. */
  readonly page?: ((row: Row, path: string | undefined) => Markup | undefined) | undefined;
  /**
   * A narrow page moves columns into a shared cell with labels: 0 first, 3 never. Default: 2 if it `stays` in
   * a terminal, 0 for long texts, else 1. Among equals, the rightmost moves first.
   */
  readonly importance?: 0 | 1 | 2 | 3 | undefined;
  /** A second, muted line in the cell of a page. */
  readonly note?: ((row: Row, path: string | undefined) => Markup | string | undefined) | undefined;
}

/** Made by `views/html`. */
interface Markup {
  readonly markup: string;
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
export const id = columnOf<string | bigint | number>('id');
/** In micros. Without the option `currency`, the row must have a member `currency`. */
export const money = columnOf<bigint, `${string}_micros`, 'currency' | 'rounded'>('money');
/** In UTC, as ISO 8601. */
export const instant = columnOf<string>('instant');
/** A day in the account's time zone, as `YYYY-MM-DD`. */
export const day = columnOf<string>('day');
export const number = columnOf<number | bigint>('number');
export const count = columnOf<number | bigint>('count');
/** A fraction, such as 0.25 for 25%. */
export const share = columnOf<number>('share');
export const flag = columnOf<boolean>('flag');
export const state = columnOf<string, string, 'word'>('state');
export const list = columnOf<readonly (string | number)[]>('list');
export const json = columnOf<unknown>('json');

export function withoutMicros(key: string): string {
  return key.replace(/_micros$/, '');
}

export function bySql<Row>(column: Column<Row>, sql: string): Column<Row> {
  return { ...column, sql };
}

export function filled<Row>(
  { key, kind, meaning, unit, title, long, wraps, stays }: Column<never>,
  value: (row: Row) => unknown,
  more?: More<Row> & Partial<Pick<Column<Row>, 'meaning'>>,
): Column<Row> {
  return { key, kind, meaning, unit, title, long, wraps, stays, value, ...more };
}
