import { closeSync, mkdirSync, openSync } from 'node:fs';
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

/** Only the owner may read a new file, because the file contains personal data. */
export function openForOwner(path: string, timeout: number): Database.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  closeSync(openSync(path, 'a', 0o600));
  return new Database(path, { timeout });
}
