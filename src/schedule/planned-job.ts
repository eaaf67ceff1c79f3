import { instantText } from '../domain/civil-date.ts';
import type { Timetable } from './due-times.ts';

/** A job of the settings, as far as the clock is concerned. */
export interface PlannedJob extends Timetable {
  readonly name: string;
  readonly job: 'report' | 'extract' | 'deliver' | 'publish';
}

/** Jobs that read account days: whether one that is late still has something to read, the days say. */
export function readsDays({ job }: PlannedJob): boolean {
  return job === 'report' || job === 'extract';
}

/** One that works on the data folder waits for the others; what delivers alerts runs beside them. */
export function laneOf({ job }: PlannedJob): 'folder' | 'beside' {
  return job === 'deliver' ? 'beside' : 'folder';
}

/** A job of the same name with another one of these is a new job, which owes nothing. */
export function fingerprintOf({ job, cron, timeZone }: PlannedJob): string {
  return `${job} ${cron.trim().split(/\s+/).join(' ')} ${timeZone}`;
}

/** A due time that is seen at most this long after it is simply run. */
export const ON_TIME_MS = 10 * 60_000;

export interface DueDecision {
  readonly dueMs: number;
  readonly kind: 'run' | 'missed';
  /** A few words for people. */
  readonly reason: string | undefined;
}

/** What is known of a job when it is due. */
export interface DueFacts {
  /** Unclaimed due times, oldest first. */
  readonly dueMs: readonly number[];
  /** The due time of its run that waits or is going; undefined for none. */
  readonly busyWithMs: number | undefined;
  /** What a late run would read; `unasked` where the newest is on time, or the job reads no days. */
  readonly days: 'missing' | 'complete' | 'unasked';
}

/** Of all due times that have passed only the newest is run: it does what the earlier ones would have done. */
export function decideDue({ dueMs, busyWithMs, days }: DueFacts, nowMs: number): DueDecision[] {
  const newest = dueMs.at(-1);
  if (newest === undefined) return [];
  const all = (reason: string) => dueMs.map((due): DueDecision => ({ dueMs: due, kind: 'missed', reason }));
  if (busyWithMs !== undefined) return all(`its run of ${instantText(busyWithMs)} was still going`);
  if (isLate(newest, nowMs) && days === 'complete') return all('nothing was missing: each account day was read');
  const late = isLate(newest, nowMs) ? `late, as nothing ran when it was due` : undefined;
  const run: DueDecision = { dueMs: newest, kind: 'run', reason: late };
  return [...all(`covered by the run of ${instantText(newest)}`).slice(0, -1), run];
}

export function isLate(dueMs: number, nowMs: number): boolean {
  return nowMs - dueMs > ON_TIME_MS;
}
