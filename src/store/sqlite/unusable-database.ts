import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { InputError } from '../../domain/errors.ts';

/**
 * Why a database cannot be opened, with what to do; a file that another program holds, or a full disk, is no mistake of the
 * user's. `lost` says how a damaged file comes back, and what is lost with one that is moved away.
 */
export function unusableDatabase(
  path: string,
  cause: unknown,
  lost = 'Put a copy back with pacekeeper restore FILE. Without a copy, pacekeeper adopt takes over what warehouse.sqlite says.',
): Error {
  const code = (cause as { code?: unknown } | undefined)?.code;
  const words = wordsOf(code) ?? (cause instanceof Error ? cause.message : String(cause));
  if (code === 'SQLITE_BUSY') {
    return Object.assign(new Error(`${path} is in use by another program: close it and run again.`, { cause }), {
      code,
    });
  }
  if (isOutOfRoom(path, cause)) {
    return Object.assign(new Error(`${path} cannot be opened: its disk is full.`, { cause }), { code: 'SQLITE_FULL' });
  }
  const nextStep = isDamaged(cause)
    ? lost
    : `Check that ${dirname(path)} is a folder that can be written to, or choose another with --data-dir.`;
  return new InputError(`${path} cannot be used as a database: ${words}.`, { nextStep, cause });
}

/** A state file whose pages are whole, and that is damaged all the same. */
export function damagedDatabase(path: string, reason: string, cause?: unknown): Error {
  return unusableDatabase(path, Object.assign(new Error(reason, { cause }), { code: 'SQLITE_CORRUPT' }));
}

/** What to do about a record that somebody may have altered. */
export const VERIFY_RECORD = 'Run pacekeeper audit verify, and put a copy back with pacekeeper restore FILE.';

/** A state file whose record of budget changes is not kept as it should be. */
export function alteredRecord(path: string, reason: string): Error {
  const words = new Error(`${reason}. Somebody may have altered the record`);
  return unusableDatabase(path, Object.assign(words, { code: 'SQLITE_CORRUPT' }), VERIFY_RECORD);
}

/** A file that holds what this version does not know. */
export function newerDatabase(path: string, cause?: unknown): InputError {
  const nextStep = 'Update pacekeeper, or choose another folder with --data-dir.';
  return new InputError(`${path} was written by a newer version of pacekeeper.`, { nextStep, cause });
}

/** Whether it is the file's own fault that it cannot be read: it is damaged, or no database. */
export function isDamaged(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'SQLITE_NOTADB' || (typeof code === 'string' && code.startsWith('SQLITE_CORRUPT'));
}

/** Whether a file could not be written for want of room on its disk. */
export function isOutOfRoom(path: string, error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return true;
  // What SQLite cannot make beside the file it calls an I/O error, although there is no room left for it.
  return typeof code === 'string' && code.startsWith('SQLITE_IOERR') && isFull(dirname(path));
}

/** Less is not enough to open a database with. */
const ROOM_BYTES_MIN = 64 * 1024;

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < ROOM_BYTES_MIN;
  } catch {
    return false;
  }
}

/** What the system says in codes, as a person says it; undefined for what is clear enough. */
function wordsOf(code: unknown): string | undefined {
  if (typeof code !== 'string') return undefined;
  if (code === 'EROFS' || code.startsWith('SQLITE_READONLY')) return 'nothing can be written there, it is read-only';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there';
  if (code.startsWith('SQLITE_CANTOPEN')) return 'it can be neither opened nor made there';
  return undefined;
}

/** Whether another program held the database for longer than a statement waits. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}
