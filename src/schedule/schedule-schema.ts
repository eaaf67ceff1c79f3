/** The file's `user_version` is the number of migrations that the file already has. PostgreSQL has the same tables (`npm run schema`). */
export const SCHEDULE_MIGRATIONS = [
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
];
