import { type Kysely, sql } from 'kysely';

/** Slices are planned before they are read. Each account day has a state, and its totals whenever it was read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const DAY = (column: string) => `CHECK (${column} GLOB '????-??-??')`;

const STATEMENTS = [
  // Number of requests that count toward the service's daily quota, including failed ones.
  `ALTER TABLE run ADD COLUMN operations INTEGER NOT NULL DEFAULT 0`,

  // `login_customer_id`: the manager that gives access. `status`: a word of the service, such as ENABLED or SUSPENDED.
  `ALTER TABLE account ADD COLUMN login_customer_id INTEGER`,
  `ALTER TABLE account ADD COLUMN status TEXT`,

  // An empty `key` means that rows cannot be distinguished. `next_row` only grows, so that row numbers are never used
  // again.
  `ALTER TABLE query_table ADD COLUMN key TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(key))`,
  `ALTER TABLE query_table ADD COLUMN resource TEXT`,
  `ALTER TABLE query_table ADD COLUMN next_row INTEGER NOT NULL DEFAULT 1`,

  // `expected` is 1 for days in the query's own window: a missing day after the first of them is a gap.
  // It is 0 for days that a person requested. They create no gaps.
  `ALTER TABLE slice RENAME TO slice_before`,
  `CREATE TABLE slice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES run (id),
    query TEXT NOT NULL,
    query_text TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date_from TEXT,
    date_to TEXT,
    expected INTEGER NOT NULL DEFAULT 1 CHECK (expected IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('planned', 'done', 'failed', 'cut', 'not_offered')),
    rows INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    request_id TEXT,
    error TEXT,
    started_at TEXT ${INSTANT('started_at')},
    ended_at TEXT ${INSTANT('ended_at')},
    CHECK ((state = 'planned') = (ended_at IS NULL))
  ) STRICT`,
  `INSERT INTO slice SELECT id, run_id, query, query_text, customer_id, date_from, date_to, 1, state, rows, bytes, request_id,
    error, started_at, ended_at FROM slice_before`,
  `DROP TABLE slice_before`,
  `CREATE INDEX slice_by_run ON slice (run_id, state)`,
  `CREATE INDEX slice_by_query ON slice (query, customer_id, id)`,

  // Days without a row here are missing.
  `CREATE TABLE account_day (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL ${DAY('date')},
    query_text TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('provisional', 'settled')),
    rows INTEGER NOT NULL,
    totals TEXT NOT NULL CHECK (json_valid(totals)),
    slice_id INTEGER NOT NULL REFERENCES slice (id),
    read_at TEXT NOT NULL ${INSTANT('read_at')},
    PRIMARY KEY (query, customer_id, date)
  ) STRICT, WITHOUT ROWID`,

  // One row for the first reading of a day, and one for each later reading with other totals.
  `CREATE TABLE day_reading (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL ${DAY('date')},
    slice_id INTEGER NOT NULL REFERENCES slice (id),
    read_at TEXT NOT NULL ${INSTANT('read_at')},
    days_after INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    totals TEXT NOT NULL CHECK (json_valid(totals)),
    PRIMARY KEY (query, customer_id, date, slice_id)
  ) STRICT, WITHOUT ROWID`,

  // The outcome of each account in a run, including accounts that were left out.
  `CREATE TABLE run_account (
    run_id INTEGER NOT NULL REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('read', 'failed', 'left_out', 'not_reached')),
    reason TEXT,
    PRIMARY KEY (run_id, customer_id),
    CHECK ((state = 'read') = (reason IS NULL))
  ) STRICT, WITHOUT ROWID`,

  // The chunks in the newest load of a query and account. If the next load has an identical chunk, it is not stored
  // again.
  `CREATE TABLE loaded_piece (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    first_row INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    PRIMARY KEY (query, customer_id, digest)
  ) STRICT, WITHOUT ROWID`,

  // Days whose rows changed since the last publication. The date '' stands for all rows of a table without days.
  // A day that changes again gets a new id. After a publication, only ids up to the highest published id are deleted.
  `CREATE TABLE unpublished_day (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL,
    UNIQUE (query, customer_id, date)
  ) STRICT`,

  // The last published file, which can be renewed: its token, the fingerprint of its definitions, its size and time.
  `CREATE TABLE publication (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    stamp TEXT NOT NULL
  ) STRICT`,
];
