import { command } from '../cli/command.ts';
import { LISTING_FORMAT, wholeNumberOption } from '../cli/common-options.ts';
import { option, type Taken, withDefault } from '../cli/takes.ts';

const SHOWN = 50;

const TAKES = {
  agent: option('<name>', 'only the calls of this agent'),
  limit: withDefault(wholeNumberOption('how many calls to show', 1, 1_000_000), SHOWN),
  format: LISTING_FORMAT,
};
export type AgentsOptions = Taken<typeof TAKES>;

export const agentsCommand = command({
  name: 'agents',
  summary: 'Show what agents called, and suggest budget changes for them.',
  takes: TAKES,
  examples: ['pacekeeper agents', 'pacekeeper agents --agent desk --limit 1000 --format csv > calls.csv'],
  opens: { what: 'state', readOnly: true },
  load: async () => (await import('./run-agents.ts')).runAgents,
});
