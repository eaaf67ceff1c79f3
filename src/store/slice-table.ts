import { type CivilDate, type DateRange, instantText } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';

/** One attempt to read (query, customer, days). */
export interface SliceRecord {
  readonly runId: bigint;
  readonly query: string;
  /** What was sent: a slice of another text says nothing about this one's days. */
  readonly queryText: string;
  readonly customerId: CustomerId;
  /** Undefined for a query that names no days. */
  readonly days: DateRange | undefined;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly rows: bigint;
  readonly bytes: number;
  readonly requestId: string | undefined;
  /** Undefined when the slice was replaced. */
  readonly error: string | undefined;
}

export async function insertSlice(db: StateDb, slice: SliceRecord): Promise<void> {
  await db
    .insertInto('slice')
    .values({
      run_id: slice.runId,
      query: slice.query,
      query_text: slice.queryText,
      customer_id: BigInt(slice.customerId),
      date_from: slice.days?.from ?? null,
      date_to: slice.days?.to ?? null,
      state: slice.error === undefined ? 'done' : 'failed',
      rows: slice.rows,
      bytes: BigInt(slice.bytes),
      request_id: slice.requestId ?? null,
      error: slice.error ?? null,
      started_at: instantText(slice.startedMs),
      ended_at: instantText(slice.endedMs),
    })
    .execute();
}

export interface DoneSlice {
  readonly from: CivilDate;
  readonly to: CivilDate;
  readonly startedMs: number;
}

/** The slices read with exactly this query that hold days of the range, newest first. */
export async function doneSlices(
  db: StateDb,
  query: { readonly name: string; readonly text: string },
  customer: CustomerId,
  days: DateRange,
): Promise<readonly DoneSlice[]> {
  const rows = await db
    .selectFrom('slice')
    .select(['date_from', 'date_to', 'started_at'])
    .where('query', '=', query.name)
    .where('query_text', '=', query.text)
    .where('customer_id', '=', BigInt(customer))
    .where('state', '=', 'done')
    .where('date_to', '>=', days.from)
    .where('date_from', '<=', days.to)
    .orderBy('id', 'desc')
    .execute();
  return rows.flatMap(({ date_from: from, date_to: to, started_at: startedAt }) =>
    from && to && startedAt ? [{ from: from as CivilDate, to: to as CivilDate, startedMs: Date.parse(startedAt) }] : [],
  );
}
