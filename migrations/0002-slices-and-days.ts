import { type Kysely, sql } from 'kysely';

/** Slices that are planned before they are read, the state of every account's every day, and what each reading of a day said. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const DAY = (column: string) => `CHECK (${column} GLOB '????-??-??')`;

const STATEMENTS = [
  // Requests that count against the service's daily quota, the failed ones included.
  `ALTER TABLE run ADD COLUMN operations INTEGER NOT NULL DEFAULT 0`,

  // The manager through which the account is reached, and the service's word for its standing (ENABLED, SUSPENDED, …).
  `ALTER TABLE account ADD COLUMN login_customer_id INTEGER`,
  `ALTER TABLE account ADD COLUMN status TEXT`,

  // An empty key: the table's rows cannot be told apart. Numbers of rows are given once and never again.
  `ALTER TABLE query_table ADD COLUMN key TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(key))`,
  `ALTER TABLE query_table ADD COLUMN resource TEXT`,
  `ALTER TABLE query_table ADD COLUMN next_row INTEGER NOT NULL DEFAULT 1`,

  // Expected: its days lie in the query's own window, so that days missing since then are holes; a slice of days that
  // somebody asked for in their place makes none.
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

  // A day that has no row here is missing.
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

  // One row when a day is read for the first time, and one whenever its totals are others than at the reading before.
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

  // What became of each account in a run: one that is left out is never hidden.
  `CREATE TABLE run_account (
    run_id INTEGER NOT NULL REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('read', 'failed', 'left_out', 'not_reached')),
    reason TEXT,
    PRIMARY KEY (run_id, customer_id),
    CHECK ((state = 'read') = (reason IS NULL))
  ) STRICT, WITHOUT ROWID`,

  // The pieces of the newest load of a query and account: one that comes again byte for byte is not loaded again.
  `CREATE TABLE loaded_piece (
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    first_row INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    PRIMARY KEY (query, customer_id, digest)
  ) STRICT, WITHOUT ROWID`,

  // Days whose rows have changed since they were published; '' stands for all rows of a table without days. A day that
  // changes once more gets a new id, so that those up to an id are exactly those of its time.
  `CREATE TABLE unpublished_day (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date TEXT NOT NULL,
    UNIQUE (query, customer_id, date)
  ) STRICT`,

  // The published file that can be carried on: what it is called in itself, what made it, and how it lay on the disk.
  `CREATE TABLE publication (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    stamp TEXT NOT NULL
  ) STRICT`,
];
