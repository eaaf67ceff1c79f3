import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { MOVE_AGAIN } from '../../storage/records/move-again.ts';
import { stateFileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { holdsNothing } from '../../storage/records/sqlite/look-at-state.ts';
import { statePast } from '../../storage/records/sqlite/state-past.ts';

export function statePath({ paths }: Settings): string {
  return join(paths.data, 'state.sqlite');
}

/** True if the state file has tables of pacekeeper or is unreadable. Throws `InputError` for a broken link or folder. */
export function hasState(settings: Settings): boolean {
  const path = stateFileBehind(statePath(settings));
  return existsSync(path) && !holdsNothing(path);
}

/** Throws `InputError` for a missing file, and for an empty file, because its data may be lost. */
export function filledState(settings: Settings): string {
  const path = existingState(settings);
  if (hasState(settings)) return path;
  throw new InputError(`${path} is empty: it has no pacekeeper tables.`, { nextStep: FILL_STATE });
}

export const FILL_STATE =
  'If it held data, put a copy back with pacekeeper restore FILE. Otherwise run pacekeeper report.';

/** Throws `InputError` if there is no state file. */
export function existingState(settings: Settings): string {
  const path = statePath(settings);
  if (existsSync(stateFileBehind(path))) return path;
  throw new InputError(`File not found: ${path}. No run has read data yet.`, {
    nextStep: 'Run pacekeeper report, or choose the folder of an earlier run with --data-dir.',
  });
}

const storeFile = ({ paths }: Settings) => join(paths.data, 'store.txt');

/** So that no later command begins a second record in files of this folder. */
export function rememberStore(settings: Settings, where: string): void {
  if (rememberedStore(settings) === where) return;
  mkdirSync(settings.paths.data, { recursive: true, mode: 0o755 });
  writeFileSync(storeFile(settings), `${where}\n`);
}

export function forgetStore(settings: Settings): void {
  rmSync(storeFile(settings), { force: true });
}

/** The address of the database to which the data folder belongs. Undefined for a folder with its own files. */
export function rememberedStore(settings: Settings): string | undefined {
  const path = storeFile(settings);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/** True also for a file that cannot be read, because it may have records. */
export function hasOwnRecords(settings: Settings): boolean {
  return ['known', 'unreadable'].includes(statePast(statePath(settings), undefined).kind);
}

/** The reason why no command may use the files of this folder. Its records are in a database, or move there. */
export function movedAway(settings: Settings): InputError | undefined {
  const where = rememberedStore(settings);
  if (where === undefined) return undefined;
  const { data } = settings.paths;
  if (hasOwnRecords(settings)) {
    return new InputError(`The move of the records between ${data} and ${where} is not complete.`, {
      nextStep: MOVE_AGAIN,
    });
  }
  return new InputError(`The records of ${data} are in ${where}.`, {
    nextStep: 'Set store.url or PACEKEEPER_STORE_URL, or choose another data folder with --data-dir.',
  });
}

/** The reason why the folder and this database do not belong together. */
export function otherStore(settings: Settings, where: string): InputError | undefined {
  const remembered = rememberedStore(settings);
  if (remembered !== undefined && remembered !== where) {
    return new InputError(`The records of ${settings.paths.data} are in ${remembered}, but store.url names ${where}.`, {
      nextStep: 'Correct store.url, or choose another data folder. If the database moved, delete store.txt.',
    });
  }
  if (!hasOwnRecords(settings)) return undefined;
  if (remembered === where) return movedAway(settings);
  return new InputError(`${statePath(settings)} has records, but store.url names ${where}.`, {
    nextStep: 'Choose another data folder with --data-dir, or remove store.url to go on with this file.',
  });
}

export function refuseMoved(settings: Settings): void {
  const moved = movedAway(settings);
  if (moved !== undefined) throw moved;
}
