import { command } from '../cli/command.ts';
import { FORMAT } from '../cli/common-options.ts';
import { PERSON, PERSON_WITH_REASON } from '../cli/person.ts';
import type { Taken } from '../cli/takes.ts';

const FREEZE = { ...PERSON, format: FORMAT };
export type FreezeOptions = Taken<typeof FREEZE>;

const UNFREEZE = { ...PERSON_WITH_REASON, format: FORMAT };
export type UnfreezeOptions = Taken<typeof UNFREEZE>;

export const freezeCommand = command({
  name: 'freeze',
  summary: 'Stop all budget changes now, including those of a run in progress. Reading and alerts continue.',
  takes: FREEZE,
  examples: ['pacekeeper freeze', 'pacekeeper freeze --why "prices are wrong in the shop"'],
  about: `A file named FREEZE in the data folder does the same as long as it exists.
With a database, it does so until unfreeze.`,
  opens: { what: 'stateAtOnce' },
  load: async () => (await import('./run-freeze.ts')).runFreeze,
});

export const unfreezeCommand = command({
  name: 'unfreeze',
  summary: 'Allow budget changes again, and delete the file FREEZE.',
  takes: UNFREEZE,
  examples: [
    'pacekeeper unfreeze --why "prices are right again"',
    'pacekeeper unfreeze --by anna --why "the shop is back"',
  ],
  opens: { what: 'stateAtOnce' },
  load: async () => (await import('./run-freeze.ts')).runUnfreeze,
});
