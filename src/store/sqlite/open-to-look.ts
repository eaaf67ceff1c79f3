import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

/** Opens a database that is there beside whoever writes to it, to look at it alone. */
export function openToLook(path: string, timeout = 1000): Database.Database {
  if (isWritable(dirname(path)) || existsSync(walOf(path))) {
    return new Database(path, { readonly: true, fileMustExist: true, timeout });
  }
  return openCopy(path, true);
}

/** What `look` finds in a database that is there, or what `otherwise` says where it cannot be read. */
export function lookInto<Found, Else>(
  path: string,
  look: (file: Database.Database) => Found,
  otherwise: (error: unknown) => Else,
): Found | Else {
  let file: Database.Database | undefined;
  try {
    file = openToLook(path);
    return look(file);
  } catch (error) {
    return otherwise(error);
  } finally {
    file?.close();
  }
}

/**
 * The database of a folder in which nothing can be written, as it stands, in the memory of this process: what is written there
 * is gone with it. SQLite opens a file with a WAL only where it can make the WAL or finds it.
 */
export function openCopy(path: string, readonly: boolean): Database.Database {
  const bytes = existsSync(walOf(path)) ? serialized(path) : whole(path);
  // A database in memory has no WAL: both versions of the file's format are those without one.
  bytes.fill(1, FORMAT_VERSIONS, FORMAT_VERSIONS + 2);
  return new Database(bytes, { readonly });
}

const FORMAT_VERSIONS = 18;

function serialized(path: string): Buffer {
  const file = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return file.serialize();
  } finally {
    file.close();
  }
}

/** Somebody else may write to the folder, and begin while it is read. */
function whole(path: string): Buffer {
  const before = statSync(path);
  const bytes = readFileSync(path);
  const after = statSync(path);
  if (before.mtimeMs === after.mtimeMs && before.size === after.size && !existsSync(walOf(path))) return bytes;
  throw Object.assign(new Error(`${path} is being written.`), { code: 'SQLITE_BUSY' });
}

const walOf = (path: string): string => `${path}-wal`;

/** Whether this user may write into the folder, and its file system lets anybody. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    return !['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
