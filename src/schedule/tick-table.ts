import { instantText } from '../domain/civil-date.ts';
import { prepared } from '../store/sqlite/prepared.ts';
import type { ScheduleFile } from './schedule-file.ts';
import type { ProcessIdentity } from './this-process.ts';

/** waiting: claimed, and behind another job; stopped: on request; died: with the process that had begun it. */
export type TickState = 'waiting' | 'running' | 'done' | 'failed' | 'stopped' | 'missed' | 'died';

/** What became of one due time of a job. */
export interface Tick {
  readonly id: number;
  readonly job: string;
  /** Instants as text. */
  readonly dueAt: string;
  readonly state: TickState;
  readonly reason: string | undefined;
  readonly attempts: number;
  /** Of the lease under which it was claimed or begun. */
  readonly token: number;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly runId: number | undefined;
  readonly exitCode: number | undefined;
  /** The process that it was begun in; undefined where nobody wrote it down. */
  readonly child: ProcessIdentity | undefined;
}

type TickRow = { readonly [Fact in Exclude<keyof Tick, 'child'>]: Tick[Fact] | null } & {
  readonly [Fact in keyof ProcessIdentity]: ProcessIdentity[Fact] | null;
};

const SELECT = `SELECT id, job, due_at AS dueAt, state, reason, attempts, token, started_at AS startedAt, ended_at AS endedAt,
  run_id AS runId, exit_code AS exitCode, child_pid AS pid, child_host AS host, child_place AS place, child_birth AS birth
  FROM tick`;

/** The id of the new tick, or of the one that waited already. */
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

/** One that was begun and did not come to its end is to begin again. */
export function reopenTick(file: ScheduleFile, id: number, reason: string, token: number): void {
  prepared(
    file,
    `UPDATE tick SET state = 'waiting', reason = ?, token = ?, started_at = NULL, ended_at = NULL, run_id = NULL,
      exit_code = NULL, child_pid = NULL, owed = 0 WHERE id = ?`,
  ).run(reason, token, id);
}

export function beginTick(file: ScheduleFile, id: number, token: number, nowMs: number): void {
  prepared(
    file,
    `UPDATE tick SET state = 'running', attempts = attempts + 1, token = ?, started_at = ? WHERE id = ?`,
  ).run(token, instantText(nowMs), id);
}

/** The process that the tick runs in. */
export function noteChild(file: ScheduleFile, id: number, { pid, host, place, birth }: ProcessIdentity): void {
  prepared(file, 'UPDATE tick SET child_pid = ?, child_host = ?, child_place = ?, child_birth = ? WHERE id = ?').run(
    pid,
    host,
    place,
    birth,
    id,
  );
}

/** The run that the tick has come to; `token` is that under which it was begun. */
export function noteRun(file: ScheduleFile, id: number, token: number, runId: number): void {
  prepared(file, "UPDATE tick SET run_id = ? WHERE id = ? AND token = ? AND state = 'running'").run(runId, id, token);
}

/** Undefined for a tick whose job records no run, or did not come so far. */
export function runOfTick(file: ScheduleFile, id: number): number | undefined {
  return (prepared(file, 'SELECT run_id FROM tick WHERE id = ?', 'values').get(id) as number | null) ?? undefined;
}

export interface TickEnd {
  /** One that was stopped is owed: it may be taken up again. */
  readonly state: 'done' | 'failed' | 'stopped';
  /** A few words for people, where the exit code does not say it; the reason for which it ran stays otherwise. */
  readonly reason?: string | undefined;
  readonly endedMs: number;
  /** Null when it was killed or could not be started. */
  readonly exitCode: number | null;
}

export function endTick(file: ScheduleFile, id: number, { state, reason, endedMs, exitCode }: TickEnd): void {
  prepared(
    file,
    'UPDATE tick SET state = ?, reason = coalesce(?, reason), ended_at = ?, exit_code = ?, owed = ? WHERE id = ?',
  ).run(state, reason ?? null, instantText(endedMs), exitCode, state === 'stopped' ? 1 : 0, id);
}

/** It died with an earlier holder of the lease, and is owed. */
export function buryTick(file: ScheduleFile, id: number, nowMs: number): void {
  prepared(file, "UPDATE tick SET state = 'died', owed = 1, ended_at = ? WHERE id = ?").run(instantText(nowMs), id);
}

/** Those that run by the record and were begun by an earlier holder of the lease than `token`'s. */
export function leftRunning(file: ScheduleFile, token: number): Tick[] {
  return ticksOf(prepared(file, `${SELECT} WHERE state = 'running' AND token <> ? ORDER BY id`).all(token));
}

/** Interrupted, and nobody has decided whether they are taken up again; the newest due time first. */
export function owedTicks(file: ScheduleFile): Tick[] {
  return ticksOf(prepared(file, `${SELECT} WHERE owed = 1 ORDER BY due_at DESC`).all());
}

/** It was decided: what is still owed, of one job or of all, is not taken up again. */
export function declineOwed(file: ScheduleFile, job?: string): void {
  prepared(file, 'UPDATE tick SET owed = 0 WHERE owed = 1 AND job = coalesce(?, job)').run(job ?? null);
}

/** What waits of the job is missed. Answers with its due times, oldest first, milliseconds. */
export function missWaiting(file: ScheduleFile, job: string, reason: string): number[] {
  const missed = prepared(
    file,
    "UPDATE tick SET state = 'missed', reason = ? WHERE job = ? AND state = 'waiting' RETURNING due_at",
    'values',
  ).all(reason, job) as string[];
  return missed.map((text) => Date.parse(text)).sort((a, b) => a - b);
}

/** Claimed and not begun, oldest first. */
export function waitingTicks(file: ScheduleFile): Tick[] {
  return ticksOf(prepared(file, `${SELECT} WHERE state = 'waiting' ORDER BY due_at, id`).all());
}

/** The due times of a job that are recorded, after the first instant and up to the second one, milliseconds. */
export function recordedDue(file: ScheduleFile, job: string, afterMs: number, untilMs: number): Set<number> {
  const statement = prepared(file, 'SELECT due_at FROM tick WHERE job = ? AND due_at > ? AND due_at <= ?', 'values');
  const due = statement.all(job, instantText(afterMs), instantText(untilMs)) as string[];
  return new Set(due.map((text) => Date.parse(text)));
}

/** The tick of a job with the newest due time, of those that were begun only, or of all. */
export function lastTick(file: ScheduleFile, job: string, which: 'begun' | 'any'): Tick | undefined {
  const begun = which === 'begun' ? 'AND started_at IS NOT NULL' : '';
  return ticksOf(prepared(file, `${SELECT} WHERE job = ? ${begun} ORDER BY due_at DESC LIMIT 1`).all(job))[0];
}

/** What has not come yet was not missed, however wrong the clock was that said so. */
export function forgetMissedAfter(file: ScheduleFile, nowMs: number): void {
  prepared(file, "DELETE FROM tick WHERE state = 'missed' AND due_at > ?").run(instantText(nowMs));
}

const KEPT_MS = 400 * 86_400_000;
/** Of one job; a due time every five minutes comes to a hundred thousand a year. */
const KEPT_MAX = 20_000;

/** Keeps the file small. Never what waits or runs. */
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
    const facts = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined]));
    return { ...facts, child: pid === null ? undefined : { pid, host, place, birth } } as Tick;
  });
}
