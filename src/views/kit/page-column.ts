import type { Column, Kind } from '../../storage/columns/column.ts';

type More<Row> = Omit<Column<Row>, 'key' | 'kind' | 'meaning' | 'title' | 'value'>;

interface PageColumn<Type> {
  <Row>(title: string, value?: (row: Row) => Type | undefined, more?: More<Row>): Column<Row>;
  <Name extends string, Row extends { readonly [Each in Name]?: Type | undefined }>(
    title: string,
    value: Name,
    more?: More<Row>,
  ): Column<Row>;
}

function ofKind<Type>(kind: Kind): PageColumn<Type> {
  const make = (title: string, value?: string | ((row: never) => unknown), more?: object) => ({
    key: title,
    kind,
    meaning: '',
    title,
    value: typeof value === 'string' ? (row: Readonly<Record<string, unknown>>) => row[value] : value,
    ...more,
  });
  return make as PageColumn<Type>;
}

/** Columns of tables that only pages show. No program reads their keys, and no reference explains them. */
export const onPage = {
  text: ofKind<string>('text'),
  id: ofKind<string | bigint | number>('id'),
  /** In micros. Without `currency`, the row must have a member `currency`. */
  money: ofKind<bigint>('money'),
  instant: ofKind<string>('instant'),
  day: ofKind<string>('day'),
  number: ofKind<number | bigint>('number'),
  count: ofKind<number | bigint>('count'),
  share: ofKind<number>('share'),
  state: ofKind<string>('state'),
  list: ofKind<readonly (string | number)[]>('list'),
};
