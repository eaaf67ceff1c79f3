import { resolve } from 'node:path';
import type { CommandApp } from '../../cli/command.ts';
import { harmless, type Output, textLayout } from '../../cli/output.ts';
import { EXIT } from '../../cli/print-error.ts';
import { shownPath } from '../../cli/shown-path.ts';
import { InputError } from '../../domain/errors.ts';
import { count, wrapText } from '../../text/text-layout.ts';
import type { BackupOptions } from './backup-command.ts';
import { type BackupResult, backupState, type CopyContents, type InboxLook } from './backup-state.ts';

/** The backup command: 1 where the record in the copy is not proven. */
export async function runBackup(app: CommandApp, { where, force = false }: BackupOptions): Promise<number> {
  const { folder, settings, clock, output } = app;
  refuseEmptyPlace(where, 'Name a file or a folder: pacekeeper backup backups/');
  // A folder is told by the stroke at its end.
  const place = `${resolve(folder, where)}${/[\\/]$/.test(where) ? '/' : ''}`;
  const result = await backupState(settings, clock, place, { force });
  tellSentences(output, sentencesOf(result, shownPath(folder, result.path)));
  return result.held === undefined || result.held.unproven.length === 0 ? EXIT.done : EXIT.failed;
}

/** A variable that is not set is an empty text, which would be the current folder. */
export function refuseEmptyPlace(place: string, nextStep: string): void {
  if (place.trim() !== '') return;
  throw new InputError('The place is empty, expected a path: a variable that is not set is empty, too.', { nextStep });
}

/** Each on a line of its own, or on several where it is wider than the terminal. */
export function tellSentences(output: Output, sentences: readonly string[]): void {
  const { width } = textLayout(output);
  output.stdout.write(`${sentences.map((text) => wrapText(harmless(text), width, '', '  ')).join('\n')}\n`);
}

function sentencesOf({ bytes, version, held, inbox }: BackupResult, path: string): string[] {
  return [
    `${path}: ${bytes.toLocaleString('en-US')} bytes, every page and index whole, version ${version}.`,
    ...(held === undefined
      ? ['It is of another version: its record of budget changes was not looked at.']
      : [recordWords(held), newestRunWords(held)]),
    `Not in it: settings, queries, rules and .env, which are files of yours.${waitingWords(inbox)} What pacekeeper publish makes needs no copy.`,
    ...(inbox.kind === 'unreadable'
      ? [
          `inbox.sqlite cannot be read: ${inbox.reason}. How many answers from phones wait in it is not known; pacekeeper doctor --offline says what to do.`,
        ]
      : []),
  ];
}

function waitingWords(inbox: InboxLook): string {
  if (inbox.kind === 'unreadable' || inbox.waiting === 0) return '';
  const { waiting } = inbox;
  return ` ${count(waiting, 'answer')} from phones ${waiting === 1 ? 'waits' : 'wait'} in inbox.sqlite, which is not in it: pacekeeper serve acts on what waits there.`;
}

/** Whether the record of changes in a copy can be relied on. */
export function recordWords({ events, head, unproven }: CopyContents): string {
  if (unproven.length === 0) {
    return `Its record of budget changes is proven: ${count(events, 'event')} in one unbroken chain, the last one ${head.slice(0, 12)}.`;
  }
  return `Its record of budget changes is NOT proven: ${unproven[0]} pacekeeper audit verify shows all of it.`;
}

export function newestRunWords({ run }: Pick<CopyContents, 'run'>): string {
  return run === undefined ? 'No run is in it.' : `The newest run in it is ${run.id}, begun ${run.startedAt}.`;
}
