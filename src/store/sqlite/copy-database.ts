import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { removeDatabase } from '../../files/journals.ts';
import { flush } from '../../files/replace-file.ts';
import { openToLook } from './open-to-look.ts';
import { isBusy, isDamaged, isOutOfRoom, unusableDatabase } from './unusable-database.ts';

/**
 * Copies a database as of one moment, beside whoever writes to it, into a new file that is complete without any other and
 * for its owner only. What fails leaves no file, and what stands there already is left alone. `finalPath` is the name that
 * the copy is to have in the end, by which people know it. Throws `InputError` where one of the two cannot be used, and an
 * error with SQLite's code where the source is damaged or the disk of the copy full.
 */
export async function copyDatabase(from: string, to: string, finalPath: string): Promise<void> {
  const source = openSource(from);
  let made = false;
  try {
    // Made before SQLite makes it: it holds recipients and what people wrote. Another process may make a copy, too.
    closeSync(openSync(to, 'wx', 0o600));
    made = true;
    await source.backup(to, { progress: () => PAGES_AT_ONCE });
    withoutJournal(to);
    flush(to);
  } catch (cause) {
    // Asked first: there is room again when what was made is gone.
    const isFull = isOutOfRoom(to, cause);
    if (made) removeDatabase(to);
    if (isDamaged(cause)) throw damagedSource(from, cause);
    throw isFull ? noRoomFor(finalPath, cause) : unusableDatabase(finalPath, cause);
  } finally {
    source.close();
  }
}

/** With the code that SQLite has for it, by which the next step is told. */
export function notCopied(why: string, code: string, cause?: unknown): Error {
  return Object.assign(new Error(`${why}. Nothing was copied.`, { cause }), { code });
}

function damagedSource(path: string, cause: unknown): Error {
  const { code, message } = cause as { readonly code: string; readonly message: string };
  return notCopied(`${path} is damaged: ${message}`, code, cause);
}

/** The disk of a copy need not be that of the data folder. */
function noRoomFor(path: string, cause: unknown): Error {
  const folder = dirname(path);
  const left = existsSync(path) ? 'is still the file of before' : 'was not made';
  return Object.assign(new Error(`The disk of ${folder} is full: ${path} ${left}.`, { cause }), {
    code: 'SQLITE_FULL',
    nextStep: `Make room on the disk of ${folder}, and run again.`,
  });
}

/** Between two of these the process answers signals. */
const PAGES_AT_ONCE = 1000;

function openSource(path: string): Database.Database {
  let source: Database.Database | undefined;
  try {
    source = openToLook(path, 5000);
    // Held until all is copied: a copy would begin anew with every commit of another process.
    source.exec('BEGIN');
    source.prepare('SELECT 1 FROM sqlite_schema').get();
    return source;
  } catch (cause) {
    source?.close();
    throw isDamaged(cause) ? damagedSource(path, cause) : unusableDatabase(path, cause);
  }
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
