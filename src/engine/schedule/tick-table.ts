import { instantText } from '../../domain/civil-date.ts';
import { prepared } from '../../storage/records/sqlite/prepared.ts';
import { asRead } from '../../storage/records/state-plugin.ts';
import { type DueDecision, fingerprintOf, type PlannedJob } from './planned-job.ts';
import type { ScheduleFile } from './schedule-file.ts';
import type { ProcessIdentity } from './this-process.ts';

/** `stopped`: ended on request. `died`: the scheduler ended before the job, and the job has not succeeded. */
type TickState = 'waiting' | 'running' | 'done' | 'failed' | 'stopped' | 'missed' | 'died';

export interface Tick {
  readonly id: number;
  readonly job: string;
  /** All times are texts in UTC. */
  readonly dueAt: string;
  readonly state: TickState;
  readonly reason: string | undefined;
  readonly attempts: number;
  readonly token: number;
  readonly firstAt: string | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly runId: number | undefined;
  readonly exitCode: number | undefined;
  /** When it runs again, because it was interrupted or failed. */
  readonly retryAt: string | undefined;
  readonly child: ProcessIdentity | undefined;
}

type TickRow = { readonly [Fact in Exclude<keyof Tick, 'child'>]: Tick[Fact] | null } & {
  readonly [Fact in keyof ProcessIdentity]: ProcessIdentity[Fact] | null;
};

const SELECT = `SELECT id, job, due_at AS dueAt, state, reason, attempts, token, first_at AS firstAt,
  started_at AS startedAt, ended_at AS endedAt, run_id AS runId, exit_code AS exitCode, retry_at AS retryAt,
  child_pid AS pid, child_host AS host, child_place AS place, child_birth AS birth
  FROM tick`;

export function claimTick(
  file: ScheduleFile,
  tick: { readonly job: string; readonly dueMs: number; readonly reason: string | undefined; readonly token: number },
  state: 'waiting' | 'missed',
): number {
  const { job, dueMs, reason, token } = tick;
  const row = prepared(file, CLAIM).get({ job, due: instantText(dueMs), reason: reason ?? null, token, state });
  return (row as { id: number }).id;
}

const CLAIM = `INSERT INTO tick (job, due_at, state, reason, token) VALUES (@job, @due, @state, @reason, @token)
  ON CONFLICT (job, due_at) DO UPDATE SET state = excluded.state, reason = excluded.reason, token = excluded.token
  RETURNING id`;

export function reopenTick(file: ScheduleFile, id: number, reason: string, token: number): void {
  prepared(
    file,
    `UPDATE tick SET state = 'waiting', reason = ?, token = ?, started_at = NULL, ended_at = NULL, run_id = NULL,
      exit_code = NULL, child_pid = NULL, retry_at = NULL WHERE id = ?`,
  ).run(reason, token, id);
}

export function beginTick(file: ScheduleFile, id: number, token: number, nowMs: number): void {
  prepared(
    file,
    `UPDATE tick SET state = 'running', attempts = attempts + 1, token = @token, started_at = @now,
      first_at = coalesce(first_at, @now) WHERE id = @id`,
  ).run({ token, id, now: instantText(nowMs) });
}

export function noteChild(file: ScheduleFile, id: number, { pid, host, place, birth }: ProcessIdentity): void {
  prepared(file, 'UPDATE tick SET child_pid = ?, child_host = ?, child_place = ?, child_birth = ? WHERE id = ?').run(
    pid,
    host,
    place,
    birth,
    id,
  );
}

export function noteRun(file: ScheduleFile, id: number, token: number, runId: number): void {
  prepared(file, "UPDATE tick SET run_id = ? WHERE id = ? AND token = ? AND state = 'running'").run(runId, id, token);
}

export function tickById(file: ScheduleFile, id: number): Tick | undefined {
  return ticksOf(prepared(file, `${SELECT} WHERE id = ?`).all(id))[0];
}

export interface TickEnd {
  readonly state: 'done' | 'failed' | 'stopped';
  /** A few words for people. Undefined keeps the earlier reason. */
  readonly reason?: string | undefined;
  readonly endedMs: number;
  /** Null if the job was killed or could not be started. */
  readonly exitCode: number | null;
  /** When a failed job runs again. A stopped one does as soon as it can. */
  readonly retryMs?: number | undefined;
}

export function endTick(file: ScheduleFile, id: number, end: TickEnd): void {
  const { state, reason, endedMs, exitCode, retryMs = state === 'stopped' ? endedMs : undefined } = end;
  prepared(
    file,
    'UPDATE tick SET state = ?, reason = coalesce(?, reason), ended_at = ?, exit_code = ?, retry_at = ? WHERE id = ?',
  ).run(state, reason ?? null, instantText(endedMs), exitCode, retryMs === undefined ? null : instantText(retryMs), id);
}

export function markTickLost(file: ScheduleFile, id: number, nowMs: number): void {
  prepared(file, "UPDATE tick SET state = 'died', ended_at = @now, retry_at = @now WHERE id = @id").run({
    now: instantText(nowMs),
    id,
  });
}

export function leftRunning(file: ScheduleFile, token: number): Tick[] {
  return ticksOf(prepared(file, `${SELECT} WHERE state = 'running' AND token <> ? ORDER BY id`).all(token));
}

/** An interrupted job is owed at once, also if the clock was set back. */
const OWED = "retry_at IS NOT NULL AND (state <> 'failed' OR retry_at <= ?)";

export function owedTicks(file: ScheduleFile, nowMs: number): Tick[] {
  return ticksOf(prepared(file, `${SELECT} WHERE ${OWED} ORDER BY due_at DESC`).all(instantText(nowMs)));
}

export function declineOwed(file: ScheduleFile, nowMs: number): void {
  prepared(file, `UPDATE tick SET retry_at = NULL WHERE ${OWED}`).run(instantText(nowMs));
}

/** Also those of later. */
export function declineRetries(file: ScheduleFile, job: string): void {
  prepared(file, 'UPDATE tick SET retry_at = NULL WHERE retry_at IS NOT NULL AND job = ?').run(job);
}

/** Returns the missed due times in milliseconds, oldest first. */
export function missWaiting(file: ScheduleFile, job: string, reason: string): number[] {
  const missed = prepared(
    file,
    "UPDATE tick SET state = 'missed', reason = ? WHERE job = ? AND state = 'waiting' RETURNING due_at",
    'values',
  ).all(reason, job) as string[];
  return missed.map((text) => Date.parse(text)).sort((a, b) => a - b);
}

export function waitingTicks(file: ScheduleFile): Tick[] {
  return ticksOf(prepared(file, `${SELECT} WHERE state = 'waiting' ORDER BY due_at, id`).all());
}

/** Times are in milliseconds. Excludes `afterMs`, includes `untilMs`. */
export function recordedDue(file: ScheduleFile, job: string, afterMs: number, untilMs: number): Set<number> {
  const statement = prepared(file, 'SELECT due_at FROM tick WHERE job = ? AND due_at > ? AND due_at <= ?', 'values');
  const due = statement.all(job, instantText(afterMs), instantText(untilMs)) as string[];
  return new Set(due.map((text) => Date.parse(text)));
}

export function lastTick(file: ScheduleFile, job: string, which: 'begun' | 'any'): Tick | undefined {
  const begun = which === 'begun' ? 'AND started_at IS NOT NULL' : '';
  return ticksOf(prepared(file, `${SELECT} WHERE job = ? ${begun} ORDER BY due_at DESC LIMIT 1`).all(job))[0];
}

export function forgetMissedAfter(file: ScheduleFile, nowMs: number): void {
  prepared(file, "DELETE FROM tick WHERE state = 'missed' AND due_at > ?").run(instantText(nowMs));
}

const KEPT_MS = 400 * 86_400_000;
/** Maximum per job. A job that is due every five minutes has about 105,000 ticks a year. */
const KEPT_MAX = 20_000;

export function forgetOld(file: ScheduleFile, nowMs: number): void {
  const ended = "state NOT IN ('waiting', 'running')";
  prepared(file, `DELETE FROM tick WHERE ${ended} AND due_at < ?`).run(instantText(nowMs - KEPT_MS));
  for (const job of prepared(file, 'SELECT DISTINCT job FROM tick', 'values').all()) {
    prepared(
      file,
      `DELETE FROM tick WHERE job = ? AND ${ended} AND due_at <
        (SELECT due_at FROM tick WHERE job = ? ORDER BY due_at DESC LIMIT 1 OFFSET ?)`,
    ).run(job, job, KEPT_MAX);
  }
}

function ticksOf(rows: unknown[]): Tick[] {
  return (rows as TickRow[]).map(({ pid, host, place, birth, ...row }) => {
    return { ...asRead(row), child: pid === null ? undefined : { pid, host, place, birth } } as Tick;
  });
}

/** Jobs of the last check, by name. Only due times after `sinceMs` (milliseconds) count. */
export function knownJobs(file: ScheduleFile): Map<string, { readonly fingerprint: string; readonly sinceMs: number }> {
  type Row = { name: string; fingerprint: string; sinceMs: number };
  const rows = prepared(file, 'SELECT name, fingerprint, since_ms AS sinceMs FROM known_job').all() as Row[];
  return new Map(rows.map((row) => [row.name, row]));
}

interface Dropped {
  readonly name: string;
  readonly missed: readonly DueDecision[];
}

export const GONE = 'the job is no longer in the settings';
export const CHANGED = 'the schedule of the job changed';

/** Records the current jobs. Returns dropped due times of removed or rescheduled jobs. */
export function recordJobs(file: ScheduleFile, jobs: readonly PlannedJob[], nowMs: number): Dropped[] {
  const known = knownJobs(file);
  const dropped: Dropped[] = [];
  const drop = (name: string, reason: string): void => {
    declineRetries(file, name);
    const missed = missWaiting(file, name, reason).map((dueMs) => ({ dueMs, kind: 'missed' as const, reason }));
    if (missed.length > 0) dropped.push({ name, missed });
  };
  for (const name of known.keys()) {
    if (jobs.some((job) => job.name === name)) continue;
    prepared(file, 'DELETE FROM known_job WHERE name = ?').run(name);
    drop(name, GONE);
  }
  for (const job of jobs) {
    const fingerprint = fingerprintOf(job);
    const before = known.get(job.name)?.fingerprint;
    if (before === fingerprint) continue;
    if (before !== undefined) drop(job.name, CHANGED);
    prepared(
      file,
      `INSERT INTO known_job (name, fingerprint, since_ms) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET fingerprint = excluded.fingerprint, since_ms = excluded.since_ms`,
    ).run(job.name, fingerprint, nowMs);
  }
  return dropped;
}

/** Milliseconds. Undefined before the first check. */
export function lastPassMs(file: ScheduleFile): number | undefined {
  return prepared(file, 'SELECT at_ms FROM pass', 'values').get() as number | undefined;
}

export function recordPass(file: ScheduleFile, nowMs: number): void {
  prepared(file, 'INSERT INTO pass (id, at_ms) VALUES (1, ?) ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms').run(
    nowMs,
  );
}

/** Call this function if the clock was set back, so that later due times count again. */
export function turnBack(file: ScheduleFile, nowMs: number): void {
  recordPass(file, nowMs);
  prepared(file, 'UPDATE known_job SET since_ms = min(since_ms, ?)').run(nowMs);
}
