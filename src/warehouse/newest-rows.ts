import type Database from 'better-sqlite3';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from './query-table.ts';
import { columnOfField, isDated, type StoredQuery } from './stored-query.ts';

/** The newest row of everything that a query's table names, in a temporary table. */
export interface NewestRows {
  readonly query: StoredQuery;
  /** Its columns are those of the query's table, `customer_id`, and the row's day. */
  readonly table: string;
}

/** The row's day. No column of a query has a space in its name. */
export const SEEN_ON = 'seen on';

const CAMPAIGN = ['campaign.id'];
const AD_GROUP = ['ad_group.id'];
const CRITERION = ['ad_group.id', 'ad_group_criterion.criterion_id'];

/** Each of the finest things named: what is above a keyword (its ad group, its campaign) has its newest row among theirs. */
function finestIds(query: StoredQuery): readonly string[] | undefined {
  return [CRITERION, AD_GROUP, CAMPAIGN].find((fields) => fields.every((field) => columnOfField(query, field)));
}

/**
 * Takes the newest row of each keyword, ad group or campaign out of a published table, in one pass over it. Undefined
 * for a table that names none.
 */
export function takeNewestRows(file: Database.Database, query: StoredQuery): NewestRows | undefined {
  const ids = finestIds(query)?.map((field) => columnOfField(query, field)?.name ?? '');
  if (ids === undefined) return undefined;
  const table = `temp.${identifier(`newest of ${query.name}`)}`;
  const attributes = query.columns.filter(({ field }) => !/^(metrics|segments)\./.test(field)).map(({ name }) => name);
  const plain = attributes.filter((name) => !ids.includes(name));
  const key = [CUSTOMER_COLUMN, ...ids].map(identifier).join(', ');
  const columns = [CUSTOMER_COLUMN, ...ids, SEEN_ON, ...plain].map(identifier).join(', ');
  // What has no id of its own is kept under 0, which no id is: its campaign is still named.
  const values = ids.map((name) => `coalesce(${identifier(name)}, 0)`);
  const seenOn = isDated(query) ? identifier(DATE_COLUMN) : lastRead(query.name);
  // Backwards by day, in the order the table is kept in: the first row that is not ignored is the newest.
  const order = isDated(query) ? `ORDER BY ${CUSTOMER_COLUMN} DESC, ${DATE_COLUMN} DESC` : '';
  file.exec(`CREATE TEMP TABLE ${identifier(`newest of ${query.name}`)} (${columns}, PRIMARY KEY (${key})) WITHOUT ROWID;
    INSERT OR IGNORE INTO ${table} SELECT ${[CUSTOMER_COLUMN, ...values, seenOn, ...plain.map(identifier)].join(', ')}
      FROM main.${identifier(query.name)} AS newest ${order}`);
  return { query, table };
}

/** A table without days is a picture of the day on which it was read. */
function lastRead(query: string): string {
  const name = `'${query.replaceAll("'", "''")}'`;
  return `(SELECT substr(max(slice.ended_at), 1, 10) FROM state.slice
    WHERE slice.query = ${name} AND slice.customer_id = newest.customer_id AND slice.state = 'done')`;
}
