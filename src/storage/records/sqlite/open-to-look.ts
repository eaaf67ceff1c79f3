import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { withDatabase } from './open-database.ts';

/** Opens read-only. Uses a copy in memory if the folder is not writable and has no WAL file. */
export function openToLook(path: string, timeout = 1000): Database.Database {
  if (isWritable(dirname(path)) || existsSync(walOf(path))) {
    return new Database(path, { readonly: true, fileMustExist: true, timeout });
  }
  return openCopy(path, true);
}

export function lookInto<Found, Else>(
  path: string,
  look: (file: Database.Database) => Found,
  otherwise: (error: unknown) => Else,
): Found | Else {
  try {
    return withDatabase(openToLook(path), look);
  } catch (error) {
    return otherwise(error);
  }
}

/** Opens a copy in memory. All writes are lost on closing. */
export function openCopy(path: string, readonly: boolean): Database.Database {
  const bytes = existsSync(walOf(path)) ? serialized(path) : whole(path);
  // Changes the header from WAL to normal mode, because a database in memory cannot use WAL.
  bytes.fill(1, FORMAT_VERSIONS, FORMAT_VERSIONS + 2);
  return new Database(bytes, { readonly });
}

const FORMAT_VERSIONS = 18;

function serialized(path: string): Buffer {
  return withDatabase(new Database(path, { readonly: true, fileMustExist: true }), (file) => file.serialize());
}

/** Throws an error with the code SQLITE_BUSY if another process writes meanwhile. */
function whole(path: string): Buffer {
  const before = statSync(path);
  const bytes = readFileSync(path);
  const after = statSync(path);
  if (before.mtimeMs === after.mtimeMs && before.size === after.size && !existsSync(walOf(path))) return bytes;
  throw Object.assign(new Error(`${path} is being written.`), { code: 'SQLITE_BUSY' });
}

const walOf = (path: string): string => `${path}-wal`;

/** False if the permission is missing or the file system is read-only. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    return !['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
