import { type Kysely, sql } from 'kysely';

/** The first tables: target, runs, slices that were read, changed budgets, sent alerts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;

const STATEMENTS = [
  `CREATE TABLE target (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    identity TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    target TEXT NOT NULL,
    mode TEXT NOT NULL,
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'refused', 'died')),
    started_at TEXT NOT NULL ${INSTANT('started_at')},
    ended_at TEXT ${INSTANT('ended_at')},
    accounts INTEGER NOT NULL DEFAULT 0,
    rows_read INTEGER NOT NULL DEFAULT 0,
    budget_changes INTEGER NOT NULL DEFAULT 0,
    messages_sent INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT
  ) STRICT`,

  `CREATE TABLE account (
    customer_id INTEGER PRIMARY KEY,
    name TEXT,
    currency TEXT,
    time_zone TEXT,
    seen_at TEXT NOT NULL ${INSTANT('seen_at')}
  ) STRICT`,

  `CREATE TABLE query_table (
    name TEXT PRIMARY KEY,
    columns TEXT NOT NULL CHECK (json_valid(columns)),
    query TEXT NOT NULL,
    description TEXT NOT NULL
  ) STRICT`,

  `CREATE TABLE slice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES run (id),
    query TEXT NOT NULL,
    query_text TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    date_from TEXT,
    date_to TEXT,
    state TEXT NOT NULL CHECK (state IN ('done', 'failed')),
    rows INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    request_id TEXT,
    error TEXT,
    started_at TEXT NOT NULL ${INSTANT('started_at')},
    ended_at TEXT NOT NULL ${INSTANT('ended_at')}
  ) STRICT`,
  `CREATE INDEX slice_by_query ON slice (query, customer_id, state, date_to)`,

  `CREATE TABLE budget_intent (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    campaign_id INTEGER NOT NULL,
    campaign_name TEXT,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    currency TEXT NOT NULL,
    rule TEXT NOT NULL,
    from_micros INTEGER NOT NULL CHECK (from_micros > 0),
    to_micros INTEGER NOT NULL CHECK (to_micros > 0),
    amount_source TEXT NOT NULL CHECK (amount_source IN ('read', 'declared')),
    state TEXT NOT NULL CHECK (state IN
      ('planned', 'validated', 'sending', 'applied', 'rejected', 'unknown', 'confirmed', 'superseded', 'expired')),
    code TEXT,
    reason TEXT NOT NULL,
    outcome TEXT,
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')},
    CHECK (from_micros <> to_micros)
  ) STRICT`,
  // Guarantees at most one automated change per budget and account day, even if a query has a mistake.
  `CREATE UNIQUE INDEX budget_intent_once_a_day ON budget_intent (customer_id, budget_id, account_day)`,
  `CREATE INDEX budget_intent_by_state ON budget_intent (state)`,

  `CREATE TABLE alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dedupe_key TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('firing', 'resolved')),
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    customer_id INTEGER,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL ${INSTANT('created_at')}
  ) STRICT`,

  // A row without a recipient waits until somebody configures recipients.
  `CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_id INTEGER NOT NULL REFERENCES alert (id),
    channel TEXT NOT NULL CHECK (channel IN ('messages')),
    recipient TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'accepted', 'failed', 'unknown')),
    attempts INTEGER NOT NULL DEFAULT 0,
    response TEXT,
    error TEXT,
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')}
  ) STRICT`,
  `CREATE UNIQUE INDEX outbox_once_per_recipient ON outbox (alert_id, channel, coalesce(recipient, ''))`,
  `CREATE INDEX outbox_by_state ON outbox (state)`,
];
