import { existsSync } from 'node:fs';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import { VERIFY_RECORD } from '../../storage/records/altered-record.ts';
import { stateFileBehind } from '../../storage/records/sqlite/file-behind.ts';
import { lookAtState, NOTHING_YET } from '../../storage/records/sqlite/look-at-state.ts';
import { forgottenPast } from './forgotten-past.ts';
import { checksOf, type StoreCheck } from './store-check.ts';
import { FILL_STATE, statePath } from './store-file.ts';

const { ok, warning, missing, failed } = checksOf('data_folder');

const FILE = 'state.sqlite';

export function checkState(settings: Settings): StoreCheck[] {
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
export function strayOf(look: () => unknown): { readonly found: string; readonly nextStep: string } | undefined {
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
