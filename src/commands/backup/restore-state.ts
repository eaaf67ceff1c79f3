import { chmodSync, copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { targetOf } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { JOURNALS, journalsOf, removeDatabase } from '../../files/journals.ts';
import { nextPath, replaceDatabase } from '../../files/replace-file.ts';
import { folderPast, lastRunKnown, warehousePath } from '../../folder/forgotten-past.ts';
import { statePath } from '../../folder/state-path.ts';
import { appendEvent } from '../../store/budgets/event-table.ts';
import { recordFreeze } from '../../store/budgets/freeze-record.ts';
import { checkTarget } from '../../store/runs/target-table.ts';
import { compareStates, type LostWithCopy } from '../../store/sqlite/compare-states.ts';
import { closeJournal, copyDatabase } from '../../store/sqlite/copy-database.ts';
import { stateFileBehind } from '../../store/sqlite/file-behind.ts';
import { holdsNothing, lookAtState, NOTHING_YET } from '../../store/sqlite/look-at-state.ts';
import { openState } from '../../store/sqlite/open-state.ts';
import { countRunsOnFrom, type Lacking, lackingIn, statePast } from '../../store/sqlite/state-past.ts';
import { isBusy, newerDatabase } from '../../store/sqlite/unusable-database.ts';
import { type CopyContents, fileTime, readContents } from './backup-state.ts';

export interface RestoreResult {
  readonly path: string;
  readonly file: string;
  /** What the copy holds, as it was made. */
  readonly held: CopyContents;
  /** What was there before and is not in the copy; undefined where there was nothing, or nothing that can be read. */
  readonly lost: LostWithCopy | undefined;
  /** Where that is kept; undefined where there was nothing. */
  readonly keptAs: string | undefined;
  /** Where the published file is kept now, because it tells of more than the copy; undefined where it stays in place. */
  readonly published: string | undefined;
  /** Whether budgets are frozen now, because changes may be missing in the copy. */
  readonly frozen: boolean;
}

/** Who puts a copy in place, as the record will say. */
export interface Restorer {
  readonly by: string;
  readonly why: string | undefined;
}

/**
 * Puts a copy in the place of `state.sqlite`. The caller holds the data folder. The copy is proved and brought up to date
 * beside the old file, which is kept under another name; what fails or is killed leaves the old one or the new one whole.
 * Budgets are frozen in it unless the old file shows that none was changed since. Throws `InputError` for a copy that is
 * damaged, newer than the program, or of another target.
 */
export async function restoreState(
  settings: Settings,
  clock: Clock,
  file: string,
  restorer: Restorer,
): Promise<RestoreResult> {
  const path = stateFileBehind(statePath(settings));
  refuseUnusable(file, path);
  const next = nextPath(path);
  // What a restore that was killed left: the caller holds the data folder, so nobody else makes one.
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
  if (why !== undefined) throw new InputError(why, { nextStep: 'Name a file that pacekeeper backup made.' });
  const look = lookAtState(file, 'thorough');
  if (look.kind === 'newer') throw newerDatabase(file);
  const reason =
    look.kind === 'damaged' || look.kind === 'unreadable'
      ? `is ${look.kind}: ${look.reason}`
      : look.version === NOTHING_YET
        ? 'is no state.sqlite of pacekeeper'
        : undefined;
  if (reason === undefined) return;
  throw new InputError(`${file} ${reason}. Nothing was changed.`, { nextStep: 'Put another copy back.' });
}

/** What can be told without a look into the file; undefined where that has to be taken. */
function whyNoCopy(file: string, path: string): string | undefined {
  if (!existsSync(file)) return `There is no ${file}.`;
  const found = statSync(file);
  if (!found.isFile()) return `${file} is ${found.isDirectory() ? 'a folder' : 'no file'}.`;
  const isInUse = existsSync(path) && realpathSync(file) === realpathSync(path);
  return isInUse ? `${file} is the file that is in use.` : undefined;
}

/** What of the copy fails here has changed nothing yet. */
async function bringUpToDate(next: string, file: string, settings: Settings): Promise<CopyContents> {
  const state = await openState(next, undefined, file).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${error.message} Nothing was changed.`, { nextStep: 'Put another copy back.', cause: error });
  });
  try {
    await checkTarget(state, targetOf(settings));
  } finally {
    await state.close();
  }
  return readContents(next);
}

/** A file that is damaged, lacks a table, or is of another version, cannot say what it knows beyond the copy. */
async function readLost(path: string, next: string): Promise<LostWithCopy | undefined> {
  if (!existsSync(path) || lookAtState(path).kind !== 'sound') return undefined;
  try {
    // What cannot be read as a whole is not relied on for a part.
    await readContents(path);
    return compareStates(path, next);
  } catch (error) {
    // Who writes to it now is about to know more.
    if (isBusy(error)) throw error;
    return undefined;
  }
}

interface Restoring {
  readonly settings: Settings;
  readonly path: string;
  readonly file: string;
  readonly restorer: Restorer;
  readonly lost: LostWithCopy | undefined;
}

/** Writes the restore into the copy's record, and freezes it where the folder does not show that no budget was changed since. */
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
    // A copy that somebody put there by hand is as old as the one that is put back now.
    const frozen = lost?.isSameRecord !== true || (!tellsAll && lacks?.what === 'event');
    // Its name alone: the record is published, and where somebody keeps copies is nobody's business.
    const copy = basename(file);
    await appendEvent(state.db, { kind: 'restored', actor: by, detail: { copy, why } }, clock.now());
    if (frozen) {
      const words = `restored from ${copy}: changes since that copy are not known${why === undefined ? '' : ` (${why})`}`;
      await recordFreeze(state.db, { by, why: words }, clock.now());
    }
    // A number that people have seen stands for one run.
    countRunsOnFrom(state, lastRunKnown(past));
    if (before.kind === 'known') countRunsOnFrom(state, before.lastRun);
    return { lacks, frozen };
  } finally {
    await state.close();
  }
}

/** The published file may say something that no other file says. */
function setAside({ paths }: Settings, name: string): string {
  const kept = freeName(paths.data, name);
  renameSync(warehousePath(paths.data), kept);
  return kept;
}

/**
 * Puts a state file that was made beside `path` in its place. What was there is kept under `name`, unless there was nothing in
 * it; answers with where. Who is killed on the way leaves the old file or the new one whole.
 */
export function putInPlace(next: string, path: string, name: string): string | undefined {
  const kept = freeName(dirname(path), name);
  const holdsSomething = existsSync(path) && !holdsNothing(path);
  if (holdsSomething) keep(path, kept);
  setJournalsAside(path, kept);
  closeJournal(next);
  replaceDatabase(next, path);
  return holdsSomething ? kept : undefined;
}

/** The first name of that kind that no file of the folder has, nor a journal of one that is gone. */
export function freeName(folder: string, name: string): string {
  const stem = join(folder, name);
  let free = `${stem}.sqlite`;
  for (let count = 2; existsSync(free) || journalsOf(free).length > 0; count++) free = `${stem}-${count}.sqlite`;
  return free;
}

/** Gives a file a second name, so that at every moment there is one of the first. */
export function giveSecondName(path: string, second: string): void {
  try {
    linkSync(path, second);
  } catch {
    // Not every file system has second names.
    copyFileSync(path, second);
  }
}

function keep(path: string, kept: string): void {
  const look = lookAtState(path).kind;
  if (look !== 'damaged' && look !== 'unreadable') closeJournal(path);
  giveSecondName(path, kept);
  chmodSync(kept, 0o600);
}

/** None may stay behind, not even one whose file is gone: SQLite would take it for that of the new file. */
function setJournalsAside(path: string, kept: string): void {
  for (const ending of JOURNALS) {
    if (!existsSync(`${path}${ending}`)) continue;
    // The journal of a damaged file may hold what saves it; its index is made anew.
    if (ending === '-shm') rmSync(`${path}${ending}`);
    else renameSync(`${path}${ending}`, `${kept}${ending}`);
  }
}
