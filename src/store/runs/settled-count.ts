import { sql } from 'kysely';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateFile } from '../sqlite/open-state.ts';
import { prepared } from '../sqlite/prepared.ts';

/** An account's days in a query's table, by the question that was asked of it last. */
export interface ReadAccount {
  readonly query: string;
  readonly question: string;
  readonly customerId: CustomerId;
  readonly timeZone: string | undefined;
  /** The service's word for its standing, if it says. */
  readonly status: string | undefined;
  /** The first day that was ever read. */
  readonly firstDay: CivilDate;
}

/** Every account of which days were read, per query. */
export async function readAccounts({ db }: StateFile): Promise<ReadAccount[]> {
  return (await SELECT.execute(db)).rows;
}

/** The question of a query is that of its newest slice: SQLite takes `query_text` from the row that has the maximum. */
const SELECT = sql<ReadAccount>`
  WITH newest AS MATERIALIZED (SELECT query, query_text AS question, max(slice_id) FROM account_day GROUP BY query)
  SELECT query, question, account_day.customer_id, time_zone, status, min(date) AS first_day
  FROM account_day JOIN newest USING (query) JOIN account ON account.customer_id = account_day.customer_id
  GROUP BY query, account_day.customer_id`;

/** How many of the days are settled. */
export function countSettled({ connection }: StateFile, account: ReadAccount, { from, to }: DateRange): number {
  const { query, question, customerId: id } = account;
  return Number(prepared(connection, COUNT, 'values').get(query, id, from, to, question));
}

const COUNT = `SELECT count(*) FROM account_day
  WHERE query = ? AND customer_id = ? AND date BETWEEN ? AND ? AND state = 'settled' AND query_text = ?`;
