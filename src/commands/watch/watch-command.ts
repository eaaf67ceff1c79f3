import { command } from '../cli/command.ts';
import { FORMAT } from '../cli/common-options.ts';
import { flag, type Taken } from '../cli/takes.ts';

const WATCH = { once: flag('look once and end, for cron'), format: FORMAT };
export type WatchOptions = Taken<typeof WATCH>;

export const watchCommand = command({
  name: 'watch',
  summary: 'Send alerts about the runs themselves: failed, dead or missing runs, and what follows from them.',
  takes: WATCH,
  examples: ['pacekeeper watch --once', 'pacekeeper watch --once --format json'],
  about: `Sends waiting alerts, too. schedule and serve do the same every ten minutes.
For cron: */10 * * * * pacekeeper watch --once
Works during a run. Ends with 1 if an alert was not sent, or a check failed.`,
  opens: { what: 'all' },
  isStoppable: true,
  load: async () => (await import('./run-watch.ts')).runWatch,
});
