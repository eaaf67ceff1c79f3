import { sql } from 'kysely';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { RecordStore, StateDb } from '../record-store.ts';
import { unfinishedSlices } from './slice-table.ts';

/** Times are in UTC. */
export interface DayInstants {
  readonly begins: string;
  /** From this time on, the previous day is complete. */
  readonly closed: string;
  readonly ends: string;
}

export type DayInstantsOf = (customer: CustomerId, day: CivilDate) => DayInstants | undefined;

/** Slices per transaction. The number is small, so that other processes wait only milliseconds. */
const LOOKED_AT = 500;

/** Ids of runs that started before `before` (UTC), oldest first. Skips runs whose details are already deleted. */
export async function runsToForget(db: StateDb, before: string, ownRun: bigint): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`SELECT id FROM run
    WHERE started_at < ${before} AND id < ${ownRun} AND state <> 'running' AND id > coalesce(
      (SELECT max(id) FROM run WHERE state = 'done' AND id < (SELECT min(run_id) FROM run_account)), 0)
    ORDER BY id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Marks unfinished slices of `extract` as `cut` if a later slice covers the same days. */
export async function settleUndone(db: StateDb, before: string): Promise<void> {
  const { rows } = await sql<{ id: bigint }>`SELECT id FROM slice WHERE state IN ('planned', 'failed')
    AND run_id IN (SELECT id FROM run WHERE command = 'extract' AND started_at < ${before})`.execute(db);
  if (rows.length === 0) return;
  const open = new Set((await unfinishedSlices(db, 'extract')).map(({ id }) => id));
  await db.transaction().execute(async (trx) => {
    for (const { id } of rows) {
      if (open.has(id)) continue;
      await sql`UPDATE slice SET state = 'cut', started_at = coalesce(started_at, ${before}),
        ended_at = coalesce(ended_at, ${before}) WHERE id = ${id}`.execute(trx);
    }
  });
}

/** Returns false if `goesOn` stopped the work. While this function runs, no other process may write slices. */
export async function forgetRun(
  { db, deleting }: Pick<RecordStore, 'db' | 'deleting'>,
  runId: bigint,
  dayOf: DayInstantsOf,
  goesOn: () => boolean,
): Promise<boolean> {
  const span = sql<{ from: bigint | undefined; to: bigint | undefined }>`
    SELECT min(id) AS "from", max(id) AS "to" FROM slice WHERE run_id = ${runId}`;
  const { from, to } = (await span.execute(db)).rows[0] ?? {};
  if (from !== undefined && to !== undefined) {
    for (let first = from; first <= to; first += BigInt(LOOKED_AT)) {
      if (!goesOn()) return false;
      const slices = { runId, from, to, first, last: first + BigInt(LOOKED_AT) - 1n };
      await deleting(async (trx) => {
        await forgetReadings(trx, slices, dayOf);
        await forgetSlices(trx, slices);
      });
    }
  }
  if (!goesOn()) return false;
  await deleting(async (trx) => {
    for (const table of NOTED) await sql`DELETE FROM ${sql.table(table)} WHERE run_id = ${runId}`.execute(trx);
  });
  return true;
}

/** These tables contain details that may be deleted, because the audit trail keeps the decisions. */
const NOTED = ['run_decision', 'run_pacing', 'run_pacing_day', 'run_account'];

interface Slices {
  readonly runId: bigint;
  readonly first: bigint;
  readonly last: bigint;
  /** First and last slice of the run. */
  readonly from: bigint;
  readonly to: bigint;
}

interface EarlyReading {
  readonly id: bigint;
  readonly query: string;
  readonly customerId: CustomerId;
  readonly text: string;
  readonly date: CivilDate;
  /** When the run began and ended to read the account. */
  readonly began: string;
  readonly ended: string;
}

/** Deletes unneeded readings of days that had not ended yet. */
async function forgetReadings(trx: StateDb, slices: Slices, dayOf: DayInstantsOf): Promise<void> {
  for (const reading of await earlyReadings(trx, slices)) {
    const { id, query, customerId, date, began, ended } = reading;
    const day = dayOf(customerId, date);
    if (day === undefined || began < day.begins || ended >= day.ends) continue;
    const isBefore = ended < day.closed;
    if (!isBefore && !(began >= day.closed && (await wasReadEarlier(trx, slices.runId, reading, day.closed)))) continue;
    await sql`DELETE FROM day_reading
      WHERE query = ${query} AND customer_id = ${customerId} AND date = ${date} AND slice_id = ${id}`.execute(trx);
  }
}

async function earlyReadings(trx: StateDb, { runId, first, last, from, to }: Slices): Promise<EarlyReading[]> {
  const ofRun = sql`FROM slice AS read WHERE read.query = slice.query AND read.customer_id = slice.customer_id
    AND read.id BETWEEN ${from} AND ${to} AND read.run_id = ${runId} AND read.query_text = slice.query_text
    AND read.state = 'done'`;
  const found = sql<EarlyReading>`SELECT slice.id, slice.query, slice.customer_id, query_text AS text, date,
      (SELECT min(read.started_at) ${ofRun}) AS began, (SELECT max(read.started_at) ${ofRun}) AS ended
    FROM slice JOIN day_reading AS reading ON reading.query = slice.query AND reading.customer_id = slice.customer_id
      AND date BETWEEN date_from AND date_to AND slice_id = slice.id
    WHERE slice.id BETWEEN ${first} AND ${last} AND run_id = ${runId} AND slice.state = 'done' AND days_after = 0
      AND EXISTS (SELECT 1 FROM day_reading AS later JOIN slice AS newer ON newer.id = later.slice_id
        WHERE later.query = reading.query AND later.customer_id = reading.customer_id AND later.date = reading.date
          AND later.slice_id > reading.slice_id AND later.days_after = 0 AND newer.query_text = slice.query_text)`;
  return [...(await found.execute(trx)).rows];
}

/** True if an earlier run has read the day since `closed`. */
async function wasReadEarlier(
  trx: StateDb,
  runId: bigint,
  { id, query, customerId, text, date, began }: EarlyReading,
  closed: string,
): Promise<boolean> {
  const { rows } =
    await sql`SELECT 1 AS found FROM day_reading AS earlier JOIN slice AS older ON older.id = earlier.slice_id
    WHERE earlier.query = ${query} AND earlier.customer_id = ${customerId} AND earlier.date = ${date}
      AND earlier.slice_id < ${id} AND days_after = 0 AND read_at >= ${closed} AND read_at < ${began}
      AND older.query_text = ${text} AND older.run_id <> ${runId}
      AND NOT EXISTS (SELECT 1 FROM slice AS begun WHERE begun.query = ${query} AND begun.customer_id = ${customerId}
        AND begun.id < ${id} AND begun.run_id = older.run_id AND begun.query_text = ${text}
        AND begun.started_at < ${closed})
    LIMIT 1`.execute(trx);
  return rows.length > 0;
}

/** Deletes slices that nothing refers to, except the newest, the first and unfinished slices. */
async function forgetSlices(trx: StateDb, { runId, first, last }: Slices): Promise<void> {
  await sql`DELETE FROM slice WHERE id IN (SELECT slice.id FROM slice JOIN run ON run.id = run_id
    WHERE slice.id BETWEEN ${first} AND ${last} AND run_id = ${runId}
      AND NOT (command = 'extract' AND slice.state IN ('planned', 'failed'))
      AND NOT EXISTS (SELECT 1 FROM account_day AS day WHERE day.query = slice.query
        AND day.customer_id = slice.customer_id AND date BETWEEN date_from AND date_to AND slice_id = slice.id)
      AND NOT EXISTS (SELECT 1 FROM day_reading AS reading WHERE reading.query = slice.query
        AND reading.customer_id = slice.customer_id AND date BETWEEN date_from AND date_to AND slice_id = slice.id)
      AND (slice.state <> 'done' OR EXISTS (SELECT 1 FROM slice AS later WHERE later.query = slice.query
        AND later.customer_id = slice.customer_id AND later.id > slice.id AND later.state = 'done'
        AND later.run_id >= slice.run_id AND later.started_at >= slice.started_at AND later.ended_at >= slice.ended_at))
      AND (expected = 0 OR date_from IS NULL OR EXISTS (SELECT 1 FROM slice AS first WHERE first.query = slice.query
        AND first.customer_id = slice.customer_id AND first.query_text = slice.query_text AND first.expected = 1
        AND (first.date_from, first.id) < (slice.date_from, slice.id))))`.execute(trx);
}
