import type Database from 'better-sqlite3';
import type { CivilDate } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { DayInstantsOf } from '../record-store.ts';
import { unfinishedSlices } from '../runs/slice-table.ts';
import { type OpenFile, prepared } from './prepared.ts';

/** Slices per transaction. The number is small, so that other processes wait only milliseconds. */
const LOOKED_AT = 500;

/** Ids of runs, oldest first. Skips runs whose details are already deleted. */
export function runsToForget({ connection }: OpenFile, before: string, ownRun: bigint): bigint[] {
  return prepared(connection, RUNS, 'values').all({ before, ownRun }) as bigint[];
}

const RUNS = `SELECT id FROM run WHERE started_at < @before AND id < @ownRun AND state <> 'running' AND id > coalesce(
    (SELECT max(id) FROM run WHERE state = 'done' AND id < (SELECT min(run_id) FROM run_account)), 0)
  ORDER BY id`;

/** Marks unfinished slices of `extract` as `cut` if a later slice covers the same days. */
export async function settleUndone({ db, connection }: OpenFile, before: string): Promise<void> {
  const undone = prepared(connection, UNDONE, 'values').all(before) as bigint[];
  if (undone.length === 0) return;
  const open = new Set((await unfinishedSlices(db, 'extract')).map(({ id }) => id));
  await db.transaction().execute(async () => {
    for (const id of undone) if (!open.has(id)) prepared(connection, CUT).run({ id, before });
  });
}

const UNDONE = `SELECT slice.id FROM run CROSS JOIN slice ON slice.run_id = run.id AND slice.state IN ('planned', 'failed')
  WHERE run.command = 'extract' AND run.started_at < ?`;

const CUT = `UPDATE slice SET state = 'cut', started_at = coalesce(started_at, @before), ended_at = coalesce(ended_at, @before)
  WHERE id = @id`;

/** Returns false if `goesOn` stopped the work. While this function runs, no other process may write slices. */
export async function forgetRun(
  state: OpenFile,
  runId: bigint,
  dayOf: DayInstantsOf,
  goesOn: () => boolean,
): Promise<boolean> {
  const { connection } = state;
  const [from, to] = prepared(connection, IDS, 'columns').get(runId) as [bigint | null, bigint | null];
  if (from !== null && to !== null) {
    for (let first = from; first <= to; first += BigInt(LOOKED_AT)) {
      if (!goesOn()) return false;
      const ids = { runId, first, last: first + BigInt(LOOKED_AT) - 1n };
      await alone(state, () => {
        forgetReadings(connection, { ...ids, from, to }, dayOf);
        for (const id of prepared(connection, UNNEEDED, 'values').all(ids)) prepared(connection, FORGET_SLICE).run(id);
      });
    }
  }
  if (!goesOn()) return false;
  await alone(state, () => {
    for (const table of NOTED) prepared(connection, `DELETE FROM ${table} WHERE run_id = ?`).run(runId);
  });
  return true;
}

/** Without foreign key checks, deleting is much faster. So `work` may delete only rows without references. */
async function alone({ db, connection }: OpenFile, work: () => void): Promise<void> {
  await db.connection().execute(async () => {
    connection.pragma('foreign_keys = OFF');
    try {
      connection.transaction(work).immediate();
    } finally {
      connection.pragma('foreign_keys = ON');
    }
  });
}

const IDS = 'SELECT min(id), max(id) FROM slice WHERE run_id = ?';
const FORGET_SLICE = 'DELETE FROM slice WHERE id = ?';
/** These tables contain details that may be deleted, because the audit trail keeps the decisions. */
const NOTED = ['run_decision', 'run_pacing', 'run_account'];

interface Slices {
  readonly runId: bigint;
  readonly first: bigint;
  readonly last: bigint;
  readonly from: bigint;
  readonly to: bigint;
}

interface EarlyReading {
  readonly id: bigint;
  readonly query: string;
  readonly customer: CustomerId;
  readonly text: string;
  readonly date: CivilDate;
}

/** Deletes unneeded readings of days that had not ended yet. */
function forgetReadings(connection: Database.Database, { from, to, ...slices }: Slices, dayOf: DayInstantsOf): void {
  for (const reading of prepared(connection, EARLY).all(slices) as EarlyReading[]) {
    const day = dayOf(reading.customer, reading.date);
    if (day === undefined) continue;
    const ofRun = { ...reading, runId: slices.runId, from, to };
    const [began, ended] = prepared(connection, SPAN, 'columns').get(ofRun) as [string, string];
    if (began < day.begins || ended >= day.ends) continue;
    const isBefore = ended < day.closed;
    const earlier = { ...reading, runId: slices.runId, closed: day.closed, began };
    const isLater = began >= day.closed && prepared(connection, EARLIER_RUN).get(earlier) !== undefined;
    if (isBefore || isLater) prepared(connection, FORGET_READING).run(reading);
  }
}

const EARLY = `SELECT slice.id, slice.query, CAST(slice.customer_id AS TEXT) AS customer, query_text AS text, date
  FROM slice JOIN day_reading AS reading ON reading.query = slice.query AND reading.customer_id = slice.customer_id
    AND date BETWEEN date_from AND date_to AND slice_id = slice.id
  WHERE slice.id BETWEEN @first AND @last AND run_id = @runId AND slice.state = 'done' AND days_after = 0
    AND EXISTS (SELECT 1 FROM day_reading AS later JOIN slice AS of ON of.id = later.slice_id
      WHERE later.query = reading.query AND later.customer_id = reading.customer_id AND later.date = reading.date
        AND later.slice_id > reading.slice_id AND later.days_after = 0 AND of.query_text = slice.query_text)`;

const SPAN = `SELECT min(started_at), max(started_at) FROM slice
  WHERE query = @query AND customer_id = @customer AND id BETWEEN @from AND @to AND run_id = @runId
    AND query_text = @text AND state = 'done'`;

const EARLIER_RUN = `SELECT 1 FROM day_reading AS earlier JOIN slice AS of ON of.id = earlier.slice_id
  WHERE earlier.query = @query AND earlier.customer_id = @customer AND earlier.date = @date AND earlier.slice_id < @id
    AND days_after = 0 AND read_at >= @closed AND read_at < @began AND of.query_text = @text AND of.run_id <> @runId
    AND NOT EXISTS (SELECT 1 FROM slice AS begun WHERE begun.query = @query AND begun.customer_id = @customer
      AND begun.id < @id AND begun.run_id = of.run_id AND begun.query_text = @text AND begun.started_at < @closed)`;

const FORGET_READING =
  'DELETE FROM day_reading WHERE query = @query AND customer_id = @customer AND date = @date AND slice_id = @id';

/** Selects slices that nothing refers to, except the newest, the first and unfinished slices. */
const UNNEEDED = `SELECT slice.id FROM slice JOIN run ON run.id = run_id
  WHERE slice.id BETWEEN @first AND @last AND run_id = @runId
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
      AND (first.date_from, first.id) < (slice.date_from, slice.id)))`;
