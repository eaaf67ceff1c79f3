import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import { forgottenPast } from '../../folder/forgotten-past.ts';
import { FILL_STATE, statePath } from '../../folder/state-path.ts';
import { VERIFY_RECORD } from '../../store/altered-record.ts';
import { fileBehind, stateFileBehind, statsBehind } from '../../store/sqlite/file-behind.ts';
import { lookAtPages, lookAtState, NOTHING_YET } from '../../store/sqlite/look-at-state.ts';
import { checkMode } from './check-settings.ts';
import type { Check } from './doctor-view.ts';
import { checksOf } from './make-check.ts';

const make = checksOf('data_folder');
const { ok, warning, missing, failed } = make;

const MIB = 1024 * 1024;
const FREE_LEAST = 100 * MIB;
const FREE_WANTED = 1024 * MIB;

export function checkDataFolder(settings: Settings, platform: string): Check[] {
  const folder = settings.paths.data;
  const nearest = nearestThere(folder);
  const written = isWritable(nearest);
  const facts = {
    found: `${folder}${existsSync(folder) ? '' : ', which does not exist yet'}`,
    expected: 'a writable folder',
  };
  if (!written) {
    const nextStep = `Let this user write to ${nearest} (chown or chmod), or choose another folder with --data-dir.`;
    return [failed('folder', { ...facts, found: `${nearest}, not writable by this user`, nextStep })];
  }
  return [
    ok('folder', facts),
    checkDisk(nearest),
    ...checkState(settings),
    ...checkOthers(settings),
    ...(platform === 'win32' || !existsSync(folder) ? [] : checkModes(folder)),
  ];
}

function nearestThere(folder: string): string {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkDisk(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const facts = { found: `${sizeText(free)} free`, expected: `${sizeText(FREE_WANTED)} or more` };
  const nextStep = 'Free space on this disk, or choose a folder on another disk with --data-dir.';
  if (free < FREE_LEAST) return failed('disk', { ...facts, nextStep });
  return free < FREE_WANTED ? warning('disk', { ...facts, nextStep }) : ok('disk', facts);
}

function sizeText(bytes: number): string {
  return bytes >= 1024 * MIB ? `${(bytes / MIB / 1024).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}

const FILE = 'state.sqlite';

function checkState(settings: Settings): Check[] {
  const path = statePath(settings);
  const expected = 'an intact database of this version';
  const stray = strayOf(() => stateFileBehind(path)) ?? strayOf(() => forgottenPast(settings));
  if (stray !== undefined) return [failed(FILE, { ...stray, expected })];
  if (!existsSync(path)) {
    return [missing(FILE, { found: 'not found', expected, nextStep: 'Run pacekeeper report to create it.' })];
  }
  const look = lookAtState(path);
  switch (look.kind) {
    case 'sound':
      return [ok(FILE, { found: `version ${look.version}, intact`, expected })];
    case 'older':
      if (look.version === NOTHING_YET) return [warning(FILE, { found: 'empty', expected, nextStep: FILL_STATE })];
      return [ok(FILE, { found: `version ${look.version}, intact; the next run updates it`, expected })];
    case 'newer': {
      const nextStep = 'Update pacekeeper, or choose another folder with --data-dir.';
      return [failed(FILE, { found: `written by a newer version (${look.version})`, expected, nextStep })];
    }
    default: {
      if (look.kind === 'damaged' && look.ofRecord === true) {
        const found = `damaged: ${look.reason}. Somebody may have altered the record of budget changes`;
        return [failed(FILE, { found, expected, nextStep: VERIFY_RECORD })];
      }
      const nextStep =
        look.kind === 'damaged'
          ? 'Run pacekeeper restore FILE with a copy (docs/upgrade.md). It keeps this file. Then run pacekeeper extract to read the days after the copy. Without a copy, run pacekeeper adopt to rebuild it from warehouse.sqlite.'
          : `Check that this user can read ${path}.`;
      return [failed(FILE, { found: `${look.kind}: ${look.reason}`, expected, nextStep })];
    }
  }
}

/** `look` throws or returns an `InputError`. */
function strayOf(look: () => unknown): { readonly found: string; readonly nextStep: string } | undefined {
  const error = errorOf(look);
  if (!(error instanceof InputError)) return undefined;
  return { found: withoutFullStop(error.message), nextStep: error.nextStep ?? '' };
}

function errorOf(look: () => unknown): unknown {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error;
  }
}

const OTHERS: Readonly<Record<string, string>> = {
  'inbox.sqlite':
    'Stop pacekeeper serve and move the file away. Answers not handled yet are lost. People must answer again.',
  'schedule.sqlite': 'Stop pacekeeper schedule and move the file away. The schedule then skips earlier due times.',
  'warehouse.sqlite': 'Run pacekeeper publish to rebuild it.',
  'lock.sqlite': 'Remove the file. It only records which command uses the folder. The next command creates it again.',
  'sandbox.sqlite': 'Remove the file. It contains only changes made in the sandbox.',
};

function checkOthers({ paths, sandbox }: Settings): Check[] {
  return Object.entries(OTHERS).flatMap(([file, nextStep]) => {
    const path = join(file === 'sandbox.sqlite' ? (sandbox.dataDir ?? paths.data) : paths.data, file);
    const expected = 'an intact database';
    const stray = strayOf(() => fileBehind(path));
    if (stray !== undefined) return [failed(file, { ...stray, expected, nextStep })];
    if (!existsSync(path)) return [];
    const look = lookAtPages(path);
    if (look.kind === 'whole') return [ok(file, { found: 'intact', expected })];
    const step = look.kind === 'damaged' ? nextStep : `Check that this user can read ${path}.`;
    return [failed(file, { found: `${look.kind}: ${look.reason}`, expected, nextStep: step })];
  });
}

/** doctor lists the `AS_PRIVATE` files only if other users can access the files. */
const PRIVATE = ['state.sqlite', 'serve-tokens.json'];
const AS_PRIVATE = ['inbox.sqlite', 'schedule.sqlite', 'lock.sqlite', 'sandbox.sqlite'];

function checkModes(folder: string): Check[] {
  const modesOf = (files: readonly string[]) =>
    files
      .map((file) => join(folder, file))
      .filter((path) => statsBehind(path)?.isFile())
      .map((path) => checkMode(path, make));
  const open = modesOf(AS_PRIVATE).filter(({ state }) => state !== 'ok');
  return [...checkFolderMode(folder), ...modesOf(PRIVATE), ...open];
}

/** Other users with write access could replace any file in the folder. */
function checkFolderMode(folder: string): Check[] {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o022) === 0) return [];
  const facts = { found: `mode ${mode.toString(8).padStart(3, '0')}`, expected: 'writable by its owner only' };
  return [warning('folder mode', { ...facts, nextStep: `Run chmod go-w ${folder}` })];
}
