import { command } from '../cli/command.ts';
import { LISTING_FORMAT } from '../cli/common-options.ts';
import { optionalArgument, type Taken } from '../cli/takes.ts';

const TAKES = { name: optionalArgument('only this table'), format: LISTING_FORMAT };
export type TablesOptions = Taken<typeof TAKES>;

export const tablesCommand = command({
  name: 'tables',
  summary: 'Show which query or model each published table comes from, and what reads it.',
  about: 'Reads only the files, so new tables appear before they are published.',
  takes: TAKES,
  examples: ['pacekeeper tables', 'pacekeeper tables campaign_spend', 'pacekeeper tables --format csv > tables.csv'],
  load: async () => (await import('./run-tables.ts')).runTables,
});
