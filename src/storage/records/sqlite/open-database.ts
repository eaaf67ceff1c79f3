import { accessSync, closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { InputError } from '../../../domain/errors.ts';
import { unusableDatabase } from './unusable-database.ts';

export function withDatabase<Result>(file: Database.Database, work: (file: Database.Database) => Result): Result {
  try {
    return work(file);
  } finally {
    file.close();
  }
}

/** Throws `InputError`, or another error of {@link unusableDatabase}. `lost` is the next step for a damaged file. */
export function openUsable(
  path: string,
  open: () => Database.Database,
  prepare: (file: Database.Database) => void,
  lost?: string,
): Database.Database {
  let file: Database.Database | undefined;
  try {
    file = open();
    prepare(file);
    return file;
  } catch (cause) {
    file?.close();
    throw cause instanceof InputError ? cause : unusableDatabase(path, cause, lost);
  }
}

export function openForOwner(path: string, timeout: number): Database.Database {
  createForOwner(path);
  return new Database(path, { timeout });
}

/**
 * Only the owner may read a new file, because the file contains personal data. A file that exists is not opened here. If
 * a process closes any descriptor of a file, the system drops all locks of the process on this file. So an earlier
 * opening of the same process would lose its locks. Only SQLite knows them, and closes its descriptors when no lock is left.
 */
export function createForOwner(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    accessSync(path, constants.W_OK);
  }
}
