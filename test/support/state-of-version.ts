import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { MIGRATIONS } from '../../src/storage/records/migrations.ts';

/** Of every migration there is, from 1 on. */
export const VERSIONS: readonly number[] = Object.keys(MIGRATIONS).map((_, index) => index + 1);

/** Makes, or brings, a state file to what the program of that version left: with the migrations up to it. */
export async function fileOfVersion(version: number, path: string): Promise<void> {
  const database = new Database(path);
  // As the program opens it: what a migration reads is int64.
  database.defaultSafeIntegers(true);
  database.pragma('foreign_keys = OFF');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  try {
    const migrations = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, version));
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } finally {
    await db.destroy();
  }
}
