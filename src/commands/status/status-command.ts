import { command } from '../cli/command.ts';
import { LISTING_FORMAT } from '../cli/common-options.ts';
import type { Taken } from '../cli/takes.ts';

const TAKES = { format: LISTING_FORMAT };
export type StatusOptions = Taken<typeof TAKES>;

export const statusCommand = command({
  name: 'status',
  summary: 'Show the current status: last runs, coverage, budgets, alerts, next jobs. Contacts no service.',
  takes: TAKES,
  examples: ['pacekeeper status', 'pacekeeper status --format json'],
  load: async () => (await import('./run-status.ts')).runStatus,
});
