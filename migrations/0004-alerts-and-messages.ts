import { type Kysely, sql } from 'kysely';

/**
 * Adds alerts that fire and resolve, their recipients (`outbox`), messages, silences, and people's replies. Earlier
 * messages keep their text. They have no reference, so pacekeeper never looks them up.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const SEVERITY = (column: string) => `CHECK (${column} IN ('info', 'warning', 'critical'))`;
const CHANNEL = `CHECK (channel IN ('messages', 'graph'))`;

const STATEMENTS = [
  `DROP INDEX outbox_once_per_recipient`,
  `DROP INDEX outbox_by_state`,
  `ALTER TABLE outbox RENAME TO outbox_before`,
  `ALTER TABLE alert RENAME TO alert_before`,

  // One row per subject, however often its alert fires. An alert of the kind `event` fires only once.
  `CREATE TABLE alert (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dedupe_key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('event', 'condition', 'digest', 'reply', 'test')),
    state TEXT NOT NULL CHECK (state IN ('firing', 'resolved')),
    severity TEXT NOT NULL ${SEVERITY('severity')},
    customer_id INTEGER,
    rule TEXT,
    text TEXT NOT NULL,
    fired_at TEXT NOT NULL ${INSTANT('fired_at')},
    resolved_at TEXT ${INSTANT('resolved_at')},
    occasions INTEGER NOT NULL DEFAULT 0 CHECK (occasions >= 0),
    notified_at TEXT ${INSTANT('notified_at')},
    notified_as TEXT CHECK (notified_as IN ('first', 'repeat', 'escalated', 'resolved')),
    notified_severity TEXT ${SEVERITY('notified_severity')},
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')},
    resolved_because TEXT,
    CHECK ((state = 'resolved') = (resolved_at IS NOT NULL)),
    CHECK (resolved_because IS NULL OR state = 'resolved'),
    CHECK ((notified_at IS NULL) = (notified_as IS NULL)),
    CHECK ((notified_at IS NULL) = (notified_severity IS NULL))
  ) STRICT`,
  `CREATE INDEX alert_by_state ON alert (state, kind)`,

  // Conditions that an alert also reports. For example, the alert of a change contains the alert text of its rule.
  `CREATE TABLE alert_tells (
    alert_id INTEGER NOT NULL REFERENCES alert (id),
    condition_id INTEGER NOT NULL REFERENCES alert (id),
    told_as TEXT NOT NULL CHECK (told_as IN ('first', 'repeat')),
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    PRIMARY KEY (alert_id, condition_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX alert_tells_by_condition ON alert_tells (condition_id)`,

  // A text for one recipient, as sent to the provider. The lease prevents two processes from sending it.
  // After a request that may have sent it, the text never changes: the provider shows it under this reference.
  // Account, sender and time are those of the last request, even if the settings have changed since.
  `CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL ${CHANNEL},
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
  ) STRICT`,
  `CREATE UNIQUE INDEX message_by_provider_id ON message (channel, provider_id) WHERE provider_id IS NOT NULL`,
  `CREATE INDEX message_by_state ON message (state)`,

  // Alerts to send. A row without a recipient waits for the routes. A row with one belongs to a message.
  // `escalated_at`: the alert went to the next channel or was reported as lost. `short`: the line that asks for an
  // answer.
  // `counted`: the message only counts this alert, without its text.
  `CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_id INTEGER NOT NULL REFERENCES alert (id),
    occasion INTEGER NOT NULL CHECK (occasion > 0),
    reason TEXT NOT NULL CHECK (reason IN ('event', 'first', 'repeat', 'escalated', 'resolved', 'digest', 'reply', 'test')),
    severity TEXT NOT NULL ${SEVERITY('severity')},
    text TEXT NOT NULL,
    short TEXT,
    channel TEXT NOT NULL ${CHANNEL},
    recipient TEXT,
    state TEXT NOT NULL CHECK (state IN
      ('pending', 'sending', 'accepted', 'delivered', 'failed', 'unknown', 'withdrawn')),
    attempts INTEGER NOT NULL DEFAULT 0,
    message_id INTEGER REFERENCES message (id),
    counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
    error TEXT,
    escalated_at TEXT ${INSTANT('escalated_at')},
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')}
  ) STRICT`,
  `CREATE UNIQUE INDEX outbox_once_per_recipient ON outbox (alert_id, occasion, channel, coalesce(recipient, ''))`,
  `CREATE INDEX outbox_by_state ON outbox (state)`,
  `CREATE INDEX outbox_by_message ON outbox (message_id)`,

  `INSERT INTO alert SELECT id, dedupe_key, 'event', 'resolved', severity, customer_id, NULL, text, created_at, created_at, 1,
    created_at, 'first', severity, created_at, created_at, NULL FROM alert_before`,
  `UPDATE alert SET state = 'firing', resolved_at = NULL
    WHERE id IN (SELECT alert_id FROM outbox_before WHERE state = 'pending')`,
  // Messages of an interrupted process may have been sent. Alerts sent before this migration are not escalated.
  `INSERT INTO outbox SELECT o.id, o.alert_id, 1, 'event', a.severity, a.text, NULL, o.channel, o.recipient,
    CASE o.state WHEN 'sending' THEN 'unknown' ELSE o.state END, o.attempts, NULL, 0, o.error,
    CASE o.state WHEN 'pending' THEN NULL ELSE o.updated_at END, o.created_at, o.updated_at
    FROM outbox_before AS o JOIN alert_before AS a ON a.id = o.alert_id`,
  `DROP TABLE outbox_before`,
  `DROP TABLE alert_before`,

  // A silence with an empty column applies to all values of that column.
  `CREATE TABLE silence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id INTEGER,
    rule TEXT,
    severity TEXT ${SEVERITY('severity')},
    created_by TEXT NOT NULL CHECK (created_by <> ''),
    why TEXT NOT NULL CHECK (why <> ''),
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    expires_at TEXT NOT NULL ${INSTANT('expires_at')},
    ended_by TEXT,
    ended_at TEXT ${INSTANT('ended_at')},
    CHECK ((ended_by IS NULL) = (ended_at IS NULL))
  ) STRICT`,

  // A person's reply and its result. There is one row, even if the provider delivers the reply several times.
  `CREATE TABLE reply (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dedupe_key TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL ${CHANNEL},
    sender TEXT NOT NULL,
    text TEXT NOT NULL,
    proposal_code TEXT,
    outcome TEXT NOT NULL CHECK (outcome IN ('approved', 'declined', 'refused', 'not_an_approver', 'not_understood')),
    answer TEXT,
    received_at TEXT NOT NULL ${INSTANT('received_at')},
    handled_at TEXT NOT NULL ${INSTANT('handled_at')}
  ) STRICT`,

  // The alert text of the rule that decided the change. One alert reports both the change and this text.
  `ALTER TABLE budget_intent ADD COLUMN alert_text TEXT`,
  `ALTER TABLE budget_intent ADD COLUMN alert_severity TEXT ${SEVERITY('alert_severity')}`,
  `ALTER TABLE budget_proposal ADD COLUMN alert_text TEXT`,
  `ALTER TABLE budget_proposal ADD COLUMN alert_severity TEXT ${SEVERITY('alert_severity')}`,
];
