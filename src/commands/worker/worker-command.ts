import { command } from '../cli/command.ts';
import { wholeNumberOption } from '../cli/common-options.ts';
import type { Taken } from '../cli/takes.ts';

const TAKES = { concurrency: wholeNumberOption('accounts at a time (default: extract.concurrency)', 1, 64) };
export type WorkerOptions = Taken<typeof TAKES>;

export const workerCommand = command({
  name: 'worker',
  summary: 'Share the accounts of runs on other machines. Needs a database (store.url).',
  takes: TAKES,
  examples: ['pacekeeper worker', 'pacekeeper worker --concurrency 16'],
  about: `Prints one JSON line when ready. Works until it is stopped (Ctrl-C, SIGTERM).
See docs/scale-out.md.`,
  isStoppable: true,
  load: async () => (await import('./run-worker.ts')).runWorker,
});
