import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/**
 * Adds budget changes by rules and people, proposals that await approval, and changes by others. The chain of events
 * records all of them. It begins with the outcomes of earlier changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await sql.raw(statement).execute(db);
  const { rows } = await sql<BroughtOver>`SELECT * FROM budget_intent ORDER BY updated_at, id`.execute(db);
  let previous = '0'.repeat(64);
  let id = 1n;
  for (const row of rows) {
    previous = await recordIntent(db, row, id, previous);
    id += 1n;
  }
  for (const statement of GUARDS) await sql.raw(statement).execute(db);
}

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const DAY = (column: string) => `CHECK (${column} GLOB '????-??-??')`;
const HASH = (column: string) => `CHECK (length(${column}) = 64 AND ${column} NOT GLOB '*[^0-9a-f]*')`;
/** The amounts of a decision in micros. An undo must respect the floor and the ceiling too. */
const AMOUNTS = `from_micros INTEGER NOT NULL CHECK (from_micros > 0),
    to_micros INTEGER NOT NULL CHECK (to_micros > 0),
    amount_source TEXT NOT NULL CHECK (amount_source IN ('read', 'declared')),
    declared_micros INTEGER CHECK (declared_micros > 0),
    floor_micros INTEGER CHECK (floor_micros > 0),
    ceiling_micros INTEGER CHECK (ceiling_micros > 0)`;

const TABLES = [
  `DROP INDEX budget_intent_once_a_day`,
  `DROP INDEX budget_intent_by_state`,
  `ALTER TABLE budget_intent RENAME TO budget_intent_before`,
  // `run_id` is optional, because people act outside of runs. The campaign is optional, because some rules concern
  // several.
  `CREATE TABLE budget_intent (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER REFERENCES run (id),
    kind TEXT NOT NULL CHECK (kind IN ('rule', 'undo')),
    undoes INTEGER REFERENCES budget_intent (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    campaign_id INTEGER,
    campaign_name TEXT,
    account_day TEXT NOT NULL ${DAY('account_day')},
    currency TEXT NOT NULL,
    rule TEXT NOT NULL,
    rule_version TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor <> ''),
    ${AMOUNTS},
    state TEXT NOT NULL CHECK (state IN
      ('planned', 'validated', 'sending', 'applied', 'rejected', 'unknown', 'confirmed', 'superseded', 'expired')),
    code TEXT,
    reason TEXT NOT NULL,
    outcome TEXT,
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')},
    CHECK (from_micros <> to_micros),
    CHECK (floor_micros <= ceiling_micros),
    CHECK ((kind = 'undo') = (undoes IS NOT NULL))
  ) STRICT`,
  // The versions of earlier rules are unknown.
  `INSERT INTO budget_intent SELECT id, run_id, 'rule', NULL, customer_id, budget_id, campaign_id, campaign_name, account_day,
    currency, rule, '', 'rule ' || rule, from_micros, to_micros, amount_source, NULL, NULL, NULL, state, code, reason, outcome,
    created_at, updated_at FROM budget_intent_before`,
  `DROP TABLE budget_intent_before`,
  // Guarantees at most one automated change per budget and account day, even if a query has a mistake.
  // Expired changes do not count, because they were never sent.
  `CREATE UNIQUE INDEX budget_intent_once_a_day ON budget_intent (customer_id, budget_id, account_day)
    WHERE kind = 'rule' AND state <> 'expired'`,
  `CREATE INDEX budget_intent_by_state ON budget_intent (state)`,
  `CREATE INDEX budget_intent_by_day ON budget_intent (customer_id, account_day)`,

  // Ids have no gaps. Each `previous_hash` is unique, so the chain cannot fork.
  `CREATE TABLE budget_event (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    intent_id INTEGER REFERENCES budget_intent (id),
    kind TEXT NOT NULL CHECK (kind <> ''),
    actor TEXT NOT NULL CHECK (actor <> ''),
    detail TEXT NOT NULL CHECK (json_valid(detail)),
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    previous_hash TEXT NOT NULL UNIQUE ${HASH('previous_hash')},
    hash TEXT NOT NULL ${HASH('hash')}
  ) STRICT`,
  `CREATE INDEX budget_event_by_intent ON budget_event (intent_id)`,
  `CREATE INDEX budget_event_by_kind ON budget_event (kind)`,

  // Rows are never deleted, so that no code is used twice.
  `CREATE TABLE budget_proposal (
    code TEXT PRIMARY KEY CHECK (length(code) = 4),
    run_id INTEGER REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    campaign_id INTEGER,
    campaign_name TEXT,
    account_day TEXT NOT NULL ${DAY('account_day')},
    currency TEXT NOT NULL,
    rule TEXT NOT NULL,
    rule_version TEXT NOT NULL,
    ${AMOUNTS},
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'rejected', 'expired', 'superseded')),
    reason TEXT NOT NULL,
    intent_id INTEGER REFERENCES budget_intent (id),
    decided_by TEXT,
    decided_at TEXT ${INSTANT('decided_at')},
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    expires_at TEXT NOT NULL ${INSTANT('expires_at')},
    CHECK (from_micros <> to_micros),
    CHECK (floor_micros <= ceiling_micros),
    CHECK ((state = 'open') = (decided_at IS NULL)),
    CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
    CHECK ((state = 'approved') = (intent_id IS NOT NULL))
  ) STRICT`,
  `CREATE UNIQUE INDEX budget_proposal_one_open ON budget_proposal (customer_id, budget_id) WHERE state = 'open'`,

  // A change by somebody else. `account_day` is the day when pacekeeper noticed it.
  `CREATE TABLE foreign_change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id INTEGER NOT NULL UNIQUE REFERENCES budget_event (id),
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    account_day TEXT NOT NULL ${DAY('account_day')},
    expected_micros INTEGER NOT NULL,
    found_micros INTEGER NOT NULL,
    declared_micros INTEGER,
    intent_id INTEGER REFERENCES budget_intent (id),
    seen_at TEXT NOT NULL ${INSTANT('seen_at')},
    CHECK (expected_micros <> found_micros)
  ) STRICT`,
  `CREATE INDEX foreign_change_by_day ON foreign_change (customer_id, account_day)`,
];

/**
 * REPLACE deletes rows without a trigger. So a trigger also checks that an inserted event is the next one of the chain.
 */
const GUARDS = [
  `CREATE TRIGGER budget_event_is_not_changed BEFORE UPDATE ON budget_event
    BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event is never changed'); END`,
  `CREATE TRIGGER budget_event_is_not_deleted BEFORE DELETE ON budget_event
    BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event is never deleted'); END`,
  `CREATE TRIGGER budget_event_goes_on BEFORE INSERT ON budget_event
    WHEN NEW.id <> coalesce((SELECT max(id) FROM budget_event), 0) + 1
      OR NEW.previous_hash <> coalesce((SELECT hash FROM budget_event ORDER BY id DESC LIMIT 1), printf('%064d', 0))
    BEGIN SELECT RAISE(ABORT, 'budget_event only grows: an event follows the last one'); END`,
];

type BroughtOver = Readonly<Record<string, string | bigint | null>> & { readonly id: bigint; readonly state: string };

/**
 * A copy of the code that wrote events when this migration was made. The migration's result therefore never changes.
 */
async function recordIntent(db: Kysely<unknown>, row: BroughtOver, id: bigint, previous: string): Promise<string> {
  const { id: intent, run_id, kind: intent_kind, actor, created_at: decided_at, updated_at, ...facts } = row;
  const why = 'Brought over from before events were written: this is what it had come to.';
  const detail = canonical({ ...facts, intent_kind, run_id, decided_at, why });
  const text = `[${id},${intent},"recorded",${[actor, detail, updated_at, previous].map((part) => JSON.stringify(part)).join()}]`;
  const hash = createHash('sha256').update(text).digest('hex');
  await sql`INSERT INTO budget_event VALUES
    (${id}, ${intent}, 'recorded', ${actor}, ${detail}, ${updated_at}, ${previous}, ${hash})`.execute(db);
  return hash;
}

/** Returns JSON with sorted keys and with whole numbers as text. */
function canonical(values: Readonly<Record<string, string | bigint | null | undefined>>): string {
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value])),
  );
}
