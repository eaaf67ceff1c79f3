import { command } from '../cli/command.ts';
import { customerOption, LISTING_FORMAT } from '../cli/common-options.ts';
import { argumentList, type Taken } from '../cli/takes.ts';

const TAKES = {
  keywords: argumentList(),
  customer: customerOption('use this account (default: the first active one)'),
  format: LISTING_FORMAT,
};
export type IdeasOptions = Taken<typeof TAKES>;

export const ideasCommand = command({
  name: 'ideas',
  summary: 'Ask the service for keyword ideas based on the given keywords.',
  takes: TAKES,
  examples: [
    'pacekeeper ideas "running shoes" sneakers',
    'pacekeeper ideas sneakers --customer 4081725530 --format csv > ideas.csv',
  ],
  about: "--format json prints the service's answer unchanged.",
  opens: { what: 'areas', readOnly: true },
  load: async () => (await import('./run-ideas.ts')).runIdeas,
});
