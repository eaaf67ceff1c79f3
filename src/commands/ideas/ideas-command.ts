import { command } from '../../cli/command.ts';
import { customerOption, LISTING_FORMAT } from '../../cli/common-options.ts';
import { argumentList, type Taken } from '../../cli/takes.ts';

const TAKES = {
  keywords: argumentList(),
  customer: customerOption('as this account sees them (default: the first that is in use)'),
  format: LISTING_FORMAT,
};
export type IdeasOptions = Taken<typeof TAKES>;

export const ideasCommand = command({
  name: 'ideas',
  summary: 'Ask the service for ideas for keywords that grow from the ones given.',
  takes: TAKES,
  examples: [
    'pacekeeper ideas "running shoes" sneakers',
    'pacekeeper ideas sneakers --customer 4081725530 --format csv > ideas.csv',
  ],
  about: "With --format json the service's answer is printed as it came.",
  opens: { what: 'areas', readOnly: true },
  load: async () => (await import('./run-ideas.ts')).runIdeas,
});
