import { type AdoptResult, adoptFolder } from '../../jobs/adopt-folder.ts';
import { count } from '../../report/text-layout.ts';
import { tellSentences } from '../backup/run-backup.ts';
import type { CommandApp } from '../command.ts';
import { personOf, reasonOf } from '../person.ts';
import { shownPath } from '../shown-path.ts';
import type { AdoptOptions } from './adopt-command.ts';

export async function runAdopt(app: CommandApp<'folder'>, options: AdoptOptions): Promise<void> {
  const person = { by: personOf(options, app), why: reasonOf(options) };
  const result = await app.open(({ settings, clock }) => adoptFolder(settings, clock, person));
  const shown = (path: string) => shownPath(app.folder, path);
  tellSentences(app.output, sentencesOf(result, shown));
}

function sentencesOf(result: AdoptResult, shown: (path: string) => string): string[] {
  const { path, events, lastRun, frozenUntil, keptAs, published } = result;
  return [
    events === undefined
      ? `${shown(path)} begins anew: no published file says what was changed.`
      : `${shown(path)} has the record of warehouse.sqlite: ${count(events, 'event')} in one unbroken chain.`,
    ...(keptAs === undefined ? [] : [`The state file of before is kept as ${shown(keptAs)}.`]),
    ...(published === undefined ? [] : [`The published file of before is kept as ${shown(published)}.`]),
    `The next run has the number ${lastRun + 1n}.`,
    `No budget is changed until ${frozenUntil}: every day that is open now has ended then.`,
    'next step: Run pacekeeper extract, which reads the days again, and pacekeeper audit verify.',
  ];
}
