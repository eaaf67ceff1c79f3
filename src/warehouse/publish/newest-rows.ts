import { CUSTOMER_COLUMN, columnOfField, DATE_COLUMN, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { publishedKey } from './published-query.ts';
import { columnIn } from './published-table.ts';

/** The newest row of everything that a query's table names, in a temporary table. */
export interface NewestRows {
  readonly query: StoredQuery;
  /** Its columns are those of the query's table that are no metrics, `customer_id`, and the row's day. */
  readonly table: string;
  /** The columns of the ids that tell its rows apart, with the account. */
  readonly ids: readonly string[];
}

/** The row's day. No column of a query has a space in its name. */
export const SEEN_ON = 'seen on';

/** The newest rows of a query, which are still to be taken; undefined where it names nothing. */
export function newestRowsOf(query: StoredQuery): NewestRows | undefined {
  const [adGroup, criterion, campaign] = ['ad_group.id', 'ad_group_criterion.criterion_id', 'campaign.id'].map(
    (field) => columnOfField(query, field)?.name,
  );
  // A criterion's id is unique only within its ad group.
  const ids = [adGroup, adGroup && criterion, campaign].flatMap((name) => name ?? []);
  return ids.length === 0 ? undefined : { query, ids, table: `temp.${identifier(`newest of ${query.name}`)}` };
}

/** The statement that takes the newest rows; `among` is a join and a condition that say of which. */
export function newestStatement({ query, ids, table }: NewestRows, among = ''): string {
  const dated = hasDays(query);
  const values = [
    columnIn('newest', CUSTOMER_COLUMN),
    // What has no id of its own is kept under 0, which no id is: its campaign is still named.
    ...ids.map((name) => `coalesce(${columnIn('newest', name)}, 0)`),
    dated ? columnIn('newest', DATE_COLUMN) : lastRead(query.name),
    ...attributesOf(query, ids).map((name) => columnIn('newest', name)),
  ];
  const key = publishedKey(query);
  // No column of a query can have this name for the row's number.
  const kept = key.length > 0 ? key : [CUSTOMER_COLUMN, ...(dated ? [DATE_COLUMN] : []), '_rowid_'];
  // Backwards in the order the table is kept in, which is by day: the first row that is not ignored is the newest.
  const order = kept.map((name) => `${name === '_rowid_' ? 'newest._rowid_' : columnIn('newest', name)} DESC`);
  return `INSERT OR IGNORE INTO ${table} SELECT ${values.join(', ')}
    FROM main.${identifier(query.name)} AS newest ${among} ORDER BY ${order.join(', ')}`;
}

export function attributesOf({ columns }: StoredQuery, ids: readonly string[]): string[] {
  const attributes = columns.filter(({ field }) => !/^(metrics|segments)\./.test(field)).map(({ name }) => name);
  return attributes.filter((name) => !ids.includes(name));
}

/** A table without days is a picture of the day on which it was read. */
function lastRead(query: string): string {
  const name = `'${query.replaceAll("'", "''")}'`;
  return `(SELECT substr(max(slice.ended_at), 1, 10) FROM state.slice
    WHERE slice.query = ${name} AND slice.customer_id = newest.customer_id AND slice.state = 'done')`;
}
