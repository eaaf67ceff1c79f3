import { type Command, command } from '../../cli/command.ts';
import { PARAMETERS } from '../../cli/common-options.ts';
import { argument, flag, type Taken } from '../../cli/takes.ts';

const REBUILD = {
  name: argument(),
  param: PARAMETERS,
  dryRun: flag('say how many rows it would take away; change nothing'),
};
export type RebuildOptions = Taken<typeof REBUILD>;

export const warehouseCommand: Command = {
  name: 'warehouse',
  summary: 'Look after the tables that queries fill.',
  examples: ['pacekeeper warehouse rebuild keyword_stats --dry-run', 'pacekeeper warehouse rebuild keyword_stats'],
  commands: [
    command({
      name: 'rebuild',
      summary:
        'Take the rows of a table away and make it anew for what its query is now; without a query file, drop it.',
      takes: REBUILD,
      examples: ['pacekeeper warehouse rebuild keyword_stats --dry-run', 'pacekeeper warehouse rebuild keyword_stats'],
      opens: ({ dryRun = false }) => ({ what: 'state', lock: true, readOnly: dryRun }),
      load: async () => (await import('./run-rebuild.ts')).runRebuild,
    }),
  ],
};
