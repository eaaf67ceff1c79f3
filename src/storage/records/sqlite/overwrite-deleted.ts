import Database from 'better-sqlite3';
import { isBusy } from '../is-busy.ts';
import { withDatabase } from './open-database.ts';
import { unusableDatabase } from './unusable-database.ts';

const WAIT_MS = 2000;

/**
 * SQLite leaves deleted and changed texts in free parts of its pages and in the log. Only writing the file anew removes
 * them. VACUUM writes into the log. While somebody reads, the log cannot be taken into the file, which SQLite tells only
 * by a row. Throws an error with SQLite's code.
 */
export function overwriteDeleted(path: string): void {
  withDatabase(new Database(path, { fileMustExist: true, timeout: WAIT_MS }), (file) => {
    try {
      file.exec('VACUUM');
      const [taken] = file.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
      if (taken?.busy === 1) throw inUse(path);
    } catch (cause) {
      throw isBusy(cause) ? inUse(path) : unusableDatabase(path, cause);
    }
  });
}

function inUse(path: string): Error {
  return Object.assign(new Error(`Deleted texts stay in ${path}, because another program reads it.`), {
    code: 'SQLITE_BUSY',
    nextStep: 'Close that program. Then run this command again.',
  });
}
