import { type CivilDate, type DateRange, instantText } from '../domain/civil-date.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';
import type { SliceState } from './schema.ts';

/** What is to be read at once: (query, customer, days). */
export interface NewSlice {
  readonly runId: bigint;
  readonly query: string;
  /** What the query asks for, its days left open: a slice of another text says nothing about this one's days. */
  readonly queryText: string;
  readonly customerId: CustomerId;
  /** Undefined for a query that names no days. */
  readonly days: DateRange | undefined;
  /** The days lie in the query's own window, or are holes before it; not days that somebody asked for in its place. */
  readonly expected: boolean;
}

export interface PlannedSlice extends NewSlice {
  readonly id: bigint;
}

/** Writes down what is going to be read, in order, so that what is left undone is known however the run ends. */
export async function insertSlices<Slice extends NewSlice>(
  db: StateDb,
  slices: readonly Slice[],
): Promise<(Slice & { readonly id: bigint })[]> {
  const planned: (Slice & { readonly id: bigint })[] = [];
  for (const slice of slices) {
    const { id } = await db
      .insertInto('slice')
      .values({
        run_id: slice.runId,
        query: slice.query,
        query_text: slice.queryText,
        customer_id: BigInt(slice.customerId),
        date_from: slice.days?.from ?? null,
        date_to: slice.days?.to ?? null,
        expected: slice.expected ? 1n : 0n,
        state: 'planned',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    planned.push({ ...slice, id });
  }
  return planned;
}

/** What became of a planned slice. */
export interface SliceEnd {
  readonly state: Exclude<SliceState, 'planned'>;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly rows?: bigint;
  readonly bytes?: number;
  readonly requestId?: string | undefined;
  readonly error?: string;
  /** Where other days were read than planned. */
  readonly days?: DateRange;
}

export async function endSlice(db: StateDb, id: bigint, end: SliceEnd): Promise<void> {
  await db
    .updateTable('slice')
    .set({
      state: end.state,
      rows: end.rows ?? 0n,
      bytes: BigInt(end.bytes ?? 0),
      request_id: end.requestId ?? null,
      error: end.error ?? null,
      ...(end.days && { date_from: end.days.from, date_to: end.days.to }),
      started_at: instantText(end.startedMs),
      ended_at: instantText(end.endedMs),
    })
    .where('id', '=', id)
    .execute();
}

/** Slices that an earlier run planned and nobody has read since, oldest first; `command` is what had planned them. */
export async function unfinishedSlices(db: StateDb, command: string): Promise<PlannedSlice[]> {
  const rows = await db
    .selectFrom('slice')
    .innerJoin('run', 'run.id', 'slice.run_id')
    .select(['slice.id', 'run_id', 'query', 'query_text', 'customer_id', 'date_from', 'date_to', 'expected'])
    .where('run.command', '=', command)
    .where('slice.state', 'in', ['planned', 'failed'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('slice as later')
            .innerJoin('run as later_run', 'later_run.id', 'later.run_id')
            .select('later.id')
            // What another command could not read either is still to be read.
            .where(({ eb, or }) =>
              or([eb('later.state', 'in', ['done', 'not_offered']), eb('later_run.command', '=', command)]),
            )
            .whereRef('later.query', '=', 'slice.query')
            .whereRef('later.customer_id', '=', 'slice.customer_id')
            .whereRef('later.query_text', '=', 'slice.query_text')
            .whereRef('later.id', '>', 'slice.id')
            .where(({ eb, and, or }) =>
              or([
                eb('slice.date_from', 'is', null),
                and([
                  eb('later.date_from', '<=', eb.ref('slice.date_from')),
                  eb('later.date_to', '>=', eb.ref('slice.date_to')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('slice.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    runId: row.run_id,
    query: row.query,
    queryText: row.query_text,
    customerId: customerId(String(row.customer_id)),
    expected: row.expected === 1n,
    days: row.date_from && row.date_to ? { from: row.date_from as CivilDate, to: row.date_to as CivilDate } : undefined,
  }));
}
