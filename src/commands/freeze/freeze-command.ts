import { command } from '../../cli/command.ts';
import { FORMAT } from '../../cli/common-options.ts';
import { PERSON, PERSON_WITH_REASON } from '../../cli/person.ts';
import type { Taken } from '../../cli/takes.ts';

const FREEZE = { ...PERSON, format: FORMAT };
export type FreezeOptions = Taken<typeof FREEZE>;

const UNFREEZE = { ...PERSON_WITH_REASON, format: FORMAT };
export type UnfreezeOptions = Taken<typeof UNFREEZE>;

export const freezeCommand = command({
  name: 'freeze',
  summary: 'Stop every budget change from now on, also those of a run that is on its way. Reading and alerts go on.',
  takes: FREEZE,
  examples: [
    'pacekeeper freeze',
    'pacekeeper freeze --why "prices are wrong in the shop"',
    'pacekeeper freeze --by anna --why "the shop is down"',
  ],
  about: 'A file named FREEZE in the data folder does the same while it is there.',
  opens: { what: 'stateAtOnce' },
  load: async () => (await import('./run-freeze.ts')).runFreeze,
});

export const unfreezeCommand = command({
  name: 'unfreeze',
  summary: 'Let budgets be changed again, and take the file FREEZE away.',
  takes: UNFREEZE,
  examples: [
    'pacekeeper unfreeze --why "prices are right again"',
    'pacekeeper unfreeze --by anna --why "the shop is back"',
  ],
  opens: { what: 'stateAtOnce' },
  load: async () => (await import('./run-freeze.ts')).runUnfreeze,
});
