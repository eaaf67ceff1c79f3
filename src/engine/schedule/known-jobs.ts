import { prepared } from '../../storage/records/sqlite/prepared.ts';
import { type DueDecision, fingerprintOf, type PlannedJob } from './planned-job.ts';
import type { ScheduleFile } from './schedule-file.ts';
import { declineRetries, missWaiting } from './tick-table.ts';

/** Jobs of the last check, by name. Only due times after `sinceMs` (milliseconds) count. */
export function knownJobs(file: ScheduleFile): Map<string, { readonly fingerprint: string; readonly sinceMs: number }> {
  type Row = { name: string; fingerprint: string; sinceMs: number };
  const rows = prepared(file, 'SELECT name, fingerprint, since_ms AS sinceMs FROM known_job').all() as Row[];
  return new Map(rows.map((row) => [row.name, row]));
}

export interface Dropped {
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
