import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { type CivilDate, type DateRange, instantText } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { excluded } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';

export interface AccountDay {
  readonly date: CivilDate;
  readonly state: 'provisional' | 'settled';
  /** JSON with int64 as text. A day without rows has zeros. */
  readonly totals: string;
  readonly rows: bigint;
}

export interface ReadDay extends AccountDay {
  /** Number of days between this day and the day of reading. */
  readonly daysAfter: number;
}

export interface Reading {
  readonly query: string;
  readonly queryText: string;
  readonly customerId: CustomerId;
  readonly sliceId: bigint;
  readonly readMs: number;
  readonly days: readonly ReadDay[];
}

/** `text` is the result of `queryFingerprint`. */
export interface AskedQuery {
  readonly name: string;
  readonly text: string;
}

/** Call this function in the transaction that stores the rows. */
export async function recordReading(trx: StateDb, reading: Reading): Promise<void> {
  const { query, queryText, customerId, sliceId, days } = reading;
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) return;
  const asked = { name: query, text: queryText };
  const earlier = await recordOf(trx, asked, customerId, { from: first.date, to: last.date });
  const before = new Map(earlier.map((one) => [one.date, one]));
  const about = { query, customerId, sliceId, readAt: instantText(reading.readMs) };
  for (const some of chunksOf(days, ROWS_PER_STATEMENT)) {
    await trx
      .insertInto('accountDay')
      .values(some.map(({ date, state, rows, totals }) => ({ ...about, date, state, rows, totals, queryText })))
      .onConflict((conflict) =>
        conflict
          .columns(['query', 'customerId', 'date'])
          .doUpdateSet(excluded('queryText', 'state', 'rows', 'totals', 'sliceId', 'readAt')),
      )
      .execute();
  }
  const changed = days.filter(({ date, rows, totals }) => {
    const known = before.get(date);
    return known?.rows !== rows || known.totals !== totals;
  });
  for (const some of chunksOf(changed, ROWS_PER_STATEMENT)) {
    const readings = some.map(({ date, rows, totals, daysAfter }) => ({
      ...about,
      date,
      rows,
      totals,
      daysAfter: BigInt(daysAfter),
    }));
    await trx.insertInto('dayReading').values(readings).execute();
  }
}

/** An extraction plans with these days of an account. */
export interface KnownDays {
  /** The first day that was asked for without a person's request. */
  readonly firstDay: CivilDate | undefined;
  readonly settled: ReadonlySet<CivilDate>;
}

/** Answers for all accounts with two statements, whose answers grow with the number of days. */
export async function knownDays(
  db: StateDb,
  query: AskedQuery,
  customers: readonly CustomerId[],
): Promise<ReadonlyMap<CustomerId, KnownDays>> {
  const firsts = await db
    .selectFrom('slice')
    .select(({ fn }) => ['customerId', fn.min('dateFrom').as('day')])
    .where('query', '=', query.name)
    .where('customerId', 'in', customers)
    .where('queryText', '=', query.text)
    .where('expected', '=', 1n)
    .groupBy('customerId')
    .execute();
  const settled = await daysOfQuery(db, query, customers)
    .select(['customerId', 'date'])
    .where('state', '=', 'settled')
    .execute();
  const firstDays = new Map(firsts.map(({ customerId, day }) => [customerId, day ?? undefined]));
  const days = Map.groupBy(settled, ({ customerId }) => customerId);
  return new Map(
    customers.map((customer) => {
      const own = days.get(customer)?.map(({ date }) => date);
      return [customer, { firstDay: firstDays.get(customer), settled: new Set(own) }];
    }),
  );
}

/** In ascending order. */
export async function settledDays(
  db: StateDb,
  query: AskedQuery,
  customer: CustomerId,
  /** Returns false for days that were read too early to be complete. */
  isComplete: (day: CivilDate, readMs: number) => boolean = () => true,
): Promise<ReadonlySet<CivilDate>> {
  const known = await daysOfQuery(db, query, [customer])
    .select(['date', 'readAt'])
    .where('state', '=', 'settled')
    .orderBy('date')
    .execute();
  return new Set(known.flatMap(({ date, readAt }) => (isComplete(date, Date.parse(readAt)) ? date : [])));
}

function daysOfQuery(db: StateDb, query: AskedQuery, customers: readonly CustomerId[]) {
  return db
    .selectFrom('accountDay')
    .where('query', '=', query.name)
    .where('customerId', 'in', customers)
    .where('queryText', '=', query.text);
}

/** True if days were recorded with another text of the query. */
export async function isReadByOthers(db: StateDb, query: AskedQuery, customer: CustomerId): Promise<boolean> {
  const other = await db
    .selectFrom('accountDay')
    .select('date')
    .where('query', '=', query.name)
    .where('customerId', '=', customer)
    .where('queryText', '<>', query.text)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** The time when the last read of the day began. Undefined if the day was never read. */
export async function dayReadMs(
  db: StateDb,
  query: AskedQuery,
  customer: CustomerId,
  day: CivilDate,
): Promise<number | undefined> {
  const row = await daysOfQuery(db, query, [customer]).select('readAt').where('date', '=', day).executeTakeFirst();
  return row && Date.parse(row.readAt);
}

export interface ReadingOfDay {
  readonly date: CivilDate;
  readonly rows: bigint;
  /** JSON by column, with int64 as text and DOUBLE as a number. */
  readonly totals: string;
  /** In UTC. */
  readonly readAt: string;
}

export async function readingsOf(
  db: StateDb,
  query: AskedQuery,
  customer: CustomerId,
  days: DateRange,
): Promise<{ readonly now: readonly ReadingOfDay[]; readonly record: readonly ReadingOfDay[] }> {
  const now = await daysOfQuery(db, query, [customer])
    .select(['date', 'rows', 'totals', 'readAt'])
    .where('date', '>=', days.from)
    .where('date', '<=', days.to)
    .orderBy('date')
    .execute();
  return { now, record: await recordOf(db, query, customer, days) };
}

function recordOf(db: StateDb, query: AskedQuery, customer: CustomerId, days: DateRange): Promise<ReadingOfDay[]> {
  return db
    .selectFrom('dayReading')
    .innerJoin('slice', 'slice.id', 'sliceId')
    .select(['date', 'dayReading.rows', 'totals', 'readAt'])
    .where('dayReading.query', '=', query.name)
    .where('dayReading.customerId', '=', customer)
    .where('queryText', '=', query.text)
    .where('date', '>=', days.from)
    .where('date', '<=', days.to)
    .orderBy('date')
    .orderBy('sliceId')
    .execute();
}

/** Times are in UTC. */
export interface RunReadings {
  readonly firstAt: string;
  readonly lastAt: string;
}

export async function runReadingsOf(db: StateDb, query: AskedQuery, customer: CustomerId): Promise<RunReadings[]> {
  const readings = db
    .selectFrom('dayReading')
    .innerJoin('slice', 'slice.id', 'sliceId')
    .select(['runId', 'readAt'])
    .where('dayReading.query', '=', query.name)
    .where('dayReading.customerId', '=', customer)
    .where('queryText', '=', query.text)
    .unionAll(
      db
        .selectFrom('accountDay')
        .innerJoin('slice', 'slice.id', 'sliceId')
        .select(['runId', 'readAt'])
        .where('accountDay.query', '=', query.name)
        .where('accountDay.customerId', '=', customer)
        .where('accountDay.queryText', '=', query.text),
    );
  return db
    .selectFrom(readings.as('reading'))
    .select(({ fn }) => [fn.min('readAt').as('firstAt'), fn.max('readAt').as('lastAt')])
    .groupBy('runId')
    .orderBy('firstAt')
    .execute();
}

export async function countSettled(
  db: StateDb,
  query: AskedQuery,
  customer: CustomerId,
  { from, to }: DateRange,
): Promise<number> {
  const row = await daysOfQuery(db, query, [customer])
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('date', '>=', from)
    .where('date', '<=', to)
    .where('state', '=', 'settled')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function hasReadDays(db: StateDb): Promise<boolean> {
  return (await db.selectFrom('accountDay').select('date').limit(1).executeTakeFirst()) !== undefined;
}

export async function daysReadSince(
  db: StateDb,
  slice: Pick<Reading, 'query' | 'queryText' | 'customerId'> & { readonly id: bigint },
): Promise<ReadonlySet<CivilDate>> {
  const rows = await db
    .selectFrom('accountDay')
    .select('date')
    .where('query', '=', slice.query)
    .where('customerId', '=', slice.customerId)
    .where('queryText', '=', slice.queryText)
    .where('sliceId', '>', slice.id)
    .execute();
  return new Set(rows.map(({ date }) => date));
}
