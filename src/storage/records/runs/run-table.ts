import { type SqlBool, sql } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import { headText, NO_EVENT, parseHead, type RecordHead } from '../budgets/record-head.ts';
import { largerOf } from '../expressions.ts';
import { besideLoads } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { TargetKind } from '../schema.ts';

export interface RunStart {
  readonly command: string;
  readonly target: string;
  readonly targetKind: TargetKind;
  readonly mode: string;
  readonly dryRun: boolean;
  readonly nowMs: number;
}

/** Marks other runs with the state `running` as `died`, because only one run is possible at a time. */
export async function startRun(db: StateDb, run: RunStart): Promise<bigint> {
  return db.transaction().execute(async (trx) => {
    await trx
      .updateTable('run')
      .set({
        state: 'died',
        error: 'The process ended before the run was complete.',
        // A dead run made at least one operation per slice that it began.
        operations: ({ ref, selectFrom }) =>
          largerOf(
            ref('operations'),
            selectFrom('slice')
              .select(({ fn }) => fn.countAll<bigint>().as('count'))
              .whereRef('slice.runId', '=', 'run.id')
              .where('slice.state', '<>', 'planned')
              .$asScalar()
              .$castTo<bigint>(),
          ),
      })
      .where('state', '=', 'running')
      .execute();
    const inserted = await trx
      .insertInto('run')
      .values({
        command: run.command,
        target: run.target,
        targetKind: run.targetKind,
        mode: run.mode,
        dryRun: run.dryRun ? 1n : 0n,
        state: 'running',
        startedAt: instantText(run.nowMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return inserted.id;
  });
}

export interface RunEnd {
  readonly state: 'done' | 'stopped' | 'failed' | 'refused';
  readonly nowMs: number;
  readonly accounts: number;
  readonly rowsRead: bigint;
  readonly budgetChanges: number;
  readonly messagesSent: number;
  /** Number of operations that count for the API's daily quota. */
  readonly operations: number;
  readonly failures: readonly string[];
}

export async function endRun(db: StateDb, runId: bigint, end: RunEnd): Promise<void> {
  await db
    .updateTable('run')
    .set({
      state: end.state,
      endedAt: instantText(end.nowMs),
      accounts: BigInt(end.accounts),
      rowsRead: end.rowsRead,
      budgetChanges: BigInt(end.budgetChanges),
      messagesSent: BigInt(end.messagesSent),
      operations: BigInt(end.operations),
      failures: BigInt(end.failures.length),
      error: end.failures.length > 0 ? end.failures.join('\n') : null,
    })
    .where('id', '=', runId)
    .execute();
}

export async function firstRunMs(db: StateDb): Promise<number | undefined> {
  const row = await db.selectFrom('run').select('startedAt').orderBy('id').limit(1).executeTakeFirst();
  return row && Date.parse(row.startedAt);
}

export async function readOfRun(db: StateDb, runId: bigint): Promise<{ accounts: number; rowsRead: bigint }> {
  const row = await db
    .selectFrom('slice')
    .select(({ fn }) => [
      fn.count<bigint>('customerId').distinct().as('accounts'),
      fn.sum<bigint | null>('rows').as('rows'),
    ])
    .where('runId', '=', runId)
    .where('state', '<>', 'planned')
    .executeTakeFirst();
  return { accounts: Number(row?.accounts ?? 0n), rowsRead: row?.rows ?? 0n };
}

const DAY_MS = 86_400_000;

/** Stores the number during the run, so that it is known even if the process dies. */
export async function countOperations(db: StateDb, runId: bigint, operations: number): Promise<void> {
  await besideLoads(db, (trx) =>
    trx
      .updateTable('run')
      .set(({ ref, val }) => ({ operations: largerOf(ref('operations'), val(BigInt(operations))) }))
      .where('id', '=', runId)
      .execute(),
  );
}

/** The sum for all runs that ended in the last 24 hours. Without an end, the start of the run counts. */
export async function operationsOfDay(db: StateDb, nowMs: number): Promise<number> {
  const row = await db
    .selectFrom('run')
    .select((sum) => sum.fn.sum<bigint | null>('operations').as('operations'))
    .where(({ fn }) => fn.coalesce('endedAt', 'startedAt'), '>', instantText(nowMs - DAY_MS))
    .executeTakeFirst();
  return Number(row?.operations ?? 0n);
}

/** `head` is the newest verified event. `wholeAt` is the start (UTC) of the last run that verified all events. */
export async function lastProof(
  db: StateDb,
  runId?: bigint,
): Promise<{ readonly head: RecordHead | undefined; readonly wholeAt: string | undefined }> {
  const newestFirst = db.selectFrom('run').orderBy('id', 'desc').limit(1);
  const before = runId === undefined ? newestFirst : newestFirst.where('id', '<', runId);
  const newest = await before.where('recordHead', 'is not', null).select('recordHead').executeTakeFirst();
  const whole = await before.where('recordProven', '=', 'whole').select('startedAt').executeTakeFirst();
  return { head: parseHead(newest?.recordHead ?? ''), wholeAt: whole?.startedAt };
}

/** False if the last run ended without a proof of the audit trail. */
export async function isLastRunProven(db: StateDb): Promise<boolean> {
  const ended = db.selectFrom('run').select('recordProven').where('state', '<>', 'running');
  const last = await ended.orderBy('id', 'desc').limit(1).executeTakeFirst();
  return last?.recordProven !== undefined;
}

export async function noteProof(
  db: StateDb,
  runId: bigint,
  { head, proven }: { readonly head: RecordHead; readonly proven: 'new' | 'whole' },
): Promise<void> {
  const noted = { recordHead: headText(head), recordProven: proven };
  await db.updateTable('run').set(noted).where('id', '=', runId).execute();
}

export async function lostRecordHeads(db: StateDb): Promise<{ readonly runId: bigint; readonly head: string }[]> {
  const rows = await db
    .selectFrom('run')
    .select(['id as runId', 'recordHead as head'])
    .where('recordHead', 'is not', null)
    .where('recordHead', '<>', headText(NO_EVENT))
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM budget_event AS event WHERE event.id || ':' || event.hash = run.record_head
      AND event.id = CAST(substr(run.record_head, 1, instr(run.record_head, ':') - 1) AS bigint))`)
    .orderBy('id')
    .execute();
  return rows.map(({ runId, head }) => ({ runId, head: head ?? '' }));
}

/** JSON text. Undefined if no earlier run recorded bounds. */
export async function lastBounds(db: StateDb, runId: bigint): Promise<string | undefined> {
  const before = db.selectFrom('run').where('id', '<', runId).where('bounds', 'is not', null);
  const newest = await before.select('bounds').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return newest?.bounds;
}

export async function noteBounds(db: StateDb, runId: bigint, bounds: string): Promise<void> {
  await db.updateTable('run').set({ bounds }).where('id', '=', runId).execute();
}
