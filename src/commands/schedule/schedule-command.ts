import { command } from '../../cli/command.ts';
import { flag, type Taken } from '../../cli/takes.ts';

const TAKES = { once: flag('run what has become due since the last time, and end: 1 if a job failed') };
export type ScheduleOptions = Taken<typeof TAKES>;

export const scheduleCommand = command({
  name: 'schedule',
  summary: 'Run the jobs of the settings when they are due, and catch up on what was missed.',
  takes: TAKES,
  examples: ['pacekeeper schedule', 'pacekeeper schedule --once --data-dir /var/lib/pacekeeper'],
  about: `It prints one JSON line when it is ready and works until it is asked to end
(Ctrl-C, SIGTERM). docs/schedule.md says how jobs are written down;
docs/deploy/ has units, a timer and a container for it.`,
  settings: 'own',
  load: async () => (await import('./run-schedule.ts')).runSchedule,
});
