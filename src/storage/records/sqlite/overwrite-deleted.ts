import Database from 'better-sqlite3';
import { withDatabase } from './open-database.ts';
import { unusableDatabase } from './unusable-database.ts';

const WAIT_MS = 5000;

/**
 * SQLite leaves deleted and changed texts in free parts of its pages and in the log. Only writing the file anew removes
 * them. Throws an error with SQLite's code.
 */
export function overwriteDeleted(path: string): void {
  withDatabase(new Database(path, { fileMustExist: true, timeout: WAIT_MS }), (file) => {
    try {
      file.exec('VACUUM');
      file.pragma('wal_checkpoint(TRUNCATE)');
    } catch (cause) {
      throw unusableDatabase(path, cause);
    }
  });
}
