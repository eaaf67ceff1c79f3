import { sql } from 'kysely';
import type { CivilDate } from '../domain/civil-date.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { AccountDay } from './day-table.ts';
import type { StateDb } from './open-state.ts';

/** One account's days in a query's table, as the calendar of coverage shows them. */
export interface CoveredAccount {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly timeZone: string | undefined;
  /** In order; a day that is not here is missing. Empty for an account that was never read. */
  readonly days: readonly Pick<AccountDay, 'date' | 'state'>[];
}

/** Every query that keeps days, with every account that is known. */
export async function coveredAccounts(db: StateDb): Promise<CoveredAccount[]> {
  const queries = await db.selectFrom('account_day').select('query').distinct().orderBy('query').execute();
  const accounts = await db
    .selectFrom('account')
    .select(['customer_id', 'name', 'time_zone'])
    .orderBy('customer_id')
    .execute();
  const covered: CoveredAccount[] = [];
  for (const { query } of queries) {
    for (const account of accounts) {
      const days = await db
        .selectFrom('account_day')
        .select(['date', 'state'])
        .where('query', '=', query)
        .where('customer_id', '=', account.customer_id)
        .orderBy('date')
        .execute();
      covered.push({
        query,
        customerId: customerId(String(account.customer_id)),
        name: account.name ?? undefined,
        timeZone: account.time_zone ?? undefined,
        days: days.map(({ date, state }) => ({ date: date as CivilDate, state })),
      });
    }
  }
  return covered;
}

/** How far the days of an account moved after they were over. */
export interface Restatements {
  /** Days whose totals were others at a later reading. */
  readonly days: bigint;
  /** The longest time after which a day still moved, in days on the account's calendar. */
  readonly lagDays: bigint;
}

/** By query and customer id; an account is missing where no day that was over has moved. */
export async function restatements(db: StateDb): Promise<Map<string, Restatements>> {
  const { rows } = await sql<{ query: string; customer_id: bigint; days: bigint; lag: bigint }>`
    SELECT query, customer_id, count(DISTINCT date) AS days, max(days_after) AS lag
    FROM (SELECT query, customer_id, date, days_after,
        lag(days_after) OVER (PARTITION BY query, customer_id, date ORDER BY slice_id) AS before
      FROM day_reading)
    WHERE before >= 1 GROUP BY query, customer_id`.execute(db);
  return new Map(
    rows.map(({ query, customer_id: customer, days, lag }) => [`${query} ${customer}`, { days, lagDays: lag }]),
  );
}
