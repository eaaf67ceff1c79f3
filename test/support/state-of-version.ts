import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { up as createFirstTables } from '../../migrations/0001-first-tables.ts';
import { up as createSlicesAndDays } from '../../migrations/0002-slices-and-days.ts';
import { up as createIntentsAndEvents } from '../../migrations/0003-intents-and-events.ts';
import { up as createAlertsAndMessages } from '../../migrations/0004-alerts-and-messages.ts';
import { up as addRecordAndReadings } from '../../migrations/0005-record-and-readings.ts';
import { up as addFacts } from '../../migrations/0006-facts.ts';
import { up as addDecisions } from '../../migrations/0007-decisions.ts';
import { up as plainNotes } from '../../migrations/0008-plain-notes.ts';
import { up as addBudgetUnits } from '../../migrations/0010-budget-units.ts';

const MIGRATIONS = {
  '0001-first-tables': { up: createFirstTables },
  '0002-slices-and-days': { up: createSlicesAndDays },
  '0003-intents-and-events': { up: createIntentsAndEvents },
  '0004-alerts-and-messages': { up: createAlertsAndMessages },
  '0005-record-and-readings': { up: addRecordAndReadings },
  '0006-facts': { up: addFacts },
  '0007-decisions': { up: addDecisions },
  '0008-plain-notes': { up: plainNotes },
  '0010-budget-units': { up: addBudgetUnits },
};

/** Of every migration there is, from 1 on. */
export const VERSIONS: readonly number[] = Object.keys(MIGRATIONS).map((_, index) => index + 1);

/** The number in the name of its last migration. */
export const nameOfVersion = (version: number): string => Object.keys(MIGRATIONS)[version - 1]?.slice(0, 4) ?? '';

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
