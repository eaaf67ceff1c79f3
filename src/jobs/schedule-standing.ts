import type { Settings } from '../config/settings.ts';
import { isFresh, type LeaseHolder } from '../schedule/lease.ts';
import { readSchedule } from '../schedule/read-schedule.ts';
import { fateOf, thisProcess } from '../schedule/this-process.ts';
import type { ScheduleHolder, ScheduleStanding } from '../views/status.ts';
import { jobsOf } from './schedule-facts.ts';

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
