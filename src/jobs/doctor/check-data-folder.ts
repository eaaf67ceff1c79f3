import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statePath } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import type { Check } from '../../report/render-doctor.ts';
import { lookAtState } from '../../store/look-at-state.ts';
import { checkMode } from './check-settings.ts';
import { checksOf } from './make-check.ts';

const make = checksOf('Data folder');
const { ok, warning, missing, failed } = make;

const MIB = 1024 * 1024;
const FREE_LEAST = 100 * MIB;
const FREE_WANTED = 1024 * MIB;

/** Whether a run can write, how much, and what is there already. Writes nothing. */
export function checkDataFolder(settings: Settings, platform: string): Check[] {
  const folder = settings.paths.data;
  const nearest = nearestThere(folder);
  const written = isWritable(nearest);
  const facts = {
    found: `${folder}${existsSync(folder) ? '' : ', which is not there yet'}`,
    expected: 'a folder to write to',
  };
  if (!written) {
    const nextStep = `Let this user write to ${nearest} (chown or chmod), or choose another folder with --data-dir.`;
    return [failed('folder', { ...facts, found: `${nearest}, which this user cannot write to`, nextStep })];
  }
  return [ok('folder', facts), checkDisk(nearest), ...checkState(statePath(settings), platform)];
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
  const nextStep = 'Make room on this disk, or choose a folder on another one with --data-dir.';
  if (free < FREE_LEAST) return failed('disk', { ...facts, nextStep });
  return free < FREE_WANTED ? warning('disk', { ...facts, nextStep }) : ok('disk', facts);
}

function sizeText(bytes: number): string {
  return bytes >= 1024 * MIB ? `${(bytes / MIB / 1024).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}

const FILE = 'state.sqlite';

function checkState(path: string, platform: string): Check[] {
  const expected = 'a sound database of this version';
  if (!existsSync(path)) {
    return [missing(FILE, { found: 'not there yet', expected, nextStep: 'Run pacekeeper report, which makes it.' })];
  }
  const look = lookAtState(path);
  const tokens = join(dirname(path), 'serve-tokens.json');
  const modes = platform === 'win32' ? [] : [path, tokens].filter(existsSync).map((file) => checkMode(file, make));
  switch (look.kind) {
    case 'sound':
      return [ok(FILE, { found: `version ${look.version}, whole`, expected }), ...modes];
    case 'older':
      return [
        ok(FILE, { found: `version ${look.version}, whole; the next run brings it up to date`, expected }),
        ...modes,
      ];
    case 'newer': {
      const nextStep = 'Update pacekeeper, or choose another folder with --data-dir.';
      return [failed(FILE, { found: `written by a newer version (${look.version})`, expected, nextStep })];
    }
    default: {
      const nextStep =
        look.kind === 'damaged'
          ? 'Put a sound copy of the file back. Moved away, everything begins anew, the record of budget changes too.'
          : `Check that this user can read ${path}.`;
      return [failed(FILE, { found: `${look.kind}: ${look.reason}`, expected, nextStep })];
    }
  }
}
