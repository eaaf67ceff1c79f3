import { command } from '../cli/command.ts';
import { CUSTOMERS, dayOption, LISTING_FORMAT, QUERIES } from '../cli/common-options.ts';
import type { Taken } from '../cli/takes.ts';

const TAKES = {
  query: QUERIES,
  customer: CUSTOMERS,
  from: dayOption('first day to show (default: the first day read)'),
  to: dayOption("last day to show (default: the account's yesterday)"),
  format: LISTING_FORMAT,
};
export type CoverageOptions = Taken<typeof TAKES>;

export const coverageCommand = command({
  name: 'coverage',
  summary: 'Show a calendar of the days of each account: read, complete or missing.',
  takes: TAKES,
  examples: ['pacekeeper coverage', 'pacekeeper coverage --query keyword_stats --from 2026-01-01 --format json'],
  opens: { what: 'state', readOnly: true },
  load: async () => (await import('./run-coverage.ts')).runCoverage,
});
