import type { Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/ports.ts';
import { isFresh, type LeaseHolder } from '../../engine/schedule/lease.ts';
import { readSchedule, type ScheduleReading } from '../../engine/schedule/read-schedule.ts';
import { fateOf, thisProcess } from '../../engine/schedule/this-process.ts';
import { nextDue } from '../../language/due-times.ts';
import type { ScheduledJob } from '../../storage/columns/run-columns.ts';
import type { Counts } from '../../storage/records/runs/state-counts.ts';
import type { ScheduleHolder, ScheduleStanding } from '../../views/status.ts';
import type { Measure, ScheduleHealth } from './page-source.ts';

export function scheduleStanding(settings: Pick<Settings, 'schedule' | 'paths'>, nowMs: number): ScheduleStanding {
  const reading = readSchedule(settings.paths.data);
  return {
    holder: reading?.holder && holderOf(reading.holder, nowMs),
    jobs: jobsOf(settings, reading, nowMs),
  };
}

function holderOf(holder: LeaseHolder, nowMs: number): ScheduleHolder {
  const { pid, host, takenAt: since } = holder;
  const gone = fateOf(holder, thisProcess()) === 'gone';
  return { pid, host, since, state: gone ? 'gone' : isFresh(holder, nowMs) ? 'keeping' : 'late' };
}

export interface StatusDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

export function scheduleHealth({ settings, clock }: StatusDeps): ScheduleHealth {
  try {
    const reading = readSchedule(settings.paths.data);
    if (reading === undefined) return 'none';
    return reading.holder && isFresh(reading.holder, clock.now()) ? 'running' : 'stopped';
  } catch {
    return 'unknown';
  }
}

/** If the schedule's file is unreadable, jobs have no past results. */
export function jobFacts({ settings, clock }: StatusDeps): ScheduledJob[] {
  return jobsOf(settings, readSafely(settings), clock.now());
}

function jobsOf(
  { schedule }: Pick<Settings, 'schedule'>,
  reading: ScheduleReading | undefined,
  nowMs: number,
): ScheduledJob[] {
  const past = new Map(reading?.jobs.map((job) => [job.name, job.lastTick]));
  return schedule.map((job) => {
    const tick = past.get(job.name);
    const { name, cron, timeZone } = job;
    const last = tick && { dueAt: tick.dueAt, state: tick.state, reason: tick.reason, runId: tick.runId };
    const nextMs = nextDue(job, nowMs);
    const next = tick?.retryAt ?? (nextMs === undefined ? undefined : instantText(nextMs));
    return { name, job: job.job, cron, timeZone, next, last };
  });
}

export function scheduleMeasures(deps: StatusDeps): Measure[] {
  const health = scheduleHealth(deps);
  if (health === 'none') return [];
  const jobs = readSafely(deps.settings)?.jobs ?? [];
  const begun = jobs.flatMap(({ name, lastRun }) => (lastRun?.startedAt === undefined ? [] : [{ name, lastRun }]));
  const ended = begun.filter(({ lastRun: { state } }) => state !== 'running' && state !== 'stopped');
  return [
    measure('schedule_running', '1 while the scheduler runs.', [{ labels: [], value: health === 'running' ? 1 : 0 }]),
    measure(
      'schedule_last_start_timestamp_seconds',
      'Start of the last run of the job.',
      begun.map(({ name, lastRun }) => ({ labels: [name], value: Date.parse(lastRun.startedAt ?? '') / 1000 })),
      'job',
    ),
    measure(
      'schedule_last_ok',
      '1 if the last run of the job succeeded, else 0. Absent while it runs and after a stop.',
      ended.map(({ name, lastRun }) => ({ labels: [name], value: lastRun.state === 'done' ? 1 : 0 })),
      'job',
    ),
  ];
}

export function measure(name: string, help: string, counts: Counts, ...labelNames: readonly string[]): Measure {
  const samples = counts.map(({ labels, value }) => ({
    labels: Object.fromEntries(labelNames.map((label, index) => [label, labels[index] ?? ''])),
    value,
  }));
  return { name: `pacekeeper_${name}`, help, samples };
}

function readSafely({ paths }: Settings): ScheduleReading | undefined {
  try {
    return readSchedule(paths.data);
  } catch {
    return undefined;
  }
}
