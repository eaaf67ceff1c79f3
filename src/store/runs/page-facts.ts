import { sql } from 'kysely';
import type { CustomerId } from '../../domain/ids.ts';
import type { StateDb } from '../sqlite/open-state.ts';

/** How old what is known of an account in a query's table is. */
export interface LastRead {
  /** When it was last read, an instant, UTC; undefined where it never was. */
  readonly at: string | undefined;
  /** Why the newest try since then failed; undefined where it did not. */
  readonly failure: string | undefined;
}

/** The newest report that could decide for good: a dry run decides nothing that lasts. */
export async function newestDecidingRun(db: StateDb): Promise<bigint | undefined> {
  const row = await db
    .selectFrom('run')
    .select('id')
    .where('command', '=', 'report')
    .where('dryRun', '=', 0n)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** When an account's rows of a query were last read whole, an instant, UTC, and by which run. */
export interface Reading {
  readonly at: string;
  readonly runId: bigint;
}

/** The last reading of a query in each account, by customer id. */
export async function lastReadings(db: StateDb, query: string): Promise<ReadonlyMap<CustomerId, Reading>> {
  const rows = await db
    .selectFrom('slice')
    .select(['customerId', sql<string>`max(started_at)`.as('at'), sql<bigint>`max(run_id)`.as('runId')])
    .where('query', '=', query)
    .where('state', '=', 'done')
    .groupBy('customerId')
    .execute();
  return new Map(rows.map(({ customerId, at, runId }) => [customerId, { at, runId }]));
}

interface QueryOfAccount {
  readonly query: string;
  readonly customerId: CustomerId;
}

/** Answers for a query and a customer id; of what nobody tried to read with nothing. */
export async function lastReads(db: StateDb): Promise<(query: string, customer: CustomerId) => LastRead> {
  const read = await sql<QueryOfAccount & { readonly at: string }>`
    SELECT query, customer_id, max(at) AS at FROM (
      SELECT query, customer_id, max(read_at) AS at FROM account_day GROUP BY query, customer_id
      UNION ALL SELECT query, customer_id, max(started_at) FROM slice WHERE state = 'done' GROUP BY query, customer_id)
    GROUP BY query, customer_id`.execute(db);
  const tried = await sql<QueryOfAccount & { readonly runId: bigint; readonly failure: string | undefined }>`
    WITH tried AS (SELECT query, customer_id, max(run_id) AS run_id FROM slice
      WHERE state IN ('done', 'failed') GROUP BY query, customer_id)
    SELECT query, customer_id, run_id, max(iif(state = 'failed', coalesce(error, ''), NULL)) AS failure
    FROM slice JOIN tried USING (query, customer_id, run_id) GROUP BY query, customer_id`.execute(db);
  // An account that failed before its first slice was planned has no slice in the run: SQLite takes the row of the maximum.
  const lost = await sql<{ customerId: CustomerId; runId: bigint; state: string; reason: string | undefined }>`
    SELECT customer_id, max(run_id) AS run_id, state, reason FROM run_account
    WHERE state IN ('read', 'failed') GROUP BY customer_id`.execute(db);
  const key = ({ query, customerId }: QueryOfAccount) => `${query} ${customerId}`;
  const readAt = new Map(read.rows.map((row) => [key(row), row.at]));
  const slices = new Map(tried.rows.map((row) => [key(row), row]));
  const accounts = new Map(lost.rows.map((row) => [row.customerId, row]));
  return (query, customer) => {
    const slice = slices.get(`${query} ${customer}`);
    const account = accounts.get(customer);
    const isAccountNewer = account !== undefined && (slice === undefined || account.runId > slice.runId);
    const accountFailure = isAccountNewer && account.state === 'failed' ? account.reason : undefined;
    return {
      at: readAt.get(`${query} ${customer}`),
      failure: accountFailure ?? slice?.failure ?? undefined,
    };
  };
}
