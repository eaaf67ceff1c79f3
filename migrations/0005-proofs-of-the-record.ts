import { type Kysely, sql } from 'kysely';

/** What each run saw of the record of budget changes, and how far it was allowed to go. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  // The newest event at its end, "12:<hash>", when all before it was proven; NULL where it was not. Whole: from the first event on.
  `ALTER TABLE run ADD COLUMN record_head TEXT`,
  `ALTER TABLE run ADD COLUMN record_proven TEXT CHECK (record_proven IN ('new', 'whole'))`,
  // The settings that say what it may change; NULL for a run that may change nothing.
  `ALTER TABLE run ADD COLUMN bounds TEXT CHECK (json_valid(bounds))`,
];
