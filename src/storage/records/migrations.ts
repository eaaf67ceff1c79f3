import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { up as createFirstTables } from '../../../migrations/0001-first-tables.ts';
import { up as createSlicesAndDays } from '../../../migrations/0002-slices-and-days.ts';
import { up as createIntentsAndEvents } from '../../../migrations/0003-intents-and-events.ts';
import { up as createAlertsAndMessages } from '../../../migrations/0004-alerts-and-messages.ts';
import { up as addRecordAndReadings } from '../../../migrations/0005-record-and-readings.ts';
import { up as addFacts } from '../../../migrations/0006-facts.ts';
import { up as addDecisions } from '../../../migrations/0007-decisions.ts';
import { up as plainNotes } from '../../../migrations/0008-plain-notes.ts';
import { statements as addBudgetReadings } from '../../../migrations/0009-budget-readings.ts';
import { statements as addBudgetUnits } from '../../../migrations/0010-budget-units.ts';
import { statements as addCopyWitness } from '../../../migrations/0011-copy-witness.ts';
import { statements as addLostAlerts } from '../../../migrations/0012-lost-alerts.ts';
import { statements as addAccessTokens } from '../../../migrations/0013-access-tokens.ts';
import { statements as openChannels } from '../../../migrations/0014-open-channels.ts';
import { statements as addCovers } from '../../../migrations/0015-what-targets-cover.ts';
import { statements as acknowledgeAlerts } from '../../../migrations/0016-acknowledged-alerts.ts';
import { statements as addReportMails } from '../../../migrations/0017-report-mails.ts';
import { statements as allowTargetsOfSeveralAccounts } from '../../../migrations/0018-targets-of-several-accounts.ts';
import { statements as addDataTests } from '../../../migrations/0019-data-tests.ts';
import { statements as addSavedQuestions } from '../../../migrations/0020-saved-questions.ts';
import { statements as addReadLinks } from '../../../migrations/0021-read-links.ts';
import { statements as addAgentCalls } from '../../../migrations/0022-agent-calls.ts';
import { statements as addSuggestions } from '../../../migrations/0023-suggestions-of-agents.ts';

/** These are only for files, because no database has tables older than the last of them. */
const ON_FILES: Readonly<Record<string, Migration>> = {
  '0001-first-tables': { up: createFirstTables },
  '0002-slices-and-days': { up: createSlicesAndDays },
  '0003-intents-and-events': { up: createIntentsAndEvents },
  '0004-alerts-and-messages': { up: createAlertsAndMessages },
  '0005-record-and-readings': { up: addRecordAndReadings },
  '0006-facts': { up: addFacts },
  '0007-decisions': { up: addDecisions },
  '0008-plain-notes': { up: plainNotes },
};

/**
 * A text is for both engines. Tables, columns and indexes are in SQLite's words, changes of rows in words that both
 * understand. An object has a statement for one engine, such as a trigger or a function.
 */
export type Statement = string | { readonly sqlite: string } | { readonly postgres: string };

export type Steps = Readonly<Record<string, readonly Statement[]>>;

/** Later migrations. Both engines run the same statements, one at a time. */
export const STEPS: Steps = {
  '0009-budget-readings': addBudgetReadings,
  '0010-budget-units': addBudgetUnits,
  '0011-copy-witness': addCopyWitness,
  '0012-lost-alerts': addLostAlerts,
  '0013-access-tokens': addAccessTokens,
  '0014-open-channels': openChannels,
  '0015-what-targets-cover': addCovers,
  '0016-acknowledged-alerts': acknowledgeAlerts,
  '0017-report-mails': addReportMails,
  '0018-targets-of-several-accounts': allowTargetsOfSeveralAccounts,
  '0019-data-tests': addDataTests,
  '0020-saved-questions': addSavedQuestions,
  '0021-read-links': addReadLinks,
  '0022-agent-calls': addAgentCalls,
  '0023-suggestions-of-agents': addSuggestions,
};

function onFiles(statements: readonly Statement[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) {
        const text = typeof statement === 'string' ? statement : 'sqlite' in statement ? statement.sqlite : undefined;
        if (text !== undefined) await sql.raw(text).execute(db);
      }
    },
  };
}

export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  ...ON_FILES,
  ...Object.fromEntries(Object.entries(STEPS).map(([name, statements]) => [name, onFiles(statements)])),
};

/** The last name is the version of an up-to-date file or database. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);
