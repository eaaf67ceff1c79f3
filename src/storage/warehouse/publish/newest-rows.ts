import type { SqlNames } from '../../columns/published-view.ts';
import { CUSTOMER_COLUMN, columnOfField, DATE_COLUMN, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { publishedKey } from './published-query.ts';
import { columnIn } from './published-table.ts';

export interface NewestRows {
  readonly query: StoredQuery;
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
  return ids.length === 0 ? undefined : { query, ids };
}

/** The name of the table that {@link newestColumns} describe. */
export const newestTable = ({ query }: NewestRows): string => identifier(`newest of ${query.name}`);

/** The columns with their values in the rows `newest` of a query's table. The first are the account and the ids. */
export function newestColumns({ query, ids }: NewestRows, { records }: SqlNames): [name: string, value: string][] {
  return [
    [CUSTOMER_COLUMN, columnIn('newest', CUSTOMER_COLUMN)],
    // A missing id becomes 0, because the row's other ids are still valid.
    ...ids.map((name): [string, string] => [name, `coalesce(${columnIn('newest', name)}, 0)`]),
    [SEEN_ON, hasDays(query) ? columnIn('newest', DATE_COLUMN) : lastRead(query.name, records)],
    ...attributesOf(query, ids).map((name): [string, string] => [name, columnIn('newest', name)]),
  ];
}

/** The newest rows come first. Without a key, the row with the highest number is the newest. */
export function newestOrder(query: StoredQuery, number: string): string {
  const key = publishedKey(query);
  const kept = key.length > 0 ? key : [CUSTOMER_COLUMN, ...(hasDays(query) ? [DATE_COLUMN] : [])];
  const values = kept.map((name) => columnIn('newest', name));
  return (key.length > 0 ? values : [...values, `newest.${number}`]).map((value) => `${value} DESC`).join(', ');
}

function attributesOf({ columns }: StoredQuery, ids: readonly string[]): string[] {
  const attributes = columns.filter(({ field }) => !/^(metrics|segments)\./.test(field)).map(({ name }) => name);
  return attributes.filter((name) => !ids.includes(name));
}

/** The day (UTC) on which the account was last read, for tables without days. */
function lastRead(query: string, records: string): string {
  const name = `'${query.replaceAll("'", "''")}'`;
  return `(SELECT substr(max(slice.ended_at), 1, 10) FROM ${records}.slice
    WHERE slice.query = ${name} AND slice.customer_id = newest.customer_id AND slice.state = 'done')`;
}
