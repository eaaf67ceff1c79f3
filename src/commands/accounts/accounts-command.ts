import { command } from '../cli/command.ts';
import { LISTED } from '../cli/common-options.ts';

export const accountsCommand = command({
  name: 'accounts',
  summary: 'List the accounts and managers that the credentials reach, and through which manager.',
  takes: LISTED,
  examples: ['pacekeeper accounts', 'pacekeeper accounts --format json'],
  opens: { what: 'areas', readOnly: true },
  load: async () => (await import('./run-accounts.ts')).runAccounts,
});
