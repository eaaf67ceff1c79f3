import { CamelCasePlugin, type UnknownRow } from 'kysely';
import { isIdColumn } from './column-brands.ts';

/** Do not use this plugin for tables that queries fill, because users choose the column names of such tables. */
export class StatePlugin extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  readonly #columns = new Map<string, { readonly name: string; readonly isId: boolean }>();

  /** Does not change anything inside a value, such as keys of JSON. A page has thousands of rows, so this is fast. */
  protected override mapRow(row: UnknownRow): UnknownRow {
    const mapped: UnknownRow = {};
    for (const column in row) {
      const value = row[column];
      const { name, isId } = this.#columns.get(column) ?? this.#learn(column);
      mapped[name] = value === null ? undefined : isId && typeof value === 'bigint' ? String(value) : value;
    }
    return mapped;
  }

  #learn(column: string) {
    const name = this.camelCase(column);
    const known = { name, isId: isIdColumn(name) };
    this.#columns.set(column, known);
    return known;
  }
}

export type AsRead<Row> = {
  readonly [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column];
};

/** Converts a row that was read without kysely: null becomes undefined. */
export function asRead<Row extends object>(row: Row): AsRead<Row> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as AsRead<Row>;
}
