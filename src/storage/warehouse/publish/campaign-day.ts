import { sql } from 'kysely';
import { addDays, civilDateAt } from '../../../domain/civil-date.ts';
import { bySql, text } from '../../columns/column.ts';
import type { StateDb } from '../../records/record-store.ts';
import { columnOfField, identifier, type StoredQuery } from '../query-table.ts';
import { ACCOUNT_DAY, HAS_CONVERSIONS, IS_COMPLETE } from './calendar-table.ts';
import { columnIn, type PublishedTable, publishedColumns } from './published-table.ts';

const RECENT_DAYS = 35;

/** The table by day with the most recent clicks is probably the most complete one. */
export async function mostClicked<Query extends StoredQuery>(
  db: StateDb,
  queries: readonly Query[],
  nowMs: number,
): Promise<Query | undefined> {
  let [best] = queries;
  if (queries.length < 2) return best;
  const since = addDays(civilDateAt(nowMs, 'UTC'), -RECENT_DAYS);
  let most = 0;
  for (const query of queries) {
    const column = columnOfField(query, 'metrics.clicks')?.name ?? '';
    const { rows } = await sql<{ clicks: number }>`
      SELECT coalesce(sum(CAST(totals ->> ${sql.lit(column)} AS double precision)), 0) AS clicks FROM account_day
      WHERE query = ${query.name} AND date >= ${since}`.execute(db);
    const clicks = rows[0]?.clicks ?? 0;
    if (clicks > most) {
      best = query;
      most = clicks;
    }
  }
  return best;
}

/**
 * A view on the days of one query, with what people join to them. Each column is one of a table, because SQLite gives
 * an expression in a view no type. Its names have no schema, so that the view works in an attached file, too.
 */
export function campaignDay({ name, columns, sources = [] }: PublishedTable): PublishedTable {
  const [customer, ...rest] = columns.map((column) => ({ ...column, expression: columnIn('day', column.name) }));
  const hasConversions = rest.some((column) => column.name === 'conversions');
  const flags = [IS_COMPLETE, ...(hasConversions ? [HAS_CONVERSIONS] : [])];
  return {
    name: 'v_campaign_day',
    group: 'statistics',
    sources,
    description: `The rows of ${name}, which the report uses, with the account's name and the completeness of the day.`,
    columns: [
      ...(customer ? [customer] : []),
      ...publishedColumns([bySql(text('account_name', 'The name of the account.'), 'account.name')]),
      ...rest,
      ...publishedColumns(flags.map((column) => bySql(column, columnIn(ACCOUNT_DAY, column.key)))),
    ],
    key: [],
    from: `FROM ${identifier(name)} AS day LEFT JOIN account ON account.customer_id = day.customer_id
      LEFT JOIN ${ACCOUNT_DAY} ON ${ACCOUNT_DAY}.query = '${name.replace(/_by_day$/, '')}'
        AND ${ACCOUNT_DAY}.customer_id = day.customer_id AND ${ACCOUNT_DAY}.date = day.date`,
    order: '',
    indexes: [],
  };
}
