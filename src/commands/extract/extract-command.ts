import { command } from '../cli/command.ts';
import { CUSTOMERS, dayOption, FORMAT, PARAMETERS, QUERIES, VERBOSE, WAIT_FOR_RUN } from '../cli/common-options.ts';
import { flag, type Taken } from '../cli/takes.ts';

const TAKES = {
  from: dayOption("first day to read, instead of each query's own window"),
  to: dayOption('last day to read'),
  resume: flag('finish earlier extractions that were interrupted'),
  query: QUERIES,
  customer: CUSTOMERS,
  param: PARAMETERS,
  ...WAIT_FOR_RUN,
  ...VERBOSE,
  format: FORMAT,
};
export type ExtractOptions = Taken<typeof TAKES>;

export const extractCommand = command({
  name: 'extract',
  summary: 'Run the queries, fill their tables and publish warehouse.sqlite. Changes no budget, sends no alert.',
  takes: TAKES,
  examples: [
    'pacekeeper extract --from 2026-01-01 --to 2026-03-31 --query keyword_stats',
    'pacekeeper extract --resume',
  ],
  opens: { what: 'all', lock: true },
  isRun: true,
  load: async () => (await import('./run-extract.ts')).runExtract,
});
