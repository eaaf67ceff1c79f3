import { type Kysely, sql } from 'kysely';

/** The smallest step of the account's budget amounts, as the service said it last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE account ADD COLUMN budget_unit_micros INTEGER CHECK (budget_unit_micros > 0)`.execute(db);
}
