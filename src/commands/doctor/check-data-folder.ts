import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { strayOf } from '../../engine/folder/check-state.ts';
import { fileBehind, statsBehind } from '../../storage/records/sqlite/file-behind.ts';
import { lookAtPages } from '../../storage/records/sqlite/look-at-state.ts';
import { checkMode, modeText } from './check-settings.ts';
import { type Check, checkIn } from './doctor-view.ts';

const check = checkIn('data_folder');

const MIB = 1024 * 1024;
const FREE_LEAST = 100 * MIB;
const FREE_WANTED = 1024 * MIB;

export function checkDataFolder(settings: Settings, platform: string, store: readonly Check[]): Check[] {
  const folder = settings.paths.data;
  const nearest = nearestThere(folder);
  const expected = 'a writable folder';
  if (!isWritable(nearest)) {
    const advice = `Let this user write to ${nearest} (chown or chmod), or choose another folder with --data-dir.`;
    return [
      check('folder', { found: `${nearest}, not writable by this user`, expected, advice, as: 'failed' }),
      ...store,
    ];
  }
  return [
    check('folder', { found: `${folder}${existsSync(folder) ? '' : ', which does not exist yet'}`, expected }),
    checkDisk(nearest),
    ...store,
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
  const advice = 'Free space on this disk, or choose a folder on another disk with --data-dir.';
  return check('disk', {
    found: `${sizeText(free)} free`,
    expected: `${sizeText(FREE_WANTED)} or more`,
    advice: free < FREE_WANTED ? advice : undefined,
    as: free < FREE_LEAST ? 'failed' : 'warning',
  });
}

function sizeText(bytes: number): string {
  return bytes >= 1024 * MIB ? `${(bytes / MIB / 1024).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
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
  return Object.entries(OTHERS).flatMap(([file, advice]) => {
    const path = join(file === 'sandbox.sqlite' ? (sandbox.dataDir ?? paths.data) : paths.data, file);
    const expected = 'an intact database';
    const failed = (found: string, step = advice) => [check(file, { found, expected, advice: step, as: 'failed' })];
    const stray = strayOf(() => fileBehind(path));
    if (stray !== undefined) return failed(stray.found);
    if (!existsSync(path)) return [];
    const look = lookAtPages(path);
    if (look.kind === 'whole') return [check(file, { found: 'intact', expected })];
    const step = look.kind === 'damaged' ? advice : `Check that this user can read ${path}.`;
    return failed(`${look.kind}: ${look.reason}`, step);
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
      .map((path) => checkMode(path, check));
  const open = modesOf(AS_PRIVATE).filter(({ state }) => state !== 'ok');
  return [...checkFolderMode(folder), ...modesOf(PRIVATE), ...open];
}

/** Other users with write access could replace any file in the folder. */
function checkFolderMode(folder: string): Check[] {
  const { mode } = statSync(folder);
  if ((mode & 0o022) === 0) return [];
  const advice = `Run chmod go-w ${folder}`;
  return [check('folder mode', { found: modeText(mode), expected: 'writable by its owner only', advice })];
}
