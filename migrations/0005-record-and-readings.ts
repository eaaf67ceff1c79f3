import { type Kysely, sql } from 'kysely';

/** What each run knew of the record of budget changes, its limits, and amounts that contradict the record. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // The newest event, "12:<hash>", if all before it was proven, otherwise NULL. Whole: proven from the first event on.
  `ALTER TABLE run ADD COLUMN record_head TEXT`,
  `ALTER TABLE run ADD COLUMN record_proven TEXT CHECK (record_proven IN ('new', 'whole'))`,
  // The settings that limit its changes. NULL for a run that may change nothing.
  `ALTER TABLE run ADD COLUMN bounds TEXT CHECK (json_valid(bounds))`,

  // An amount that contradicts our record, until it is read again. A lost row costs one more read.
  `CREATE TABLE suspected_change (
    customer_id INTEGER NOT NULL,
    budget_id INTEGER NOT NULL,
    account_day TEXT NOT NULL CHECK (account_day GLOB '????-??-??'),
    expected_micros INTEGER NOT NULL,
    found_micros INTEGER NOT NULL,
    seen_at TEXT NOT NULL CHECK (seen_at GLOB '????-??-??T??:??:??Z'),
    PRIMARY KEY (customer_id, budget_id),
    CHECK (expected_micros <> found_micros)
  ) STRICT, WITHOUT ROWID`,
];
