import { type Kysely, sql } from 'kysely';

/** Adds the ledger of decisions, filled from the existing events, and the results and notes of each run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const INSTANT = (column: string) => `CHECK (${column} GLOB '????-??-??T??:??:??Z')`;
const DAY = (column: string) => `CHECK (${column} GLOB '????-??-??')`;
/** Whole micros as text, because a sum over many budgets may exceed int64. */
const SUM = (column: string) => `${column} TEXT CHECK (${column} NOT GLOB '*[^-0-9]*')`;

const STATEMENTS = [
  // Each row comes from one event. A column is NULL if the event does not contain its value.
  `CREATE TABLE decision (
    event_id INTEGER PRIMARY KEY REFERENCES budget_event (id),
    kind TEXT NOT NULL CHECK (kind IN ('change', 'proposal', 'refusal', 'would_change')),
    origin TEXT NOT NULL CHECK (origin IN ('rule', 'approval', 'undo')),
    dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
    run_id INTEGER,
    customer_id INTEGER NOT NULL,
    budget_id INTEGER,
    campaign_id INTEGER,
    campaign_name TEXT,
    subject_kind TEXT CHECK (subject_kind IN ('account', 'budget', 'campaign', 'ad_group', 'keyword')),
    subject TEXT,
    account_day TEXT NOT NULL ${DAY('account_day')},
    rule TEXT NOT NULL,
    rule_version TEXT,
    mode TEXT CHECK (mode IN ('propose', 'approve', 'apply')),
    code TEXT,
    currency TEXT,
    from_micros INTEGER CHECK (from_micros > 0),
    to_micros INTEGER CHECK (to_micros > 0),
    numbers TEXT CHECK (json_valid(numbers)),
    facts TEXT CHECK (json_valid(facts)),
    reason TEXT NOT NULL,
    reason_without_amounts TEXT,
    intent_id INTEGER,
    proposal_code TEXT,
    decided_at TEXT NOT NULL ${INSTANT('decided_at')},
    CHECK ((kind = 'change') = (intent_id IS NOT NULL)),
    CHECK ((kind = 'refusal') = (code IS NOT NULL)),
    CHECK ((kind = 'would_change') = (mode IS NOT NULL)),
    CHECK (kind = 'refusal' OR (budget_id IS NOT NULL AND from_micros IS NOT NULL AND to_micros IS NOT NULL)),
    CHECK (kind <> 'proposal' OR proposal_code IS NOT NULL),
    CHECK (kind = 'change' OR origin = 'rule')
  ) STRICT`,
  `CREATE INDEX decision_by_run ON decision (run_id)`,
  `CREATE INDEX decision_by_day ON decision (customer_id, account_day, kind, rule, subject)`,
  `CREATE INDEX decision_by_time ON decision (decided_at)`,

  // If a run makes the same decision as an earlier run of the day, it links to that decision and adds no event.
  `CREATE TABLE run_decision (
    run_id INTEGER NOT NULL REFERENCES run (id),
    event_id INTEGER NOT NULL REFERENCES budget_event (id),
    PRIMARY KEY (run_id, event_id)
  ) STRICT, WITHOUT ROWID`,

  // State of the rules' monthly targets at the time of the run. `place` is the order in which the run reports them.
  `CREATE TABLE run_pacing (
    run_id INTEGER NOT NULL REFERENCES run (id),
    place INTEGER NOT NULL,
    rule TEXT NOT NULL,
    customer_id INTEGER NOT NULL,
    subject TEXT NOT NULL,
    currency TEXT,
    state TEXT NOT NULL,
    ${SUM('target_micros')},
    ${SUM('spent_micros')},
    ${SUM('ideal_to_date_micros')},
    ${SUM('projected_micros')},
    ${SUM('budget_micros')},
    ${SUM('should_be_micros')},
    PRIMARY KEY (run_id, place)
  ) STRICT, WITHOUT ROWID`,

  // A JSON list. Each note has a code and a sentence. NULL for runs of earlier versions and for interrupted runs.
  `ALTER TABLE run ADD COLUMN notes TEXT CHECK (json_valid(notes))`,

  // A copy of the statement that read events when this migration was made. Altered events may give no row.
  // The check of the record finds such events.
  `INSERT OR IGNORE INTO decision
  SELECT id,
    CASE kind WHEN 'proposed' THEN 'proposal' ELSE 'change' END,
    CASE
      WHEN kind = 'proposed' THEN 'rule'
      WHEN detail ->> 'origin' IS NOT NULL THEN detail ->> 'origin'
      WHEN detail ->> 'intent_kind' = 'undo' THEN 'undo'
      WHEN coalesce(detail ->> 'proposal_code', approval) IS NOT NULL THEN 'approval'
      ELSE 'rule'
    END,
    0,
    CAST(detail ->> 'run_id' AS INTEGER),
    CAST(detail ->> 'customer_id' AS INTEGER),
    CAST(detail ->> 'budget_id' AS INTEGER),
    CAST(detail ->> 'campaign_id' AS INTEGER),
    detail ->> 'campaign_name',
    NULL, NULL,
    detail ->> 'account_day',
    detail ->> 'rule',
    nullif(detail ->> 'rule_version', ''),
    NULL, NULL,
    detail ->> 'currency',
    CAST(detail ->> 'from_micros' AS INTEGER),
    CAST(detail ->> 'to_micros' AS INTEGER),
    NULL, NULL,
    detail ->> 'reason',
    NULL,
    intent_id,
    coalesce(detail ->> 'proposal_code', approval),
    coalesce(detail ->> 'decided_at', created_at)
  FROM (
    SELECT id, intent_id, kind, created_at, iif(json_valid(detail), detail, '{}') AS detail,
      CASE WHEN iif(json_valid(detail), detail, '{}') ->> 'version' IS NULL THEN (
        SELECT iif(json_valid(approved.detail), approved.detail, '{}') ->> 'proposal_code' FROM budget_event AS approved
        WHERE approved.intent_id = event.intent_id AND +approved.kind = 'approved') END AS approval
    FROM budget_event AS event
    WHERE kind IN ('planned', 'recorded', 'proposed')
  )
  WHERE detail ->> 'rule' IS NOT NULL`,
];
