import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { stateFileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { holdsNothing } from '../../storage/records/sqlite/look-at-state.ts';

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
