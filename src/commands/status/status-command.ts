import { command } from '../../cli/command.ts';
import { LISTING_FORMAT } from '../../cli/common-options.ts';
import type { Taken } from '../../cli/takes.ts';

const TAKES = { format: LISTING_FORMAT };
export type StatusOptions = Taken<typeof TAKES>;

export const statusCommand = command({
  name: 'status',
  summary: 'Show where everything stands: last runs, coverage, budgets, alerts, what is due next. Asks no service.',
  takes: TAKES,
  examples: ['pacekeeper status', 'pacekeeper status --format json'],
  load: async () => (await import('./run-status.ts')).runStatus,
});
