import { CamelCasePlugin, type UnknownRow } from 'kysely';
import { isIdColumn } from './column-brands.ts';

/**
 * What the state's own tables are called in SQL and what the program calls it. In the rows of a result NULL is undefined, and
 * an id is text. Never for a query's table: the names in it are the user's.
 */
export class StatePlugin extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  protected override mapRow(row: UnknownRow): UnknownRow {
    const mapped = super.mapRow(row);
    for (const [name, value] of Object.entries(mapped)) {
      if (value === null) mapped[name] = undefined;
      else if (typeof value === 'bigint' && isIdColumn(name)) mapped[name] = String(value);
    }
    return mapped;
  }
}
