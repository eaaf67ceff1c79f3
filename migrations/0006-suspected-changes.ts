import { type Kysely, sql } from 'kysely';

/**
 * Readings that contradict our own record, until a later one says the same or agrees again. A lost row costs one more
 * reading and changes nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
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
    )
    .execute(db);
}
