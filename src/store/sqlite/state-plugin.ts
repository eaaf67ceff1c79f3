import { CamelCasePlugin, type UnknownRow } from 'kysely';
import { isIdColumn } from '../column-brands.ts';

/**
 * Translates between SQL and the program: names are camelCase, NULL is undefined, and an id is text in the rows of a result.
 * Never for a query's table: the names in it are the user's.
 */
export class StatePlugin extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  /** In one pass. What is inside a value stays as it is. */
  protected override mapRow(row: UnknownRow): UnknownRow {
    const mapped: UnknownRow = {};
    for (const [column, value] of Object.entries(row)) {
      const name = this.camelCase(column);
      mapped[name] = value === null ? undefined : typeof value === 'bigint' && isIdColumn(name) ? String(value) : value;
    }
    return mapped;
  }
}

/** A row of a left join as the plugin gives it: kysely's types have NULL for a row that is not there. */
export type AsRead<Row> = {
  readonly [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column];
};
