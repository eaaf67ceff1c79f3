import { command } from '../cli/command.ts';
import { CUSTOMERS, FORMAT_OR_HTML, PARAMETERS, WAIT_FOR_RUN } from '../cli/common-options.ts';
import { flag, option, optionList, type Taken, unlessNo } from '../cli/takes.ts';

const TAKES = {
  query: optionList('<name...>', 'only these queries, and only the rules that read them'),
  customer: CUSTOMERS,
  param: PARAMETERS,
  dryRun: flag('read and evaluate; change nothing, send nothing'),
  extract: unlessNo('read nothing; evaluate stored data'),
  mailTo: option('<address>', 'send the last seven days to this address, as a mail'),
  ...WAIT_FOR_RUN,
  verbose: flag('print everything that was read, evaluated and decided'),
  format: FORMAT_OR_HTML,
};
export type ReportOptions = Taken<typeof TAKES>;

export const reportCommand = command({
  name: 'report',
  summary: 'Run the queries, evaluate the rules, change budgets, send alerts, publish warehouse.sqlite.',
  takes: TAKES,
  examples: [
    'pacekeeper report --dry-run',
    'pacekeeper report --customer 123-456-7890 --format json',
    'pacekeeper report --no-extract --dry-run --format html > report.html',
    'pacekeeper report --mail-to anna@example.com',
  ],
  opens: { what: 'all', lock: true },
  isRun: true,
  hasHeartbeat: true,
  load: async () => (await import('./run-report.ts')).runReport,
});
