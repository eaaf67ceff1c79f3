import { command } from '../cli/command.ts';
import { CUSTOMERS, campaignOption, LISTING_FORMAT_OR_HTML, PARAMETERS } from '../cli/common-options.ts';
import { option, type Taken } from '../cli/takes.ts';

const TAKES = {
  rule: option('<name>', 'only the targets of this rule'),
  customer: CUSTOMERS,
  campaign: campaignOption('only the targets that include this campaign'),
  param: PARAMETERS,
  format: LISTING_FORMAT_OR_HTML,
};
export type PacingOptions = Taken<typeof TAKES>;

export const pacingCommand = command({
  name: 'pacing',
  summary:
    'Show the progress of each pacing target (month or flight): spent, ideal, projected, suggested budgets and why.',
  takes: TAKES,
  examples: [
    'pacekeeper pacing',
    'pacekeeper pacing --rule month-pacing --format csv > pacing.csv',
    'pacekeeper pacing --customer 123-456-7890 --format html > pacing.html',
  ],
  opens: { what: 'all', lock: true, readOnly: true },
  load: async () => (await import('./run-pacing.ts')).runPacing,
});
