import { chmodSync, copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { targetOf } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import { folderPast, lastRunKnown } from '../../engine/folder/forgotten-past.ts';
import { statePath } from '../../engine/folder/store-file.ts';
import { JOURNALS, journalsOf, removeDatabase } from '../../storage/files/journals.ts';
import { nextPath, replaceDatabase } from '../../storage/files/replace-file.ts';
import { appendEvent } from '../../storage/records/budgets/event-table.ts';
import { recordFreeze } from '../../storage/records/budgets/freeze-record.ts';
import { isBusy } from '../../storage/records/is-busy.ts';
import { checkTarget } from '../../storage/records/runs/target-table.ts';
import { compareStates, type LostWithCopy } from '../../storage/records/sqlite/compare-states.ts';
import { closeJournal, copyDatabase } from '../../storage/records/sqlite/copy-database.ts';
import { stateFileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { holdsNothing, lookAtState, NOTHING_YET } from '../../storage/records/sqlite/look-at-state.ts';
import { openState } from '../../storage/records/sqlite/open-state.ts';
import { countRunsOnFrom, type Lacking, lackingIn, statePast } from '../../storage/records/sqlite/state-past.ts';
import { newerDatabase } from '../../storage/records/sqlite/unusable-database.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { actorOf, type NamedActor } from '../cli/person.ts';
import { EXIT } from '../cli/print-error.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { RestoreOptions } from './backup-command.ts';
import {
  type CopyContents,
  fileTime,
  newestRunWords,
  readContents,
  recordWords,
  refuseEmptyPlace,
  tellSentences,
} from './run-backup.ts';

/** Returns 1 if the record of budget changes in the restored copy is damaged. */
export async function runRestore(app: CommandApp<'folder'>, options: RestoreOptions): Promise<number> {
  const { folder, output } = app;
  refuseEmptyPlace(options.file, 'Name a file made by pacekeeper backup.');
  const file = resolve(folder, options.file);
  const restorer = actorOf(options, app);
  const result = await app.open(({ settings, clock }) => restoreState(settings, clock, file, restorer));
  tellSentences(
    output,
    sentencesOf(result, (path) => shownPath(folder, path)),
  );
  return result.held.unproven.length === 0 ? EXIT.done : EXIT.failed;
}

function sentencesOf(result: RestoreResult, shown: (path: string) => string): (string | undefined)[] {
  const { path, file, held, keptAs, published, frozen } = result;
  return [
    `Restored ${shown(path)} from ${shown(file)}. ${newestRunWords(held)}`,
    recordWords(held),
    keptAs && `The old file is kept as ${shown(keptAs)}.`,
    published &&
      `warehouse.sqlite contains more than the copy. It is kept as ${shown(published)}. pacekeeper publish makes a new one.`,
    ...lostWords(result),
    held.waiting === 0
      ? undefined
      : `${count(held.waiting, 'message')} in the copy had not been sent when it was made. Any sent since then will be sent again.`,
    ...(frozen ? FROZEN_WORDS : [NOT_FROZEN]),
  ];
}

const FROZEN_WORDS = [
  'Budgets are frozen, because the copy may lack budget changes made after it.',
  'next step: Run pacekeeper audit verify to see budgets whose amounts differ today. When every account has begun a new day, run pacekeeper unfreeze --why "…".',
];
const NOT_FROZEN = 'The record of budget changes is the same as before, so the restore freezes no budgets.';

const LOST_IN_GENERAL =
  'Messages sent after the copy may be sent again. Approval codes sent after the copy no longer work.';

function lostWords({ lost, keptAs }: RestoreResult): (string | undefined)[] {
  if (keptAs === undefined) return [LOST_IN_GENERAL];
  if (lost === undefined) {
    return ['The old file could not be read. pacekeeper does not know which changes the copy lacks.', LOST_IN_GENERAL];
  }
  return [partedWords(lost), missingWords(lost), ...sentSinceCopy(lost)];
}

function partedWords({ parted }: LostWithCopy): string | undefined {
  if (parted === undefined) return undefined;
  const both = 'The copy and the old file';
  const numbers = 'the same event number stands for different events';
  if (parted.kind === 'from_the_beginning') return `${both} have no event in common: ${numbers}.`;
  const since = parted.kind === 'after_event' ? ` after event ${parted.id}` : '';
  return `${both} diverged${since}: ${numbers}.`;
}

function missingWords({ runs, events }: LostWithCopy): string {
  const missing = [
    ...(runs === undefined ? [] : [runWords(runs)]),
    ...(events === 0 ? [] : [`${count(events, 'event')} of the record`]),
  ];
  if (missing.length === 0) return 'The copy has every run and event of the old file.';
  const days = runs === undefined ? '' : ' Run pacekeeper extract to read the days of those runs again.';
  return `Not in the copy: ${missing.join(' and ')}.${days}`;
}

function runWords({ first, last, count: lost }: NonNullable<LostWithCopy['runs']>): string {
  if (lost === 1) return `run ${first}`;
  const all = last - first + 1n === BigInt(lost);
  return all ? `runs ${first} to ${last}` : `${count(lost, 'run')} between ${first} and ${last}`;
}

function sentSinceCopy({ sent, codes }: LostWithCopy): (string | undefined)[] {
  const messages = `${count(sent, 'message')} sent since ${sent === 1 ? 'is' : 'are'} not in the copy`;
  const may = sent === 1 ? 'it may be sent again' : 'they may be sent again';
  const unknown = codes.length === 1 ? 'This approval code no longer works' : 'These approval codes no longer work';
  return [
    sent > 0 ? `${messages}: ${may}.` : undefined,
    codes.length > 0 ? `${unknown}: ${codes.join(', ')}.` : undefined,
  ];
}

interface RestoreResult {
  readonly path: string;
  readonly file: string;
  readonly held: CopyContents;
  readonly lost: LostWithCopy | undefined;
  readonly keptAs: string | undefined;
  /** The new path of the old warehouse.sqlite. Undefined without such a file, or if the copy lacks nothing of it. */
  readonly published: string | undefined;
  readonly frozen: boolean;
}

/**
 * After a failure, the state file is either the complete old file or the complete new file. Freezes budgets unless the
 * old file proves that no budget changed after the copy. Throws `InputError` for an unusable copy.
 */
export async function restoreState(
  settings: Settings,
  clock: Clock,
  file: string,
  restorer: NamedActor,
): Promise<RestoreResult> {
  const path = stateFileBehind(statePath(settings));
  refuseUnusable(file, path);
  const next = nextPath(path);
  // Removes a file that a killed restore can leave behind.
  removeDatabase(next);
  await copyDatabase(file, next, path);
  try {
    const held = await bringUpToDate(next, file, settings);
    const lost = await readLost(path, next);
    const { lacks, frozen } = await record(next, { settings, path, file, restorer, lost }, clock);
    const suffix = `before-restore-${fileTime(clock)}`;
    const published = lacks && setAside(settings, `warehouse-${suffix}`);
    const keptAs = putInPlace(next, path, `state-${suffix}`);
    return { path: statePath(settings), file, held, lost, keptAs, published, frozen };
  } finally {
    removeDatabase(next);
  }
}

function refuseUnusable(file: string, path: string): void {
  const why = whyNoCopy(file, path);
  if (why !== undefined) throw new InputError(why, { nextStep: 'Name a file made by pacekeeper backup.' });
  const look = lookAtState(file, 'thorough');
  if (look.kind === 'newer') throw newerDatabase(file);
  const reason =
    look.kind === 'damaged' || look.kind === 'unreadable'
      ? `is ${look.kind}: ${look.reason}`
      : look.version === NOTHING_YET
        ? 'is not a pacekeeper state.sqlite'
        : undefined;
  if (reason === undefined) return;
  throw new InputError(`${file} ${reason}. Nothing was changed.`, { nextStep: 'Restore another copy.' });
}

function whyNoCopy(file: string, path: string): string | undefined {
  if (!existsSync(file)) return `File not found: ${file}.`;
  const found = statSync(file);
  if (!found.isFile())
    return `${file} is ${found.isDirectory() ? 'a folder' : 'not a file'}, expected a copy of state.sqlite.`;
  const isInUse = existsSync(path) && realpathSync(file) === realpathSync(path);
  return isInUse ? `${file} is the file in use.` : undefined;
}

async function bringUpToDate(next: string, file: string, settings: Settings): Promise<CopyContents> {
  const state = await openState(next, undefined, file).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${error.message} Nothing was changed.`, { nextStep: 'Restore another copy.', cause: error });
  });
  try {
    await checkTarget(state, targetOf(settings));
  } finally {
    await state.close();
  }
  return readContents(next);
}

/** Undefined if the old file is missing, damaged, incomplete or of another version. */
async function readLost(path: string, next: string): Promise<LostWithCopy | undefined> {
  if (!existsSync(path) || lookAtState(path).kind !== 'sound') return undefined;
  try {
    // Reads the complete file, and throws if anything is unreadable.
    await readContents(path);
    return compareStates(path, next);
  } catch (error) {
    // Another program is writing, so a comparison would be outdated at once.
    if (isBusy(error)) throw error;
    return undefined;
  }
}

interface Restoring {
  readonly settings: Settings;
  readonly path: string;
  readonly file: string;
  readonly restorer: NamedActor;
  readonly lost: LostWithCopy | undefined;
}

async function record(
  next: string,
  { settings, path, file, restorer: { by, why }, lost }: Restoring,
  clock: Clock,
): Promise<{ readonly lacks: Lacking | undefined; readonly frozen: boolean }> {
  const past = folderPast(settings.paths.data);
  const before = statePast(path, past.published);
  const tellsAll = before.kind === 'known' && before.lacks === undefined;
  const state = await openState(next);
  try {
    const lacks = past.published && lackingIn(state, past.published);
    // The old state file can itself be an old copy. In that case, the published file decides.
    const frozen = lost?.isSameRecord !== true || (!tellsAll && lacks?.what === 'event');
    // The record is published, but the path is private.
    const copy = basename(file);
    await appendEvent(state.db, { kind: 'restored', actor: by, detail: { copy, why } }, clock.now());
    if (frozen) {
      const words = `restored from ${copy}: changes since that copy are not known${why === undefined ? '' : ` (${why})`}`;
      await recordFreeze(state.db, { by, why: words }, clock.now());
    }
    // People have seen these run numbers, so new runs must not use them again.
    countRunsOnFrom(state, lastRunKnown(past));
    if (before.kind === 'known') countRunsOnFrom(state, before.lastRun);
    return { lacks, frozen };
  } finally {
    await state.close();
  }
}

/** The old warehouse.sqlite can contain facts that no other file has. */
function setAside({ paths }: Settings, name: string): string {
  const kept = freeName(paths.data, name);
  renameSync(warehousePath(paths.data), kept);
  return kept;
}

/** Returns the new path of the old file. Undefined if that file held nothing. `path` is always a complete file. */
export function putInPlace(next: string, path: string, name: string): string | undefined {
  const kept = freeName(dirname(path), name);
  const holdsSomething = existsSync(path) && !holdsNothing(path);
  if (holdsSomething) keep(path, kept);
  setJournalsAside(path, kept);
  closeJournal(next);
  replaceDatabase(next, path);
  return holdsSomething ? kept : undefined;
}

export function freeName(folder: string, name: string): string {
  const stem = join(folder, name);
  let free = `${stem}.sqlite`;
  for (let count = 2; existsSync(free) || journalsOf(free).length > 0; count++) free = `${stem}-${count}.sqlite`;
  return free;
}

/** A second name instead of a rename, so that `path` always exists. */
export function giveSecondName(path: string, second: string): void {
  try {
    linkSync(path, second);
  } catch {
    copyFileSync(path, second);
  }
}

function keep(path: string, kept: string): void {
  const look = lookAtState(path).kind;
  if (look !== 'damaged' && look !== 'unreadable') closeJournal(path);
  giveSecondName(path, kept);
  chmodSync(kept, 0o600);
}

/** SQLite would apply old journals to the new file. */
function setJournalsAside(path: string, kept: string): void {
  for (const ending of JOURNALS) {
    if (!existsSync(`${path}${ending}`)) continue;
    // Old journals can help to repair a damaged file. SQLite rebuilds -shm.
    if (ending === '-shm') rmSync(`${path}${ending}`);
    else renameSync(`${path}${ending}`, `${kept}${ending}`);
  }
}
