const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;

const MESSAGE = `CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    text TEXT NOT NULL,
    reference TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown')),
    status TEXT,
    provider_id TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    account TEXT,
    sender TEXT,
    requested_at TEXT ${INSTANT('requested_at')},
    lease_holder TEXT,
    lease_until TEXT ${INSTANT('lease_until')},
    error_code TEXT,
    error TEXT,
    response TEXT,
    may_be_out INTEGER NOT NULL DEFAULT 0 CHECK (may_be_out IN (0, 1)),
    accepted_at TEXT ${INSTANT('accepted_at')},
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')},
    CHECK ((state = 'sending') = (lease_holder IS NOT NULL)),
    CHECK ((lease_holder IS NULL) = (lease_until IS NULL))
  ) STRICT`;

const OUTBOX = `CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_id INTEGER NOT NULL REFERENCES alert (id),
    occasion INTEGER NOT NULL CHECK (occasion > 0),
    reason TEXT NOT NULL CHECK (reason IN ('event', 'first', 'repeat', 'escalated', 'resolved', 'digest', 'reply', 'test')),
    severity TEXT NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
    text TEXT NOT NULL,
    short TEXT,
    channel TEXT NOT NULL,
    recipient TEXT,
    state TEXT NOT NULL CHECK (state IN
      ('pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown', 'withdrawn')),
    attempts INTEGER NOT NULL DEFAULT 0,
    message_id INTEGER REFERENCES message (id),
    counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
    error TEXT,
    escalated_at TEXT ${INSTANT('escalated_at')},
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')},
    withdrawn_because TEXT CHECK (withdrawn_because IN
      ('silenced', 'no_recipient', 'readdressed', 'proposal_over', 'condition_over', 'condition_ended')),
    lost_at TEXT ${INSTANT('lost_at')},
    acknowledged_by TEXT CHECK (acknowledged_by <> '')
  ) STRICT`;

const REPLY = `CREATE TABLE reply (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dedupe_key TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    sender TEXT NOT NULL,
    text TEXT NOT NULL,
    proposal_code TEXT,
    outcome TEXT NOT NULL CHECK (outcome IN ('approved', 'declined', 'refused', 'not_an_approver', 'not_understood')),
    answer TEXT,
    received_at TEXT NOT NULL ${INSTANT('received_at')},
    handled_at TEXT NOT NULL ${INSTANT('handled_at')}
  ) STRICT`;

const INDEXES = [
  `CREATE UNIQUE INDEX message_by_provider_id ON message (channel, provider_id) WHERE provider_id IS NOT NULL`,
  `CREATE INDEX message_by_state ON message (state)`,
  `CREATE UNIQUE INDEX outbox_once_per_recipient ON outbox (alert_id, occasion, channel, coalesce(recipient, ''))`,
  `CREATE INDEX outbox_by_state ON outbox (state)`,
  `CREATE INDEX outbox_by_message ON outbox (message_id)`,
];

const TABLES = ['message', 'outbox', 'reply'];

/**
 * SQLite cannot drop a CHECK, so the tables are made anew. The old ones are renamed first, because a renamed table takes
 * the references of others with it: `outbox_before` goes on pointing to `message_before`, and each new table gets its
 * plain name in its own words. The numbering is handed over before the old tables go. Otherwise an id of a message
 * that was deleted could be given to another one.
 */
const ON_FILES = [
  ...[
    'message_by_provider_id',
    'message_by_state',
    'outbox_once_per_recipient',
    'outbox_by_state',
    'outbox_by_message',
  ].map((index) => `DROP INDEX ${index}`),
  ...TABLES.map((table) => `ALTER TABLE ${table} RENAME TO ${table}_before`),
  MESSAGE,
  OUTBOX,
  REPLY,
  ...TABLES.map((table) => `INSERT INTO ${table} SELECT * FROM ${table}_before`),
  `DELETE FROM sqlite_sequence WHERE name IN ('message', 'outbox', 'reply')`,
  ...TABLES.map((table) => `UPDATE sqlite_sequence SET name = '${table}' WHERE name = '${table}_before'`),
  ...TABLES.toReversed().map((table) => `DROP TABLE ${table}_before`),
  ...INDEXES,
];

/** Which channels exist is known to the program alone (`src/channels/channels.ts`), so a new channel needs no migration. */
export const statements = [
  ...ON_FILES.map((sqlite) => ({ sqlite })),
  // All locks at once, in the order of a join. A reader between two of these statements could wait for us, and we for it.
  { postgres: 'LOCK TABLE outbox, message, reply, webhook_event IN ACCESS EXCLUSIVE MODE' },
  ...[...TABLES, 'webhook_event'].map((table) => ({
    postgres: `ALTER TABLE ${table} DROP CONSTRAINT ${table}_channel_check`,
  })),
];
