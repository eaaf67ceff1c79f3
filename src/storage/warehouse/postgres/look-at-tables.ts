import { DICTIONARY } from '../publish/publication-plan.ts';
import { missingMonths, tableOf } from './query-tables.ts';
import { OURS } from './without-views.ts';

export interface LostTables {
  /** Tables of queries, and their months, that the records name. Their rows are lost. */
  readonly tables: readonly string[];
  /** Views that the last publication made. */
  readonly views: readonly string[];
}

/** Finds tables and views that an incomplete restore lost. `namesOf` selects the column `name`. */
export async function lookAtTables(namesOf: (sql: string) => Promise<readonly string[]>): Promise<LostTables> {
  const [dictionary] = await namesOf(PUBLISHED);
  const views = dictionary === undefined ? [] : dictionary === 'lost' ? [DICTIONARY.name] : await namesOf(LOST_VIEWS);
  return { tables: await namesOf(LOST_TABLES), views };
}

const IS_THERE = (name: string) => `to_regclass('warehouse.' || quote_ident(${name}))`;

const LOST_TABLES = `SELECT 'table ' || name AS name FROM pacekeeper.query_table WHERE ${IS_THERE('name')} IS NULL
  UNION ALL SELECT month || ' of table ' || query FROM
    (SELECT DISTINCT query, left(date, 7) AS month FROM pacekeeper.account_day WHERE rows > 0) AS needed
    JOIN pg_class AS dated ON dated.oid = ${IS_THERE('query')} AND dated.relkind = 'p'
    WHERE EXISTS (${missingMonths('dated.oid', 'ARRAY[needed.month]')})`;

/** No row if nothing was published. */
const PUBLISHED = `SELECT coalesce(${IS_THERE(`'${DICTIONARY.name}'`)}::text, 'lost') AS name FROM pacekeeper.publication`;

/** Without its comment, a view counts as somebody else's. */
const LOST_VIEWS = `SELECT DISTINCT table_name AS name FROM ${tableOf(DICTIONARY.name)} LEFT JOIN pg_class ON oid = ${IS_THERE('table_name')}
  WHERE oid IS NULL OR (relkind = 'v' AND NOT starts_with(coalesce(obj_description(oid), ''), '${OURS}')) ORDER BY 1`;
