import { sql } from 'kysely';
import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { AccountDay } from '../sqlite/account-days.ts';
import { eachRow } from '../sqlite/each-row.ts';
import type { StateDb, StateFile } from '../sqlite/open-state.ts';

/** Days that follow each other in the same state. */
export interface KnownDays extends DateRange {
  readonly state: KnownState;
}

/** What is known of a day that was read; other_question: by what the query asked before it was changed. */
type KnownState = AccountDay['state'] | 'other_question';

/** One account's days in a query's table, as the calendar of coverage shows them. */
export interface CoveredAccount {
  readonly query: string;
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly timeZone: string | undefined;
  /** In order; a day that is not here is missing. Empty for an account that was never read. */
  readonly known: readonly KnownDays[];
}

/** Every query that keeps days, with every account that is known. */
export async function coveredAccounts(state: StateFile): Promise<CoveredAccount[]> {
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
        .when('queryText', '=', eb.ref('question'))
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
  // Row by row: thousands of accounts have millions of days, of which no list is made.
  for (const row of eachRow(state, days.compile())) {
    const [query, customer, date, known] = row as [string, bigint, CivilDate, KnownState];
    if (open?.query !== query || open.customer !== customer) {
      open = { query, customer, known: [] };
      const ofQuery = queries.get(query) ?? new Map<string, KnownDays[]>();
      queries.set(query, ofQuery.set(String(customer), open.known));
    }
    const last = open.known.at(-1);
    if (last?.state === known && nextDay(last.to) === date) last.to = date;
    else open.known.push({ from: date, to: date, state: known });
  }
  return [...queries].flatMap(([query, ofQuery]) =>
    accounts.map((account) => ({ ...account, query, known: ofQuery.get(account.customerId) ?? [] })),
  );
}

/** As `newest`, the question of each query: that of its newest slice. */
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
        .select(['last.query', 'slice.queryText as question']),
  );
}

const NEXT_DAYS = new Map<CivilDate, CivilDate>();

/** The accounts of a file share their days, and a calendar is slow to ask. */
function nextDay(date: CivilDate): CivilDate {
  const known = NEXT_DAYS.get(date);
  if (known !== undefined) return known;
  const next = addDays(date, 1);
  NEXT_DAYS.set(date, next);
  return next;
}

/** How far the days of an account moved after they were over. */
export interface Restatements {
  /** Days whose totals were others at a later reading. */
  readonly days: bigint;
  /** The longest time after which a day still moved, in days on the account's calendar. */
  readonly lagDays: bigint;
}

/**
 * By query and customer id; an account is missing where no day that was over has moved. Only readings by the same
 * question are compared: what another one counts has not moved. A day that was forgotten and read again has two readings
 * that say the same, and has not moved either.
 */
export async function restatements({ db }: StateFile): Promise<Map<string, Restatements>> {
  const { rows } = await sql<Restatements & { query: string; customerId: CustomerId }>`
    SELECT query, customer_id, count(DISTINCT date) AS days, max(days_after) AS lag_days
    FROM (SELECT day_reading.query, day_reading.customer_id, date, days_after,
        lag(days_after) OVER readings AS before,
        day_reading.rows <> lag(day_reading.rows) OVER readings OR totals <> lag(totals) OVER readings AS moved
      FROM day_reading JOIN slice ON slice.id = slice_id
      WINDOW readings AS (
        PARTITION BY day_reading.query, day_reading.customer_id, date, query_text ORDER BY slice_id
      ))
    WHERE before >= 1 AND moved GROUP BY query, customer_id`.execute(db);
  return new Map(rows.map(({ query, customerId, days, lagDays }) => [`${query} ${customerId}`, { days, lagDays }]));
}

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
  const read = db
    .selectFrom('accountDay')
    .select(({ fn }) => ['query', 'customerId', fn.min('date').as('firstDay')])
    .groupBy(['query', 'customerId']);
  return withNewest(db)
    .selectFrom(read.as('read'))
    .innerJoin('newest', 'newest.query', 'read.query')
    .innerJoin('account', 'account.customerId', 'read.customerId')
    .select(['read.query', 'question', 'read.customerId', 'timeZone', 'status', 'firstDay'])
    .orderBy('read.query')
    .orderBy('read.customerId')
    .execute();
}

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
