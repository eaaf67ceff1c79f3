import { CUSTOMER_COLUMN, columnOfField, DATE_COLUMN, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { publishedKey } from './published-query.ts';
import { columnIn } from './published-table.ts';

export interface NewestRows {
  readonly query: StoredQuery;
  /** Name of a temporary table with the newest row of each id. */
  readonly table: string;
  /** The account and these columns form the key. */
  readonly ids: readonly string[];
}

/** The column with the row's day. No query column has a name with a space. */
export const SEEN_ON = 'seen on';

/** Returns undefined if the query selects neither `campaign.id` nor `ad_group.id`. */
export function newestRowsOf(query: StoredQuery): NewestRows | undefined {
  const [adGroup, criterion, campaign] = ['ad_group.id', 'ad_group_criterion.criterion_id', 'campaign.id'].map(
    (field) => columnOfField(query, field)?.name,
  );
  // A criterion's id is unique only within its ad group.
  const ids = [adGroup, adGroup && criterion, campaign].flatMap((name) => name ?? []);
  return ids.length === 0 ? undefined : { query, ids, table: `temp.${identifier(`newest of ${query.name}`)}` };
}

export function newestStatement({ query, ids, table }: NewestRows, among = ''): string {
  const dated = hasDays(query);
  const values = [
    columnIn('newest', CUSTOMER_COLUMN),
    // A missing id becomes 0, because the row's other ids are still valid.
    ...ids.map((name) => `coalesce(${columnIn('newest', name)}, 0)`),
    dated ? columnIn('newest', DATE_COLUMN) : lastRead(query.name),
    ...attributesOf(query, ids).map((name) => columnIn('newest', name)),
  ];
  const key = publishedKey(query);
  // Without a key, the row with the highest number is the newest.
  const kept = key.length > 0 ? key : [CUSTOMER_COLUMN, ...(dated ? [DATE_COLUMN] : []), '_rowid_'];
  // The newest rows come first, because OR IGNORE skips later rows with the same ids.
  const order = kept.map((name) => `${name === '_rowid_' ? 'newest._rowid_' : columnIn('newest', name)} DESC`);
  return `INSERT OR IGNORE INTO ${table} SELECT ${values.join(', ')}
    FROM main.${identifier(query.name)} AS newest ${among} ORDER BY ${order.join(', ')}`;
}

export function attributesOf({ columns }: StoredQuery, ids: readonly string[]): string[] {
  const attributes = columns.filter(({ field }) => !/^(metrics|segments)\./.test(field)).map(({ name }) => name);
  return attributes.filter((name) => !ids.includes(name));
}

/** The day (UTC) on which the account was last read, for tables without days. */
function lastRead(query: string): string {
  const name = `'${query.replaceAll("'", "''")}'`;
  return `(SELECT substr(max(slice.ended_at), 1, 10) FROM state.slice
    WHERE slice.query = ${name} AND slice.customer_id = newest.customer_id AND slice.state = 'done')`;
}
