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
  const daysRead = db.selectFrom('accountDay').select(({ fn }) => ['query', 'customerId', fn.max('readAt').as('at')]);
  const read = await db
    .selectFrom('slice')
    .select(({ fn }) => ['query', 'customerId', fn.max('startedAt').as('at')])
    .where('state', '=', 'done')
    .groupBy(['query', 'customerId'])
    .unionAll(daysRead.groupBy(['query', 'customerId']))
    .execute();
  const tried = await db
    .selectFrom('slice')
    .innerJoin(
      (from) =>
        from
          .selectFrom('slice')
          .select(({ fn }) => ['query', 'customerId', fn.max('runId').as('runId')])
          .where('state', 'in', ['done', 'failed'])
          .groupBy(['query', 'customerId'])
          .as('tried'),
      (join) =>
        join
          .onRef('tried.query', '=', 'slice.query')
          .onRef('tried.customerId', '=', 'slice.customerId')
          .onRef('tried.runId', '=', 'slice.runId'),
    )
    .select(({ fn, eb }) => [
      'slice.query',
      'slice.customerId',
      'slice.runId',
      fn
        .max(
          eb
            .case()
            .when('state', '=', 'failed')
            .then(fn.coalesce('error', eb.val('')))
            .end(),
        )
        .as('failure'),
    ])
    .groupBy(['slice.query', 'slice.customerId', 'slice.runId'])
    .execute();
  // An account that failed before its first slice was planned has no slice in the run.
  const reached = await db
    .selectFrom('runAccount')
    .select(['customerId', 'runId', 'state', 'reason'])
    .where('state', 'in', ['read', 'failed'])
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('customerId', 'runId'),
        'in',
        selectFrom('runAccount as newest')
          .select(({ fn }) => ['newest.customerId', fn.max('newest.runId').as('runId')])
          .where('newest.state', 'in', ['read', 'failed'])
          .groupBy('newest.customerId')
          .$asTuple('customerId', 'runId'),
      ),
    )
    .execute();
  const key = ({ query, customerId }: QueryOfAccount) => `${query} ${customerId}`;
  const readAt = new Map<string, string>();
  for (const { at, ...row } of read) {
    const before = readAt.get(key(row));
    if (at !== undefined && (before === undefined || at > before)) readAt.set(key(row), at);
  }
  const slices = new Map(tried.map((row) => [key(row), row]));
  const accounts = new Map(reached.map((row) => [row.customerId, row]));
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
