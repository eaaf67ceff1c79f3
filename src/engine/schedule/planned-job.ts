import { instantText, minuteText } from '../../domain/civil-date.ts';
import type { Timetable } from '../../language/due-times.ts';

export interface PlannedJob extends Timetable {
  readonly name: string;
  readonly job: 'report' | 'extract' | 'deliver' | 'publish';
  readonly retry?: { readonly times: number; readonly withinMinutes: number };
}

/** In milliseconds, for the times of the first attempt and of the last end. The pauses double. Undefined after the last retry. */
export function nextRetry(
  { retry }: PlannedJob,
  attempts: number,
  firstMs: number,
  endedMs: number,
): number | undefined {
  if (retry === undefined || attempts > retry.times) return undefined;
  const withinMs = retry.withinMinutes * 60_000;
  const nextMs = Math.max(endedMs, firstMs + (withinMs * (2 ** attempts - 1)) / 2 ** retry.times);
  return nextMs <= firstMs + withinMs ? nextMs : undefined;
}

export function readsDays({ job }: PlannedJob): boolean {
  return job === 'report' || job === 'extract';
}

/** Jobs in the lane `folder` run one after another, because they write to the data folder. */
export function laneOf({ job }: PlannedJob): 'folder' | 'beside' {
  return job === 'deliver' ? 'beside' : 'folder';
}

/** A job with a changed fingerprint counts as a new job. */
export function fingerprintOf({ job, cron, timeZone }: PlannedJob): string {
  return `${job} ${cron.trim().split(/\s+/).join(' ')} ${timeZone}`;
}

export const ON_TIME_MS = 10 * 60_000;

export interface DueDecision {
  readonly dueMs: number;
  readonly kind: 'run' | 'missed';
  readonly reason: string | undefined;
}

export interface DueFacts {
  readonly dueMs: readonly number[];
  /** The due time (milliseconds) of the run that waits or is in progress. Undefined without such a run. */
  readonly busyWithMs: number | undefined;
  /** `missing`: a late run would find missing days. `unasked`: no check was needed. */
  readonly days: 'missing' | 'complete' | 'unasked';
}

/** Runs at most the newest due time, because one run covers all earlier due times. */
export function decideDue({ dueMs, busyWithMs, days }: DueFacts, nowMs: number): DueDecision[] {
  const newest = dueMs.at(-1);
  if (newest === undefined) return [];
  const all = (reason: string) => dueMs.map((due): DueDecision => ({ dueMs: due, kind: 'missed', reason }));
  if (busyWithMs !== undefined) return all(`the run of ${minuteText(instantText(busyWithMs))} was still in progress`);
  if (isLate(newest, nowMs) && days === 'complete') return all('no account day was missing');
  const late = isLate(newest, nowMs) ? 'late, because no scheduler ran when it was due' : undefined;
  const run: DueDecision = { dueMs: newest, kind: 'run', reason: late };
  return [...all(`covered by the run of ${minuteText(instantText(newest))}`).slice(0, -1), run];
}

export function isLate(dueMs: number, nowMs: number): boolean {
  return nowMs - dueMs > ON_TIME_MS;
}
