import { type Command, command } from '../cli/command.ts';
import { PARAMETERS } from '../cli/common-options.ts';
import { argument, flag, type Taken } from '../cli/takes.ts';

const REBUILD = {
  name: argument(),
  param: PARAMETERS,
  dryRun: flag('show how many rows would be deleted; change nothing'),
};
export type RebuildOptions = Taken<typeof REBUILD>;

export const warehouseCommand: Command = {
  name: 'warehouse',
  summary: 'Maintain the tables that queries fill.',
  examples: ['pacekeeper warehouse rebuild keyword_stats --dry-run', 'pacekeeper warehouse rebuild keyword_stats'],
  commands: [
    command({
      name: 'rebuild',
      summary:
        'Delete all rows of a table, and give the table the columns of its query. If the query file is gone, drop the table.',
      takes: REBUILD,
      examples: ['pacekeeper warehouse rebuild keyword_stats --dry-run', 'pacekeeper warehouse rebuild keyword_stats'],
      opens: ({ dryRun = false }) => ({ what: 'state', lock: true, readOnly: dryRun }),
      load: async () => (await import('./run-rebuild.ts')).runRebuild,
    }),
  ],
};
