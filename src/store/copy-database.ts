import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy, unusableDatabase } from './unusable-database.ts';

/**
 * Copies a database as of one moment, beside whoever writes to it, into a new file that is complete without any other and
 * for its owner only. What fails leaves no file, and what stands there already is left alone. Throws `InputError` where one
 * of the two cannot be used.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  let source: Database.Database | undefined;
  let made = false;
  try {
    source = openSource(from);
    // Made before SQLite makes it: it holds recipients and what people wrote. Another process may make a copy, too.
    closeSync(openSync(to, 'wx', 0o600));
    made = true;
    // Held until all is copied: a copy would begin anew with every commit of another process.
    source.exec('BEGIN');
    source.prepare('SELECT 1 FROM sqlite_schema').get();
    await source.backup(to, { progress: () => PAGES_AT_ONCE });
    withoutJournal(to);
    flush(to);
  } catch (cause) {
    if (made) removeDatabase(to);
    throw unusableDatabase(source === undefined ? from : to, cause);
  } finally {
    source?.close();
  }
}

/** Between two of these the process answers signals. */
const PAGES_AT_ONCE = 1000;

function openSource(path: string): Database.Database {
  return new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
}

/** The copy takes over how its source keeps its journal, and one file is easier to keep than three. */
function withoutJournal(path: string): void {
  const copy = new Database(path);
  try {
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/**
 * Brings what stands in the journal of a database into its one file. Throws where another process has it open, also one
 * that only looks: what it goes on to write would be lost, or worse.
 */
export function closeJournal(path: string): void {
  let file: Database.Database | undefined;
  try {
    file = new Database(path, { fileMustExist: true, timeout: 2000 });
    file.pragma('journal_mode = DELETE');
  } catch (cause) {
    throw unusableDatabase(path, cause);
  } finally {
    file?.close();
  }
}

/** Whether another connection has a database open and uses it. What is no database is held by nobody. */
export function isHeld(path: string): boolean {
  let file: Database.Database | undefined;
  try {
    file = new Database(path, { fileMustExist: true, timeout: 0 });
    file.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    file?.close();
  }
}

/** The files that stand beside a database while it is used. */
export const JOURNALS = ['-wal', '-shm', '-journal'] as const;

/** With all that stands beside it. */
export function removeDatabase(path: string): void {
  for (const ending of ['', ...JOURNALS]) rmSync(`${path}${ending}`, { force: true });
}

/** Returns when the file is on the disk. */
function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
