import { type Kysely, sql } from 'kysely';

/** Adds the newest event that each run verified, the limits of each run, and amounts that contradict the record. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // `record_head`: the newest event, "12:<hash>", if the run verified the events before it. `whole`: it verified all
  // events.
  `ALTER TABLE run ADD COLUMN record_head TEXT`,
  `ALTER TABLE run ADD COLUMN record_proven TEXT CHECK (record_proven IN ('new', 'whole'))`,
  // The settings that limit the run's changes. NULL for a run that may change nothing.
  `ALTER TABLE run ADD COLUMN bounds TEXT CHECK (json_valid(bounds))`,

  // An amount that contradicts our record and must be read again. If a row is lost, the amount is read once more.
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
