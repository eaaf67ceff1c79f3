import { sql } from 'kysely';
import { type CivilDate, type DateRange, nextDay } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { RecordStore, StateDb } from '../record-store.ts';
import type { AccountDay } from './account-days.ts';

export interface KnownDays extends DateRange {
  readonly state: KnownState;
}

/** `other_question`: the day was read with an older text of the query. */
type KnownState = AccountDay['state'] | 'other_question';

export interface CoveredAccount {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly timeZone: string | undefined;
  /** Ranges of days that were read, in ascending order. */
  readonly known: readonly KnownDays[];
}

/** One element per query and account. Omits queries without days. */
export async function coveredAccounts(state: RecordStore): Promise<CoveredAccount[]> {
  const accounts = await state.db
    .selectFrom('account')
    .select(['customerId', 'name', 'timeZone'])
    .orderBy('customerId')
    .execute();
  const days = withNewest(state.db)
    .selectFrom('accountDay')
    .innerJoin('newest', 'newest.query', 'accountDay.query')
    .select(['accountDay.query', 'customerId', 'date'])
    .select(({ eb }) =>
      eb
        .case()
        .when('queryText', '=', eb.ref('fingerprint'))
        .then(eb.ref('state'))
        .else('other_question')
        .end()
        .as('known'),
    )
    .orderBy('accountDay.query')
    .orderBy('customerId')
    .orderBy('date');
  const queries = new Map<string, Map<string, KnownDays[]>>();
  let open:
    | { query: string; customer: bigint; known: { from: CivilDate; to: CivilDate; state: KnownState }[] }
    | undefined;
  // Streams the rows, because thousands of accounts have millions of days.
  await state.eachRow(days.compile(), (row) => {
    const [query, customer, date, known] = row as [string, bigint, CivilDate, KnownState];
    if (open?.query !== query || open.customer !== customer) {
      open = { query, customer, known: [] };
      const ofQuery = queries.get(query) ?? new Map<string, KnownDays[]>();
      queries.set(query, ofQuery.set(String(customer), open.known));
    }
    const last = open.known.at(-1);
    if (last?.state === known && nextDay(last.to) === date) last.to = date;
    else open.known.push({ from: date, to: date, state: known });
  });
  return [...queries].flatMap(([query, ofQuery]) =>
    accounts.map((account) => ({ ...account, query, known: ofQuery.get(account.customerId) ?? [] })),
  );
}

function withNewest(db: StateDb) {
  const last = db
    .selectFrom('accountDay')
    .select(({ fn }) => ['query', fn.max('sliceId').as('sliceId')])
    .groupBy('query');
  return db.with(
    (table) => table('newest').materialized(),
    () =>
      db
        .selectFrom(last.as('last'))
        .innerJoin('slice', 'slice.id', 'last.sliceId')
        .select(['last.query', 'slice.queryText as fingerprint']),
  );
}

/** Late corrections by the service: numbers of an ended day that changed later. */
export interface Restatements {
  /** Number of corrected days. */
  readonly days: bigint;
  /** The largest number of days between a day and its correction. */
  readonly lagDays: bigint;
}

/** The keys are `<query> <customer id>`. Compares only results of the same query text. */
export async function restatements({ db }: RecordStore): Promise<Map<string, Restatements>> {
  const { rows } = await sql<Restatements & { query: string; customerId: CustomerId }>`
    SELECT query, customer_id, count(DISTINCT date) AS days, max(days_after) AS lag_days
    FROM (SELECT day_reading.query, day_reading.customer_id, date, days_after,
        lag(days_after) OVER readings AS before,
        day_reading.rows <> lag(day_reading.rows) OVER readings OR totals <> lag(totals) OVER readings AS moved
      FROM day_reading JOIN slice ON slice.id = slice_id
      WINDOW readings AS (
        PARTITION BY day_reading.query, day_reading.customer_id, date, query_text ORDER BY slice_id
      )) AS readings
    WHERE before >= 1 AND moved GROUP BY query, customer_id`.execute(db);
  return new Map(rows.map(({ query, customerId, days, lagDays }) => [`${query} ${customerId}`, { days, lagDays }]));
}

export interface ReadAccount {
  readonly query: string;
  readonly fingerprint: string;
  readonly customerId: CustomerId;
  readonly timeZone: string | undefined;
  /** The account's status at the service, such as ENABLED. Undefined if unknown. */
  readonly status: string | undefined;
  readonly firstDay: CivilDate;
}

export async function readAccounts({ db }: RecordStore): Promise<ReadAccount[]> {
  const read = db
    .selectFrom('accountDay')
    .select(({ fn }) => ['query', 'customerId', fn.min('date').as('firstDay')])
    .groupBy(['query', 'customerId']);
  return withNewest(db)
    .selectFrom(read.as('read'))
    .innerJoin('newest', 'newest.query', 'read.query')
    .innerJoin('account', 'account.customerId', 'read.customerId')
    .select(['read.query', 'fingerprint', 'read.customerId', 'timeZone', 'status', 'firstDay'])
    .orderBy('read.query')
    .orderBy('read.customerId')
    .execute();
}

export interface LastRead {
  /** The time (UTC) of the last successful read. Undefined if the account was never read. */
  readonly at: string | undefined;
  /** Why the newest attempt failed. Undefined if the attempt succeeded. */
  readonly failure: string | undefined;
}

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

/** Time (UTC) and run of the last successful read. */
export interface Reading {
  readonly at: string;
  readonly runId: bigint;
}

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

export async function lastReads(db: StateDb): Promise<(query: string, customer: CustomerId) => LastRead> {
  type Read = LastRead & { query: string; customerId: CustomerId; runId: bigint | undefined };
  const { rows: read } = await sql<Read>`
    WITH tried AS (
      SELECT query, customer_id, max(run_id) AS run_id FROM slice WHERE state IN ('done', 'failed')
      GROUP BY query, customer_id),
    failed AS (
      SELECT query, customer_id, max(coalesce(error, '')) AS failure FROM slice JOIN tried USING (query, customer_id, run_id)
      WHERE state = 'failed' GROUP BY query, customer_id)
    SELECT query, customer_id, max(at) AS at, max(run_id) AS run_id, max(failure) AS failure FROM (
      SELECT query, customer_id, max(started_at) AS at FROM slice WHERE state = 'done' GROUP BY query, customer_id
      UNION ALL
      SELECT query, customer_id, max(read_at) FROM account_day GROUP BY query, customer_id
      UNION ALL
      SELECT query, customer_id, NULL FROM tried) AS read
      LEFT JOIN tried USING (query, customer_id) LEFT JOIN failed USING (query, customer_id)
    GROUP BY query, customer_id`.execute(db);
  // An account that fails early has no slice, so `run_account` is needed too.
  type Reached = { customerId: CustomerId; runId: bigint; failure: string | undefined };
  const { rows: reached } = await sql<Reached>`
    SELECT customer_id, run_id, CASE state WHEN 'failed' THEN reason END AS failure FROM run_account
    WHERE state IN ('read', 'failed') AND (customer_id, run_id) IN (
      SELECT customer_id, max(run_id) FROM run_account WHERE state IN ('read', 'failed') GROUP BY customer_id)`.execute(
    db,
  );
  const reads = new Map(read.map((row) => [`${row.query} ${row.customerId}`, row]));
  const accounts = new Map(reached.map((row) => [row.customerId, row]));
  return (query, customer) => {
    const { at, failure, runId } = reads.get(`${query} ${customer}`) ?? {};
    const account = accounts.get(customer);
    const isAccountNewer = account !== undefined && (runId === undefined || account.runId > runId);
    return { at, failure: (isAccountNewer ? account.failure : undefined) ?? failure };
  };
}
