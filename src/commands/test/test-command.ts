import { command } from '../cli/command.ts';
import { CUSTOMERS, LISTING_FORMAT } from '../cli/common-options.ts';
import type { Taken } from '../cli/takes.ts';

const TAKES = { customer: CUSTOMERS, format: LISTING_FORMAT };
export type TestOptions = Taken<typeof TAKES>;

export const testCommand = command({
  name: 'test',
  summary: 'Run the tests of data over the rows that were read, and show the rows that break them.',
  takes: TAKES,
  examples: ['pacekeeper test', 'pacekeeper test --customer 123-456-7890 --format json'],
  opens: { what: 'state', readOnly: true },
  load: async () => (await import('./run-test.ts')).runTest,
});
