import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { removeDatabase } from '../../files/journals.ts';
import { flush } from '../../files/replace-file.ts';
import { isBusy } from '../is-busy.ts';
import { withDatabase } from './open-database.ts';
import { openToLook } from './open-to-look.ts';
import { isDamaged, isOutOfRoom, unusableDatabase } from './unusable-database.ts';

/** Other processes may write meanwhile. Throws `InputError`, or an error with SQLite's code. */
export async function copyDatabase(from: string, to: string, finalPath: string): Promise<void> {
  const source = openSource(from);
  let made = false;
  try {
    // Owner-only, because the file contains people's messages. The flag `x` refuses an existing file.
    closeSync(openSync(to, 'wx', 0o600));
    made = true;
    await source.backup(to, { progress: () => PAGES_AT_ONCE });
    withoutJournal(to);
    flush(to);
  } catch (cause) {
    // Checks the free space first, because removing the file frees space.
    const isFull = isOutOfRoom(to, cause);
    if (made) removeDatabase(to);
    if (isDamaged(cause)) throw damagedSource(from, cause);
    throw isFull ? noRoomFor(finalPath, cause) : unusableDatabase(finalPath, cause);
  } finally {
    source.close();
  }
}

export function notCopied(why: string, code: string, cause?: unknown): Error {
  return Object.assign(new Error(`${why}. Nothing was copied.`, { cause }), { code });
}

function damagedSource(path: string, cause: unknown): Error {
  const { code, message } = cause as { readonly code: string; readonly message: string };
  return notCopied(`${path} is damaged: ${message}`, code, cause);
}

/** The message names the folder of the copy, because the copy may be on another disk. */
function noRoomFor(path: string, cause: unknown): Error {
  const folder = dirname(path);
  const left = existsSync(path) ? 'is unchanged' : 'was not created';
  return Object.assign(new Error(`The disk of ${folder} is full: ${path} ${left}.`, { cause }), {
    code: 'SQLITE_FULL',
    nextStep: `Free space on the disk of ${folder}, and run again.`,
  });
}

/** Pages per step. Between two steps, the process can handle signals. */
const PAGES_AT_ONCE = 1000;

function openSource(path: string): Database.Database {
  let source: Database.Database | undefined;
  try {
    source = openToLook(path, 5000);
    // An open transaction keeps one snapshot. Otherwise, a commit of another process would restart the copy.
    source.exec('BEGIN');
    source.prepare('SELECT 1 FROM sqlite_schema').get();
    return source;
  } catch (cause) {
    source?.close();
    throw isDamaged(cause) ? damagedSource(path, cause) : unusableDatabase(path, cause);
  }
}

/** Without WAL mode, a backup is one file instead of up to three. */
function withoutJournal(path: string): void {
  withDatabase(new Database(path), (copy) => copy.pragma('journal_mode = DELETE'));
}

/** Throws if another process has the database open, because later writes of that process would be lost. */
export function closeJournal(path: string): void {
  try {
    const file = new Database(path, { fileMustExist: true, timeout: 2000 });
    withDatabase(file, () => file.pragma('journal_mode = DELETE'));
  } catch (cause) {
    throw unusableDatabase(path, cause);
  }
}

/** True if another process has locked the database. False if the file is not a database. */
export function isHeld(path: string): boolean {
  try {
    const file = new Database(path, { fileMustExist: true, timeout: 0 });
    withDatabase(file, () => file.exec('BEGIN EXCLUSIVE'));
    return false;
  } catch (error) {
    return isBusy(error);
  }
}
