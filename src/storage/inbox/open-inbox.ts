import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { Clock } from '../../domain/ports.ts';
import { openForOwner, openUsable } from '../records/sqlite/open-database.ts';
import { kyselyOn } from '../records/sqlite/open-state.ts';
import { newerDatabase } from '../records/sqlite/unusable-database.ts';
import { type Inbox, inboxOn } from './inbox.ts';
import { INBOX_TABLES, type InboxSchema } from './inbox-schema.ts';

const WAIT_MS = 2000;

const LOST =
  'Restore the file from a backup. Or move it away to start an empty inbox: unhandled messages are lost, handled ones keep their effect.';

export const inboxPath = (dataFolder: string): string => join(dataFolder, 'inbox.sqlite');

/** Throws `InputError`. */
export function openInbox(path: string, clock: Clock): Inbox {
  const prepare = (file: Database.Database) => {
    file.defaultSafeIntegers(true);
    file.pragma('journal_mode = WAL');
    file.pragma('synchronous = FULL');
    checkVersion(file, path);
    file.exec(INBOX_TABLES);
    openChannels(file);
  };
  return inboxOn(kyselyOn<InboxSchema>(openUsable(path, () => openForOwner(path, WAIT_MS), prepare, LOST)), clock);
}

/** Raise this number when earlier versions of pacekeeper cannot read the changed file. */
const VERSION = 1n;

function checkVersion(file: Database.Database, path: string): void {
  const found = file.pragma('user_version', { simple: true }) as bigint;
  if (found > VERSION) throw newerDatabase(path);
  if (found < VERSION) file.pragma(`user_version = ${VERSION}`);
}

const LISTS_CHANNELS = `SELECT 1 FROM sqlite_schema WHERE name = 'webhook_event' AND sql LIKE '%CHECK (channel IN%'`;

/**
 * Earlier versions wrote a closed list of channels into the table, and SQLite cannot drop a CHECK. So the table is made
 * anew. Earlier versions can use the new one. `pacekeeper serve` and a run can open the file at the same time. So the
 * table is looked at again when the file is locked.
 */
function openChannels(file: Database.Database): void {
  const isListed = () => file.prepare(LISTS_CHANNELS).get() !== undefined;
  if (!isListed()) return;
  const remake = file.transaction(() => {
    if (!isListed()) return;
    file.exec(`DROP INDEX webhook_event_waiting; DROP INDEX webhook_event_handled;
      ALTER TABLE webhook_event RENAME TO webhook_event_before; ${INBOX_TABLES}
      INSERT INTO webhook_event SELECT * FROM webhook_event_before;
      DELETE FROM sqlite_sequence WHERE name = 'webhook_event';
      UPDATE sqlite_sequence SET name = 'webhook_event' WHERE name = 'webhook_event_before';
      DROP TABLE webhook_event_before;`);
  });
  remake.immediate();
}
