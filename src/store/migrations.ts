import type { Migration } from 'kysely/migration';
import { up as createFirstTables } from '../../migrations/0001-first-tables.ts';
import { up as createSlicesAndDays } from '../../migrations/0002-slices-and-days.ts';
import { up as createIntentsAndEvents } from '../../migrations/0003-intents-and-events.ts';
import { up as createAlertsAndMessages } from '../../migrations/0004-alerts-and-messages.ts';
import { up as addRecordAndReadings } from '../../migrations/0005-record-and-readings.ts';
import { up as addFacts } from '../../migrations/0006-facts.ts';
import { up as addDecisions } from '../../migrations/0007-decisions.ts';
import { up as plainNotes } from '../../migrations/0008-plain-notes.ts';
import { up as addBudgetUnits } from '../../migrations/0010-budget-units.ts';

export const MIGRATIONS: Readonly<Record<string, Migration>> = {
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

/** The last name is the version of an up-to-date file. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);
