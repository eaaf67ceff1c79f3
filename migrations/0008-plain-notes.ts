import { type Kysely, sql } from 'kysely';

/** Reduces the notes of runs to their sentences, because nothing reads the codes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    UPDATE run SET notes = (SELECT json_group_array(note.value ->> 'text' ORDER BY note.key) FROM json_each(run.notes) AS note)
    WHERE notes IS NOT NULL`.execute(db);
}
