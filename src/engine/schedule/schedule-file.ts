import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openForOwner, openUsable } from '../../storage/records/sqlite/open-database.ts';
import { openToLook } from '../../storage/records/sqlite/open-to-look.ts';
import { codeOf, newerDatabase } from '../../storage/records/sqlite/unusable-database.ts';

export type ScheduleFile = Database.Database;

/** The file's `user_version` is the number of migrations that the file already has. */
const MIGRATIONS = [
  `CREATE TABLE lease (
    name TEXT PRIMARY KEY CHECK (name = 'schedule'),
    -- Grows by one each time the lease is taken: who wrote an older one down has lost it.
    token INTEGER NOT NULL CHECK (token > 0),
    pid INTEGER,
    host TEXT,
    -- Where the number of a process means that process, and when the process began; empty where the system does not say.
    place TEXT,
    birth TEXT,
    taken_at TEXT CHECK (taken_at GLOB '????-??-??T??:??:??Z'),
    renewed_at TEXT CHECK (renewed_at GLOB '????-??-??T??:??:??Z'),
    expires_at TEXT CHECK (expires_at GLOB '????-??-??T??:??:??Z'),
    CHECK ((pid IS NULL) = (expires_at IS NULL))
  ) STRICT;
  -- Up to when due times were looked at.
  CREATE TABLE pass (id INTEGER PRIMARY KEY CHECK (id = 1), at_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE known_job (
    name TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    since_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE tick (
    id INTEGER PRIMARY KEY,
    job TEXT NOT NULL,
    due_at TEXT NOT NULL CHECK (due_at GLOB '????-??-??T??:??:??Z'),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'stopped', 'missed', 'died')),
    reason TEXT,
    -- How often it was begun: one that was stopped or died is taken up again by who comes next.
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    token INTEGER NOT NULL,
    started_at TEXT CHECK (started_at GLOB '????-??-??T??:??:??Z'),
    ended_at TEXT CHECK (ended_at GLOB '????-??-??T??:??:??Z'),
    run_id INTEGER,
    exit_code INTEGER,
    -- The process that it runs in, told from a later one of the same number: it may outlive who began it.
    child_pid INTEGER,
    child_host TEXT,
    child_place TEXT,
    child_birth TEXT,
    -- 1 for one that was interrupted, as long as nobody has decided whether it is taken up again.
    owed INTEGER NOT NULL DEFAULT 0 CHECK (owed = 0 OR (owed = 1 AND state IN ('stopped', 'died'))),
    UNIQUE (job, due_at),
    CHECK ((state IN ('waiting', 'missed')) = (started_at IS NULL)),
    CHECK ((state IN ('waiting', 'missed', 'running')) = (ended_at IS NULL))
  ) STRICT;
  CREATE INDEX tick_waiting ON tick (due_at) WHERE state = 'waiting';
  CREATE INDEX tick_running ON tick (id) WHERE state = 'running';
  CREATE INDEX tick_owed ON tick (id) WHERE owed = 1;`,
  // `retry_at`: an interrupted or failed job runs again then, unless a newer run is due. `first_at`: its first attempt.
  `ALTER TABLE tick ADD COLUMN first_at TEXT CHECK (first_at GLOB '????-??-??T??:??:??Z');
  ALTER TABLE tick ADD COLUMN retry_at TEXT CHECK (retry_at GLOB '????-??-??T??:??:??Z');
  UPDATE tick SET first_at = started_at, retry_at = CASE owed WHEN 1 THEN ended_at END;
  DROP INDEX tick_owed;
  ALTER TABLE tick DROP COLUMN owed;
  CREATE INDEX tick_retry ON tick (id) WHERE retry_at IS NOT NULL;`,
];

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
    if (versionOf(file) > MIGRATIONS.length) throw newerDatabase(path);
  };
  return openUsable(path, () => openToLook(path, WAIT_MS), prepare, LOST);
}

function migrate(file: ScheduleFile, path: string): void {
  if (versionOf(file) === MIGRATIONS.length) return;
  const bringUp = file.transaction(() => {
    const version = versionOf(file);
    if (version > MIGRATIONS.length) throw newerDatabase(path);
    for (const statements of MIGRATIONS.slice(version)) file.exec(statements);
    file.pragma(`user_version = ${MIGRATIONS.length}`);
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
