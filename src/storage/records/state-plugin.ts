import { CamelCasePlugin, type UnknownRow } from 'kysely';
import { isIdColumn } from './column-brands.ts';

/** Do not use this plugin for tables that queries fill, because users choose the column names of such tables. */
export class StatePlugin extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  /** Does not change anything inside a value, such as keys of JSON. */
  protected override mapRow(row: UnknownRow): UnknownRow {
    const mapped: UnknownRow = {};
    for (const [column, value] of Object.entries(row)) {
      const name = this.camelCase(column);
      mapped[name] = value === null ? undefined : typeof value === 'bigint' && isIdColumn(name) ? String(value) : value;
    }
    return mapped;
  }
}

export type AsRead<Row> = {
  readonly [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column];
};

/** Converts a row that was read without kysely: null becomes undefined. */
export function asRead<Row extends object>(row: Row): AsRead<Row> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as AsRead<Row>;
}
