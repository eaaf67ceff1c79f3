import { CamelCasePlugin, type UnknownRow } from 'kysely';
import { isIdColumn } from '../column-brands.ts';

/** Translates names, NULL and ids. Not for tables of queries, whose column names are the user's. */
export class StatePlugin extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  /** Changes only column names, NULL and ids. Keeps the inside of values, such as JSON. */
  protected override mapRow(row: UnknownRow): UnknownRow {
    const mapped: UnknownRow = {};
    for (const [column, value] of Object.entries(row)) {
      const name = this.camelCase(column);
      mapped[name] = value === null ? undefined : typeof value === 'bigint' && isIdColumn(name) ? String(value) : value;
    }
    return mapped;
  }
}

/** A row of a left join. In kysely's types it has NULL, but the plugin returns undefined. */
export type AsRead<Row> = {
  readonly [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column];
};

/** Converts a row that kysely did not read. */
export function asRead<Row extends object>(row: Row): AsRead<Row> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as AsRead<Row>;
}
