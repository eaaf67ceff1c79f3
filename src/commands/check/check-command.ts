import { command } from '../cli/command.ts';
import { PARAMETERS } from '../cli/common-options.ts';
import { choice, flag, option, optionalArgumentList, type Taken, withDefault } from '../cli/takes.ts';

const TAKES = {
  files: optionalArgumentList('query files (.sql, .gaql) and rule files (.yaml)'),
  format: withDefault(choice('<format>', 'output format', ['text', 'json', 'github', 'sarif']), 'text'),
  fix: flag('first repair query files (commas, renamed fields, aliases without _micros) and format them'),
  schema: flag('print the table of each query: columns, types, key'),
  online: flag('also validate with the service; reads no data and changes nothing'),
  param: PARAMETERS,
  explain: option('<code>', 'explain a code, with a wrong and a right example'),
};
export type CheckOptions = Taken<typeof TAKES>;

export const checkCommand = command({
  name: 'check',
  summary: 'Check query and rule files offline. Without FILES: all files in the folders queries and rules.',
  takes: TAKES,
  examples: [
    'pacekeeper check',
    'pacekeeper check queries/keyword_stats.sql --schema',
    'pacekeeper check --explain EXPECTED_FILTERS_ON_DATE_RANGE',
  ],
  settings: 'own',
  load: async () => (await import('./run-check.ts')).runCheck,
});
