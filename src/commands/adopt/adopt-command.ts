import { command } from '../cli/command.ts';
import { WAIT } from '../cli/common-options.ts';
import { PERSON } from '../cli/person.ts';
import type { Taken } from '../cli/takes.ts';

const TAKES = { ...PERSON, ...WAIT };
export type AdoptOptions = Taken<typeof TAKES>;

export const adoptCommand = command({
  name: 'adopt',
  summary:
    'Rebuild a lost state.sqlite from warehouse.sqlite. Budgets stay frozen until every account starts a new day.',
  takes: TAKES,
  examples: [
    'pacekeeper adopt --why "state.sqlite was deleted"',
    'pacekeeper adopt --by anna --why "the disk was full"',
  ],
  about: `If you have a copy of state.sqlite, use pacekeeper restore: it recovers more.
With store.url, adopt goes on without lost runs. See docs/scale-out.md.`,
  opens: { what: 'folder', lock: true },
  load: async () => (await import('./run-adopt.ts')).runAdopt,
});
