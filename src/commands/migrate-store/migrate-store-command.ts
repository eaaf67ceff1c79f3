import { command } from '../cli/command.ts';
import { FORMAT } from '../cli/common-options.ts';
import { flag, needed, option, type Taken } from '../cli/takes.ts';

const TAKES = {
  from: needed(option('<place>', 'the records: a data folder, or env:NAME of a variable with an address')),
  to: needed(option('<place>', 'where they go: env:NAME, or a data folder')),
  dryRun: flag('check both places and count the rows; change nothing'),
  format: FORMAT,
};
export type MigrateStoreOptions = Taken<typeof TAKES>;

export const migrateStoreCommand = command({
  name: 'migrate-store',
  summary: 'Move all records and tables from files to PostgreSQL or back, and compare them.',
  takes: TAKES,
  examples: [
    'pacekeeper migrate-store --from data --to env:PACEKEEPER_STORE_URL',
    'pacekeeper migrate-store --from env:PACEKEEPER_STORE_URL --to data',
  ],
  about: `If the move is interrupted, run the command again.
The old records stay as a backup. See docs/scale-out.md.`,
  load: async () => (await import('./run-migrate-store.ts')).runMigrateStore,
});
