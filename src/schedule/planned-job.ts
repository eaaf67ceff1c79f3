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
