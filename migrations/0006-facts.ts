import { type Kysely, sql } from 'kysely';

/**
 * Replaces sentences by columns with fixed values: how runs and accounts ended, the kind of service, and who approved a
 * change. Also adds why an alert was withdrawn, and its subject. Small tables are created again with foreign keys off
 * (`store/sqlite/open-state.ts`). Tables of rows, days and slices are not changed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/**
 * SQL that returns `live` or `sandbox` for the name of a service. Published files contain only the name, so taking over
 * their record uses this expression too.
 */
export const targetKindOf = (name: string) => `CASE WHEN ${name} GLOB 'live *' THEN 'live' ELSE 'sandbox' END`;

/**
 * SQL that finds who approved a change. `schema` is the database with the record. Published files lack the column
 * `origin`.
 */
export const originIn = (schema: string) => `CASE
    WHEN kind = 'undo' THEN 'undo'
    WHEN id IN (SELECT intent_id FROM ${schema}.budget_proposal WHERE intent_id IS NOT NULL
      UNION SELECT intent_id FROM ${schema}.budget_event WHERE kind = 'approved' AND intent_id IS NOT NULL) THEN 'approval'
    ELSE 'rule' END`;

/** Only this migration still reads these sentences of earlier versions. */
const STOPPED = (text: string) => `instr(lower(coalesce(${text}, '')), 'the run was asked to stop') > 0`;
const NOTHING_TO_READ = 'nothing was to be read of it in this run';
const PROPOSAL_OVER = 'The proposal waits no more.';
const CONDITION_OVER = 'It was over before it was told.';

/** SQL that returns how a run ended. Also used for older published files. */
export const runState = `CASE WHEN state = 'failed' AND ${STOPPED('error')} THEN 'stopped' ELSE state END`;

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const DAY = (column: string) => `CHECK (${column} GLOB '????-??-??')`;
const TARGET_KIND = (column: string) => `CHECK (${column} IN ('sandbox', 'live'))`;

const STATEMENTS = [
  // Without this setting, a user's view that names one of the tables would block its replacement.
  `PRAGMA legacy_alter_table = ON`,
  `CREATE TABLE target_next (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    identity TEXT NOT NULL,
    kind TEXT NOT NULL ${TARGET_KIND('kind')}
  ) STRICT`,
  `INSERT INTO target_next SELECT id, identity, ${targetKindOf('identity')} FROM target`,
  `DROP TABLE target`,
  `ALTER TABLE target_next RENAME TO target`,

  `CREATE TABLE run_next (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    target TEXT NOT NULL,
    mode TEXT NOT NULL,
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed', 'refused', 'died')),
    started_at TEXT NOT NULL ${INSTANT('started_at')},
    ended_at TEXT ${INSTANT('ended_at')},
    accounts INTEGER NOT NULL DEFAULT 0,
    rows_read INTEGER NOT NULL DEFAULT 0,
    budget_changes INTEGER NOT NULL DEFAULT 0,
    messages_sent INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    operations INTEGER NOT NULL DEFAULT 0,
    record_head TEXT,
    record_proven TEXT CHECK (record_proven IN ('new', 'whole')),
    bounds TEXT CHECK (json_valid(bounds)),
    target_kind TEXT NOT NULL ${TARGET_KIND('target_kind')}
  ) STRICT`,
  `INSERT INTO run_next SELECT id, command, target, mode, dry_run,
    ${runState}, started_at, ended_at, accounts, rows_read,
    budget_changes, messages_sent, failures, error, operations, record_head, record_proven, bounds, ${targetKindOf('target')} FROM run`,
  // Run ids are never used twice, even if the newest runs were deleted.
  `DELETE FROM sqlite_sequence WHERE name = 'run_next'`,
  `INSERT INTO sqlite_sequence (name, seq) SELECT 'run_next', seq FROM sqlite_sequence WHERE name = 'run'`,
  `DROP TABLE run`,
  `ALTER TABLE run_next RENAME TO run`,

  // `code`: why an account was not reached, although nothing failed.
  `CREATE TABLE run_account_next (
    run_id INTEGER NOT NULL REFERENCES run (id),
    customer_id INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('read', 'stopped', 'failed', 'left_out', 'not_reached')),
    reason TEXT,
    code TEXT CHECK (code IN ('nothing_to_read')),
    PRIMARY KEY (run_id, customer_id),
    CHECK ((state = 'read') = (reason IS NULL)),
    CHECK (code IS NULL OR state = 'not_reached')
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO run_account_next SELECT run_id, customer_id,
    CASE WHEN state IN ('failed', 'not_reached') AND ${STOPPED('reason')} THEN 'stopped' ELSE state END,
    reason, CASE WHEN state = 'not_reached' AND reason = '${NOTHING_TO_READ}' THEN 'nothing_to_read' END FROM run_account`,
  `DROP TABLE run_account`,
  `ALTER TABLE run_account_next RENAME TO run_account`,

  `CREATE TABLE budget_intent_next (
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
    from_micros INTEGER NOT NULL CHECK (from_micros > 0),
    to_micros INTEGER NOT NULL CHECK (to_micros > 0),
    amount_source TEXT NOT NULL CHECK (amount_source IN ('read', 'declared')),
    declared_micros INTEGER CHECK (declared_micros > 0),
    floor_micros INTEGER CHECK (floor_micros > 0),
    ceiling_micros INTEGER CHECK (ceiling_micros > 0),
    state TEXT NOT NULL CHECK (state IN
      ('planned', 'validated', 'sending', 'applied', 'rejected', 'unknown', 'confirmed', 'superseded', 'expired')),
    code TEXT,
    reason TEXT NOT NULL,
    outcome TEXT,
    created_at TEXT NOT NULL ${INSTANT('created_at')},
    updated_at TEXT NOT NULL ${INSTANT('updated_at')},
    alert_text TEXT,
    alert_severity TEXT CHECK (alert_severity IN ('info', 'warning', 'critical')),
    origin TEXT NOT NULL CHECK (origin IN ('rule', 'approval', 'undo')),
    CHECK (from_micros <> to_micros),
    CHECK (floor_micros <= ceiling_micros),
    CHECK ((kind = 'undo') = (undoes IS NOT NULL)),
    CHECK ((kind = 'undo') = (origin = 'undo'))
  ) STRICT`,
  `INSERT INTO budget_intent_next SELECT id, run_id, kind, undoes, customer_id, budget_id, campaign_id,
    campaign_name, account_day, currency, rule, rule_version, actor, from_micros, to_micros, amount_source, declared_micros,
    floor_micros, ceiling_micros, state, code, reason, outcome, created_at, updated_at, alert_text, alert_severity,
    ${originIn('main')} FROM budget_intent`,
  `DELETE FROM sqlite_sequence WHERE name = 'budget_intent_next'`,
  `INSERT INTO sqlite_sequence (name, seq)
    SELECT 'budget_intent_next', seq FROM sqlite_sequence WHERE name = 'budget_intent'`,
  `DROP TABLE budget_intent`,
  `ALTER TABLE budget_intent_next RENAME TO budget_intent`,
  `CREATE UNIQUE INDEX budget_intent_once_a_day ON budget_intent (customer_id, budget_id, account_day)
    WHERE kind = 'rule' AND state <> 'expired'`,
  `CREATE INDEX budget_intent_by_state ON budget_intent (state)`,
  `CREATE INDEX budget_intent_by_day ON budget_intent (customer_id, account_day)`,

  // NULL for a row that was withdrawn before this column existed.
  `ALTER TABLE outbox ADD COLUMN withdrawn_because TEXT CHECK (withdrawn_because IN
    ('silenced', 'no_recipient', 'readdressed', 'proposal_over', 'condition_over', 'condition_ended'))`,
  `UPDATE outbox SET withdrawn_because = CASE error
      WHEN '${PROPOSAL_OVER}' THEN 'proposal_over' WHEN '${CONDITION_OVER}' THEN 'condition_over' END
    WHERE state = 'withdrawn'`,

  // The subject of an alert, so that nobody must parse its key: a proposal, or the recipient of a digest.
  `ALTER TABLE alert ADD COLUMN proposal_code TEXT`,
  `ALTER TABLE alert ADD COLUMN recipient TEXT`,
  `UPDATE alert SET proposal_code = substr(dedupe_key, length('proposal:') + 1)
    WHERE kind = 'event' AND dedupe_key GLOB 'proposal:????'`,
  `UPDATE alert SET recipient = substr(dedupe_key, length('digest:') + 1, length(dedupe_key) - length('digest::0000-00-00'))
    WHERE kind = 'digest' AND dedupe_key GLOB 'digest:*:????-??-??'`,
  `PRAGMA legacy_alter_table = OFF`,
];
