import { command } from '../cli/command.ts';
import { flag, type Taken } from '../cli/takes.ts';

const TAKES = { once: flag('run the jobs that became due since the last time, then exit (code 1 if a job failed)') };
export type ScheduleOptions = Taken<typeof TAKES>;

export const scheduleCommand = command({
  name: 'schedule',
  summary: 'Run the jobs in the settings when they are due, and catch up on missed ones.',
  takes: TAKES,
  examples: ['pacekeeper schedule', 'pacekeeper schedule --once --data-dir /var/lib/pacekeeper'],
  about: `Prints one JSON line when ready, and runs until it is stopped (Ctrl-C, SIGTERM).
See docs/schedule.md for the format of jobs.`,
  settings: 'own',
  load: async () => (await import('./run-schedule.ts')).runSchedule,
});
