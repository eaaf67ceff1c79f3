import { type SqlBool, sql } from 'kysely';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { type CivilDate, type DateRange, instantText } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { StateDb } from '../record-store.ts';
import type { SliceState } from '../schema.ts';

export interface NewSlice {
  readonly runId: bigint;
  readonly query: string;
  /** The query fingerprint. */
  readonly queryText: string;
  readonly customerId: CustomerId;
  readonly days: DateRange | undefined;
  /** False if a person requested the days. */
  readonly expected: boolean;
}

export interface PlannedSlice extends NewSlice {
  readonly id: bigint;
}

/** Call this function before reading, so that an interrupted run leaves a list of unfinished slices. */
export async function insertSlices<Slice extends NewSlice>(
  db: StateDb,
  slices: readonly Slice[],
): Promise<(Slice & { readonly id: bigint })[]> {
  const ids: bigint[] = [];
  for (const some of chunksOf(slices, ROWS_PER_STATEMENT)) {
    const inserted = await db
      .insertInto('slice')
      .values(
        some.map(({ runId, query, queryText, customerId, days, expected }) => ({
          runId,
          query,
          queryText,
          customerId,
          dateFrom: days?.from ?? null,
          dateTo: days?.to ?? null,
          expected: expected ? 1n : 0n,
          state: 'planned',
        })),
      )
      .returning('id')
      .execute();
    ids.push(...inserted.map(({ id }) => id));
  }
  // The ids ascend in the order of the values. The answer may have another order.
  ids.sort((a, b) => (a < b ? -1 : 1));
  return slices.map((slice, index) => ({ ...slice, id: ids[index] as bigint }));
}

export interface SliceEnd {
  readonly state: Exclude<SliceState, 'planned'>;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly rows?: bigint;
  readonly bytes?: number;
  readonly requestId?: string | undefined;
  readonly error?: string;
  readonly days?: DateRange;
}

/** A slice that is done stays so, because another process has stored its rows. */
export async function endSlice(db: StateDb, id: bigint, end: SliceEnd): Promise<void> {
  await db
    .updateTable('slice')
    .set({
      state: end.state,
      rows: end.rows ?? 0n,
      bytes: BigInt(end.bytes ?? 0),
      requestId: end.requestId ?? null,
      error: end.error ?? null,
      // If `end.days` is undefined, the row keeps the planned days.
      dateFrom: end.days?.from,
      dateTo: end.days?.to,
      startedAt: instantText(end.startedMs),
      endedAt: instantText(end.endedMs),
    })
    .where('id', '=', id)
    .where('state', '!=', 'done')
    .execute();
}

/** All slices of an account that a run planned, in the order of their ids. */
export async function slicesOfAccount(db: StateDb, runId: bigint, customerId: CustomerId) {
  const rows = await db
    .selectFrom('slice')
    .select([
      'id',
      'runId',
      'query',
      'queryText',
      'customerId',
      'dateFrom',
      'dateTo',
      'expected',
      'state',
      'rows',
      'bytes',
      'error',
    ])
    .where('runId', '=', runId)
    .where('customerId', '=', customerId)
    .orderBy('id')
    .execute();
  return rows.map(withDays);
}

function withDays<Row extends { dateFrom: CivilDate | undefined; dateTo: CivilDate | undefined; expected: bigint }>({
  dateFrom: from,
  dateTo: to,
  expected,
  ...slice
}: Row) {
  return { ...slice, expected: expected === 1n, days: from && to ? { from, to } : undefined };
}

/** Oldest first. Omits slices whose days a later slice covers. */
export async function unfinishedSlices(db: StateDb, command: string): Promise<PlannedSlice[]> {
  const rows = await db
    .selectFrom('slice')
    .innerJoin('run', 'run.id', 'slice.runId')
    .select(['slice.id', 'runId', 'query', 'queryText', 'customerId', 'dateFrom', 'dateTo', 'expected'])
    .where('run.command', '=', command)
    .where('slice.state', 'in', ['planned', 'failed'])
    // A later slice of another command counts only if it ended without a failure.
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM slice AS later JOIN run AS later_run ON later_run.id = later.run_id
      WHERE (later.state IN ('done', 'not_offered') OR later_run.command = ${command})
        AND later.query = slice.query AND later.customer_id = slice.customer_id
        AND later.query_text = slice.query_text AND later.id > slice.id
        AND (slice.date_from IS NULL OR (later.date_from <= slice.date_from AND later.date_to >= slice.date_to)))`)
    .orderBy('slice.id')
    .execute();
  return rows.map(withDays);
}
