import { command } from '../cli/command.ts';
import { LISTING_FORMAT } from '../cli/common-options.ts';
import type { Taken } from '../cli/takes.ts';

const TAKES = { format: LISTING_FORMAT };
export type AccountsOptions = Taken<typeof TAKES>;

export const accountsCommand = command({
  name: 'accounts',
  summary: 'List the accounts and managers that the credentials reach, and through which manager.',
  takes: TAKES,
  examples: ['pacekeeper accounts', 'pacekeeper accounts --format json'],
  opens: { what: 'areas', readOnly: true },
  load: async () => (await import('./run-accounts.ts')).runAccounts,
});
