import { command } from '../cli/command.ts';
import { LISTED } from '../cli/common-options.ts';

export const statusCommand = command({
  name: 'status',
  summary: 'Show the current status: last runs, coverage, budgets, alerts, next jobs. Contacts no service.',
  takes: LISTED,
  examples: ['pacekeeper status', 'pacekeeper status --format json'],
  load: async () => (await import('./run-status.ts')).runStatus,
});
