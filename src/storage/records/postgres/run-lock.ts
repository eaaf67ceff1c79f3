import type pg from 'pg';
import type { LockHolder } from '../../../domain/errors.ts';
import { holderIn, holderText, type JoinedRun, type TaskLease } from '../lock-holder.ts';
import { databaseAddress } from './address.ts';
import { IS_NO_COPY } from './copy-witness.ts';
import { databaseFailure } from './database-failure.ts';
import { connectTo, type Fence, LOCK_SPACE, WRITER_LOCK } from './postgres-driver.ts';

const RUN_LOCK = 2;
const TAKING_LOCK = 5;
const LOCK_LOST = 'LOCK_LOST';

export interface HeldLock {
  readonly kind: 'acquired';
  /** Grows with each process that takes the lock. */
  readonly token: bigint;
  readonly fence: Fence;
  /** The reason if the connection of the lock has ended. */
  lost(): string | undefined;
  release(): Promise<void>;
}

export type LockReading = HeldLock | ({ readonly kind: 'held' } & LockHolder);

/**
 * The lock is an advisory lock of a connection of its own. The server frees it when the connection ends. Unlike with
 * a file, the holder can outlive its lock. If the network breaks, the server lets the next process in. The first one
 * may still write through its other connection. So each holder gets a higher token. Each transaction that writes first
 * compares the token (`Fence`). The order leaves no gap. A transaction takes the lock of writers, then reads the token.
 * The next holder takes the run lock, then waits alone for the lock of writers, then raises the token. So a transaction
 * ends before the token changes, or sees the new token and writes nothing. The schema must exist.
 */
export async function acquireRunLock(url: string, command: string, since: string): Promise<LockReading> {
  const where = databaseAddress(url);
  const client = await connectTo(url, 5000);
  let lost: string | undefined;
  const lose = () => {
    lost ??= `the connection that holds the run lock at ${where} ended`;
  };
  client.on('error', lose);
  client.on('end', lose);
  try {
    const token = await inTurn(client, () => takeToken(client, holderText(command, since)));
    if (token === undefined) {
      const { rows } = await client.query<{ holder: string }>('SELECT holder FROM run_lock');
      await client.end();
      return { kind: 'held', ...holderIn(rows[0]?.holder) };
    }
    return {
      kind: 'acquired',
      token,
      lost: () => lost,
      fence: {
        sql: () => 'SELECT token FROM pacekeeper.run_lock',
        check(now) {
          if (lost === undefined && now === token) return;
          const words = `${lost ?? `another process took the run lock at ${where}`}. Nothing more was written.`;
          throw Object.assign(new Error(words), { code: LOCK_LOST, nextStep: 'Run the command again.' });
        },
      },
      async release() {
        await client.end().catch(() => undefined);
      },
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw databaseFailure(where, error);
  }
}

/** The server ends a transaction of a worker that does nothing for so long, because its locks stop the run. */
const IDLE_MAX = '20s';

/**
 * The lock of another process, for a worker of its run. A worker that hangs may wake up late. By then, its task may
 * belong to another worker, or the run has ended. So each of its transactions checks the token, the state of the run,
 * and its own try of the task. A copy of the database has the same token, so this is checked, too.
 */
export function joinedLock({ runId, token, lease }: JoinedRun): HeldLock {
  return {
    kind: 'acquired',
    token,
    lost: () => undefined,
    fence: {
      sql: () => `SELECT token, set_config('idle_in_transaction_session_timeout', '${IDLE_MAX}', true)
        FROM pacekeeper.run_lock, pacekeeper.run
        WHERE run.id = ${runId} AND run.state = 'running' AND ${IS_NO_COPY} ${stillLeased(lease())}`,
      check(now) {
        if (now === token) return;
        const words = `Run ${runId} ended, or another process took over the task. Nothing more was written.`;
        throw Object.assign(new Error(words), { code: LOCK_LOST });
      },
    },
    release: async () => undefined,
  };
}

function stillLeased(lease: TaskLease | undefined): string {
  if (lease === undefined) return '';
  return `AND EXISTS (SELECT FROM pacekeeper_queue.job WHERE name = '${lease.queue}' AND id = '${lease.id}'
    AND state = 'active' AND retry_count = ${lease.tries})`;
}

/** True if one process has held the lock since `instant` (UTC) or longer. */
export async function isLockedSince(client: pg.Client, instant: string): Promise<boolean> {
  const { rows } = await client.query<{ holder: string }>(
    `SELECT holder FROM pacekeeper.run_lock WHERE EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND classid = ${LOCK_SPACE} AND objid = ${RUN_LOCK}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
  );
  const { since } = holderIn(rows[0]?.holder);
  return rows[0] !== undefined && (since === undefined || since <= instant);
}

/** One process at a time tries to take the lock. So the others find the name of the process that holds it. */
async function inTurn<Value>(client: pg.Client, take: () => Promise<Value>): Promise<Value> {
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${TAKING_LOCK})`);
  const value = await take();
  await client.query('COMMIT');
  return value;
}

async function takeToken(client: pg.Client, holder: string): Promise<bigint | undefined> {
  const { rows } = await client.query<{ got: bigint }>(
    `SELECT pg_try_advisory_lock(${LOCK_SPACE}, ${RUN_LOCK}) AS got`,
  );
  if (rows[0]?.got !== 1n) return undefined;
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${WRITER_LOCK})`);
  const { rows: taken } = await client.query<{ token: bigint }>(
    'UPDATE run_lock SET token = token + 1, holder = $1 RETURNING token',
    [holder],
  );
  return taken[0]?.token ?? 0n;
}
