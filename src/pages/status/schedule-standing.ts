import type { Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/ports.ts';
import type { ScheduleHealth } from '../../pages/status/page-source.ts';
import { nextDue } from '../../schedule/due-times.ts';
import { isFresh, type LeaseHolder } from '../../schedule/lease.ts';
import { readSchedule, type ScheduleReading } from '../../schedule/read-schedule.ts';
import { fateOf, thisProcess } from '../../schedule/this-process.ts';
import type { ScheduledJob } from '../../views/run-columns.ts';
import type { ScheduleHolder, ScheduleStanding } from '../../views/status.ts';
import type { Measure } from './page-source.ts';

/** What is due next by the settings, and what came of the last time by the record. Reads beside whoever keeps the schedule. */
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

export interface ScheduleDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Whether somebody keeps the schedule of the data folder; `unknown` where its file cannot be read. */
export function scheduleHealth({ settings, clock }: ScheduleDeps): ScheduleHealth {
  try {
    const reading = readSchedule(settings.paths.data);
    if (reading === undefined) return 'none';
    return reading.holder && isFresh(reading.holder, clock.now()) ? 'running' : 'stopped';
  } catch {
    return 'unknown';
  }
}

/** The jobs of the settings; without the past of a schedule that cannot be read. */
export function jobFacts({ settings, clock }: ScheduleDeps): ScheduledJob[] {
  return jobsOf(settings, readSafely(settings), clock.now());
}

/** The jobs of the settings with what a reading of the schedule's file says of them. */
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
    const next = nextMs === undefined ? undefined : instantText(nextMs);
    return { name, job: job.job, cron, timeZone, next, last };
  });
}

/** What `/metrics` tells of the schedule; nothing where there was never one. */
export function scheduleMeasures(deps: ScheduleDeps): Measure[] {
  const health = scheduleHealth(deps);
  if (health === 'none') return [];
  const jobs = readSafely(deps.settings)?.jobs ?? [];
  const begun = jobs.flatMap(({ name, lastRun }) => (lastRun?.startedAt === undefined ? [] : [{ name, lastRun }]));
  return [
    {
      ...{ name: 'pacekeeper_schedule_running', help: '1 while somebody keeps the schedule.' },
      samples: [{ labels: {}, value: health === 'running' ? 1 : 0 }],
    },
    {
      ...{ name: 'pacekeeper_schedule_last_start_timestamp_seconds', help: 'When the job was last begun.' },
      samples: begun.map(({ name, lastRun }) => ({
        ...{ labels: { job: name }, value: Date.parse(lastRun.startedAt ?? '') / 1000 },
      })),
    },
    {
      ...{
        name: 'pacekeeper_schedule_last_ok',
        help: '1 when the job last ended well, 0 when not; absent while it runs, and when it was asked to stop.',
      },
      samples: begun
        .filter(({ lastRun }) => lastRun.state !== 'running' && lastRun.state !== 'stopped')
        .map(({ name, lastRun }) => ({ labels: { job: name }, value: lastRun.state === 'done' ? 1 : 0 })),
    },
  ];
}

function readSafely({ paths }: Settings): ScheduleReading | undefined {
  try {
    return readSchedule(paths.data);
  } catch {
    // Of a file that cannot be read pacekeeper schedule itself says what to do.
    return undefined;
  }
}
