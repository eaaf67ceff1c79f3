import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The folders that speak to SQLite, and what writes a published file; the inbox, the schedule and the sandbox keep files of their own. */
const ENGINE =
  /^src\/(?:(?:storage\/(?:records\/sqlite|warehouse\/sqlite|inbox)|engine\/schedule|sandbox)\/|storage\/warehouse\/postgres\/write-file\.ts)/;
const ASKS = /\bstate\.connection\b|\bconnection\b[^}\n]*\}: (?:Pick<)?(?:StateFile|Connected)\b/;

it('no other code asks a state file for its connection', () => {
  const asking = globSync('src/**/*.ts').filter((path) => !ENGINE.test(path) && ASKS.test(readFileSync(path, 'utf8')));
  expect(asking).toEqual([]);
});

/** The choice of the engine, its settings, the move between engines, the commands that refuse it, where the tokens of the dashboard are, the copy of the published tables, the dialect of the editor, migrations, and comments about what both share. */
const NAMES_POSTGRES = [
  'src/commands/cli/command.ts',
  'src/commands/cli/run-command.ts',
  'src/commands/migrate-store/migrate-store-command.ts',
  'src/commands/migrate-store/run-migrate-store.ts',
  'src/commands/serve/explore-child-source.ts',
  'src/commands/serve/run-serve-token.ts',
  'src/commands/serve/tokens-in-database.ts',
  'src/config/declared/encryption.ts',
  'src/config/declared/store.ts',
  'src/config/read-settings.ts',
  'src/dashboard/client/sql-editor.ts',
  'src/dashboard/links/link-source.ts',
  'src/engine/folder/database-end.ts',
  'src/engine/folder/engine.ts',
  'src/engine/folder/postgres-engine.ts',
  'src/engine/folder/restored-copy.ts',
  'src/engine/publish-files.ts',
  'src/engine/queue/task-queue.ts',
  'src/explore-process.ts',
  'src/storage/inbox/inbox-schema.ts',
  'src/storage/inbox/inbox.ts',
  'src/storage/records/migrations.ts',
  'src/storage/warehouse/closed-select.ts',
  'src/storage/warehouse/publish/period-tables.ts',
];

it('no other code asks which engine it has', () => {
  const naming = globSync('src/**/*.ts').filter(
    (path) =>
      !/^src\/storage\/(?:records|warehouse)\/postgres\//.test(path) && /postgres/i.test(readFileSync(path, 'utf8')),
  );
  expect(naming.sort()).toEqual(NAMES_POSTGRES);
});
