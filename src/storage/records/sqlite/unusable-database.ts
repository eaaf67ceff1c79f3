import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { InputError } from '../../../domain/errors.ts';

/** Returns an `InputError`, or another error for a locked file or a full disk. `lost` is the next step for damage. */
export function unusableDatabase(
  path: string,
  cause: unknown,
  lost = 'Put a copy back with pacekeeper restore FILE. Without a copy, run pacekeeper adopt to take over the record of warehouse.sqlite.',
): Error {
  const code = codeOf(cause);
  const words = codeMeaning(code) ?? (cause instanceof Error ? cause.message : String(cause));
  if (code === 'SQLITE_BUSY') {
    return Object.assign(new Error(`${path} is in use by another program. Close it and run again.`, { cause }), {
      code,
    });
  }
  if (isOutOfRoom(path, cause)) {
    return Object.assign(new Error(`${path} cannot be opened: its disk is full.`, { cause }), { code: 'SQLITE_FULL' });
  }
  const nextStep = isDamaged(cause)
    ? lost
    : `Check that ${dirname(path)} is a writable folder, or choose another folder.`;
  return new InputError(`${path} cannot be used as a database: ${words}.`, { nextStep, cause });
}

/** For a file with intact pages, but with a damaged schema or broken references. */
export function damagedDatabase(path: string, reason: string, cause?: unknown): Error {
  return unusableDatabase(path, Object.assign(new Error(reason, { cause }), { code: 'SQLITE_CORRUPT' }));
}

export function newerDatabase(path: string, cause?: unknown): InputError {
  const nextStep = 'Update pacekeeper, or choose another folder with --data-dir.';
  return new InputError(`${path} was written by a newer version of pacekeeper.`, { nextStep, cause });
}

export function isDamaged(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

export function isOutOfRoom(path: string, error: unknown): boolean {
  const code = codeOf(error);
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') return true;
  // If the file or its journal does not fit on the disk, SQLite reports one of these.
  return /^SQLITE_(?:IOERR|CANTOPEN)/.test(code) && isFull(dirname(path));
}

/** Returns an empty text if the error has no code. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** With less free space, SQLite cannot open a database. */
const ROOM_BYTES_MIN = 64 * 1024;

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < ROOM_BYTES_MIN;
  } catch {
    return false;
  }
}

function codeMeaning(code: string): string | undefined {
  if (code === 'EROFS' || code.startsWith('SQLITE_READONLY')) return 'it is read-only';
  if (code === 'EACCES' || code === 'EPERM') return 'this user has no permission to write there';
  if (code.startsWith('SQLITE_CANTOPEN')) return 'it cannot be opened or created';
  return undefined;
}
