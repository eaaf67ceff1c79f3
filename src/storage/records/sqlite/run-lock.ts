import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { holderIn, holderText } from '../lock-holder.ts';
import { createForOwner, withDatabase } from './open-database.ts';
import { codeOf, unusableDatabase } from './unusable-database.ts';

/**
 * The lock is an open transaction on `lock.sqlite`. The system frees it even for a killed process, so no command must
 * guess whether the holder still lives. The file has no WAL, so others can read it meanwhile. The name of the holder is
 * committed first, because others do not see a row of the open transaction. If two processes begin at the same moment,
 * the loser's name can stay in the file. Then only the message is wrong, not the lock. The lock belongs to one file on
 * the disk. If somebody replaces the file, a second process can lock the new one. So the holder watches its files
 * (`watchFiles`), and changes no budget after that. Throws `InputError` if the file is unusable.
 */
export function acquireRunLock(dataDir: string, command: string, since: string) {
  const path = join(dataDir, 'lock.sqlite');
  let file: Database.Database | undefined;
  try {
    createForOwner(path);
    makePrivate(path);
    file = new Database(path, { timeout: 200 });
    file.exec('CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY CHECK (id = 1), words TEXT NOT NULL)');
    const write = 'INSERT INTO holder VALUES (1, ?) ON CONFLICT DO UPDATE SET words = excluded.words';
    file.prepare(write).run(holderText(command, since));
    file.exec('BEGIN IMMEDIATE');
    const held = file;
    return { kind: 'acquired' as const, release: () => void held.close() };
  } catch (error) {
    const busy = codeOf(error) === 'SQLITE_BUSY';
    const holder = busy ? file?.prepare('SELECT words FROM holder').pluck().get() : undefined;
    file?.close();
    if (!busy) throw unusableDatabase(path, error, LOST);
    return { kind: 'held' as const, ...holderIn(holder) };
  }
}

/**
 * True if one process has held the lock since `instant` (UTC) or longer. True also if that is unknown, for example because
 * the file belongs to another user.
 */
export function isLockedSince(dataDir: string, instant: string): boolean {
  const path = join(dataDir, 'lock.sqlite');
  if (!existsSync(path)) return false;
  try {
    return withDatabase(new Database(path, { fileMustExist: true, timeout: 0 }), (file) => {
      try {
        file.exec('BEGIN IMMEDIATE');
        return false;
      } catch (error) {
        if (codeOf(error) !== 'SQLITE_BUSY') throw error;
        const { since } = holderIn(file.prepare('SELECT words FROM holder').pluck().get());
        return since === undefined || since <= instant;
      }
    });
  } catch {
    return true;
  }
}

const LOST = 'Remove it. It only records which process uses the folder. The next command creates it again.';

/** Only the owner may read the file, because any reader could lock it and block every run. */
function makePrivate(path: string): void {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    // Another user owns the file, but we may write to it. `doctor` reports this problem.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
