import { type Kysely, sql } from 'kysely';

/** What each run saw of the record of budget changes, how far it was allowed to go, and readings that contradict the record. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // The newest event at its end, "12:<hash>", when all before it was proven; NULL where it was not. Whole: from the first event on.
  `ALTER TABLE run ADD COLUMN record_head TEXT`,
  `ALTER TABLE run ADD COLUMN record_proven TEXT CHECK (record_proven IN ('new', 'whole'))`,
  // The settings that say what it may change; NULL for a run that may change nothing.
  `ALTER TABLE run ADD COLUMN bounds TEXT CHECK (json_valid(bounds))`,

  // A reading that contradicts our record, until a later one says the same or agrees again. A lost row costs one more reading.
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
