import { resolve } from 'node:path';
import type { CommandApp } from '../../cli/command.ts';
import { personOf, reasonOf } from '../../cli/person.ts';
import { EXIT } from '../../cli/print-error.ts';
import { shownPath } from '../../cli/shown-path.ts';
import type { LostWithCopy } from '../../store/sqlite/compare-states.ts';
import { count } from '../../text/text-layout.ts';
import type { RestoreOptions } from './backup-command.ts';
import { type RestoreResult, restoreState } from './restore-state.ts';
import { newestRunWords, recordWords, refuseEmptyPlace, tellSentences } from './run-backup.ts';

/** The restore command: 1 where the record in the copy is not proven, though it is in place. */
export async function runRestore(app: CommandApp<'folder'>, options: RestoreOptions): Promise<number> {
  const { folder, output } = app;
  refuseEmptyPlace(options.file, 'Name a file that pacekeeper backup made.');
  const file = resolve(folder, options.file);
  const restorer = { by: personOf(options, app), why: reasonOf(options) };
  const result = await app.open(({ settings, clock }) => restoreState(settings, clock, file, restorer));
  const shown = (path: string) => shownPath(folder, path);
  tellSentences(output, sentencesOf(result, shown));
  return result.held.unproven.length === 0 ? EXIT.done : EXIT.failed;
}

function sentencesOf(result: RestoreResult, shown: (path: string) => string): string[] {
  const { path, file, held, keptAs, published, frozen } = result;
  const { waiting } = held;
  return [
    `${shown(path)} is ${shown(file)} now. ${newestRunWords(held)}`,
    recordWords(held),
    ...(keptAs === undefined ? [] : [`The file that was there is kept as ${shown(keptAs)}.`]),
    ...(published === undefined
      ? []
      : [
          `warehouse.sqlite tells of more than the copy: it is kept as ${shown(published)}, and pacekeeper publish makes it anew.`,
        ]),
    ...lostWords(result),
    ...(waiting === 0
      ? []
      : [
          `${count(waiting, 'message')} waited to be sent when the copy was made: what has been sent since is sent again.`,
        ]),
    ...(frozen
      ? [
          'Budgets are frozen: what was changed since the copy is not known to it.',
          'next step: Run pacekeeper audit verify, which shows the budgets that have other amounts today. When every account has begun a new day, let budgets be changed again with pacekeeper unfreeze --why "…".',
        ]
      : ['The record of budget changes is the same as before, so budgets are not frozen for it.']),
  ];
}

const LOST_IN_GENERAL =
  'What people were told since the copy was made may be told again, and codes sent since are no longer known.';

/** What the file that was there knew beyond the copy. */
function lostWords({ lost, keptAs }: RestoreResult): string[] {
  if (keptAs === undefined) return [LOST_IN_GENERAL];
  if (lost === undefined) {
    return ['It could not be read, so what it knew beyond the copy cannot be told.', LOST_IN_GENERAL];
  }
  return [...partedWords(lost), missingWords(lost), ...toldSince(lost)];
}

function partedWords({ parted }: LostWithCopy): string[] {
  if (parted === undefined) return [];
  const both = 'The copy and the file that was there';
  const numbers = 'what has the same number in both is not the same';
  if (parted.kind === 'from_the_beginning') return [`${both} have no event in common: ${numbers}.`];
  const since = parted.kind === 'after_event' ? ` since event ${parted.id}` : '';
  return [`${both} have gone separate ways${since}: ${numbers}.`];
}

function missingWords({ runs, events }: LostWithCopy): string {
  const missing = [
    ...(runs === undefined ? [] : [runWords(runs)]),
    ...(events === 0 ? [] : [`${count(events, 'event')} of the record`]),
  ];
  if (missing.length === 0) return 'The copy has every run and every event that were there.';
  const days = runs === undefined ? '' : ' Days that those runs read are read again by pacekeeper extract.';
  return `Not in the copy: ${missing.join(' and ')}.${days}`;
}

function runWords({ first, last, count: lost }: NonNullable<LostWithCopy['runs']>): string {
  if (lost === 1) return `run ${first}`;
  const all = last - first + 1n === BigInt(lost);
  return all ? `the runs ${first} to ${last}` : `${count(lost, 'run')} between ${first} and ${last}`;
}

/** What people have on their phones, and the copy does not know of. */
function toldSince({ sent, codes }: LostWithCopy): string[] {
  const [are, say, they] = sent === 1 ? ['is', 'says', 'it'] : ['are', 'say', 'they'];
  const [known, them] = codes.length === 1 ? ['The code is', 'it'] : ['These codes are', 'them'];
  return [
    ...(sent > 0
      ? [`${count(sent, 'message')} sent since ${are} not in it: what ${they} ${say} may be told again.`]
      : []),
    ...(codes.length > 0
      ? [`${known} no longer known, and an answer with ${them} decides nothing: ${codes.join(', ')}.`]
      : []),
  ];
}
