import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openForOwner, openUsable } from '../store/sqlite/open-database.ts';
import { openToLook } from '../store/sqlite/open-to-look.ts';
import { codeOf, newerDatabase } from '../store/sqlite/unusable-database.ts';
import { SCHEDULE_MIGRATIONS } from './schedule-schema.ts';

export type ScheduleFile = Database.Database;

/** Other processes lock the file only for milliseconds. */
const WAIT_MS = 5000;

const LOST = 'Move it away. The schedule then starts again and skips earlier due times.';

export function schedulePath(dataDir: string): string {
  return join(dataDir, 'schedule.sqlite');
}

/** A separate file, because a run may lock `state.sqlite` for minutes. Throws `InputError` if the file is unusable. */
export function openScheduleFile(path: string): ScheduleFile {
  const open = () => (path === ':memory:' ? new Database(path) : openForOwner(path, WAIT_MS));
  const prepare = (file: ScheduleFile) => {
    // No WAL mode, because a rollback journal works on every disk that supports locks.
    file.pragma('synchronous = FULL');
    migrate(file, path);
  };
  return openUsable(path, open, prepare, LOST);
}

/** Throws `InputError` if the file is unusable or of a newer version. */
export function openScheduleToRead(path: string): ScheduleFile {
  const prepare = (file: ScheduleFile) => {
    if (versionOf(file) > SCHEDULE_MIGRATIONS.length) throw newerDatabase(path);
  };
  return openUsable(path, () => openToLook(path, WAIT_MS), prepare, LOST);
}

function migrate(file: ScheduleFile, path: string): void {
  if (versionOf(file) === SCHEDULE_MIGRATIONS.length) return;
  const bringUp = file.transaction(() => {
    const version = versionOf(file);
    if (version > SCHEDULE_MIGRATIONS.length) throw newerDatabase(path);
    for (const statements of SCHEDULE_MIGRATIONS.slice(version)) file.exec(statements);
    file.pragma(`user_version = ${SCHEDULE_MIGRATIONS.length}`);
  });
  bringUp.immediate();
}

/** True if the open file was moved or deleted. */
export function isMoved(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_READONLY_DBMOVED';
}

export function versionOf(file: ScheduleFile): number {
  return file.pragma('user_version', { simple: true }) as number;
}
