import { command } from '../../cli/command.ts';
import { WAIT } from '../../cli/common-options.ts';
import { PERSON } from '../../cli/person.ts';
import type { Taken } from '../../cli/takes.ts';

const TAKES = { ...PERSON, ...WAIT };
export type AdoptOptions = Taken<typeof TAKES>;

export const adoptCommand = command({
  name: 'adopt',
  summary:
    'Make a lost state.sqlite anew from warehouse.sqlite, and change no budget until every account has begun a new day.',
  takes: TAKES,
  examples: [
    'pacekeeper adopt --why "state.sqlite was deleted"',
    'pacekeeper adopt --by anna --why "the disk was full"',
  ],
  about: 'With a copy of state.sqlite, pacekeeper restore knows more.',
  opens: { what: 'folder', lock: true },
  load: async () => (await import('./run-adopt.ts')).runAdopt,
});
