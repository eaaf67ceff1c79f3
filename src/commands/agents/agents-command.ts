import { command } from '../cli/command.ts';
import { customerOption, FORMAT, LISTING_FORMAT, wholeNumberOption } from '../cli/common-options.ts';
import { PERSON } from '../cli/person.ts';
import { argument, needed, option, type Taken, withDefault } from '../cli/takes.ts';

const SHOWN = 50;

const CALLS = {
  by: option('<name>', 'only the calls of this agent'),
  limit: withDefault(wholeNumberOption('how many calls to show', 1, 1_000_000), SHOWN),
  format: LISTING_FORMAT,
};
export type AgentsOptions = Taken<typeof CALLS>;

const AGENT = { agent: needed(option('<name>', 'name of the agent')) };

const PROPOSE = {
  ...AGENT,
  customer: needed(customerOption('the account')),
  budget: needed(option('<id>', 'the budget')),
  to: needed(option('<amount>', 'the new daily budget with its currency, such as "120.50 EUR"')),
  reason: needed(option('<text>', 'why, for the person who decides')),
  evidence: needed(option('<json>', 'the figures behind it: an object of texts')),
  asOf: needed(option('<instant>', 'when these figures were read, in UTC')),
  key: needed(option('<key>', 'a new one for each suggestion; the same one repeats it')),
  until: option('<instant>', 'when the suggestion ends, in UTC'),
  format: FORMAT,
};
export type ProposeOptions = Taken<typeof PROPOSE>;

const WITHDRAW = { ...AGENT, code: argument('the code of the suggestion'), why: PERSON.why, format: FORMAT };
export type WithdrawOptions = Taken<typeof WITHDRAW>;

export const agentsCommand = command({
  name: 'agents',
  summary: 'Show what agents called. Suggest or withdraw a budget change for one.',
  takes: CALLS,
  examples: ['pacekeeper agents', 'pacekeeper agents --by desk --limit 1000 --format csv > calls.csv'],
  opens: { what: 'state', readOnly: true },
  load: async () => (await import('./run-agents.ts')).runAgents,
  commands: [
    command({
      name: 'propose',
      summary: 'Suggest a daily budget. A person approves or rejects it.',
      takes: PROPOSE,
      examples: [
        'pacekeeper agents propose --agent desk --customer 1234567890 --budget 21 ...',
        'pacekeeper agents propose ... --to "51.00 EUR" --until 2026-12-01T18:00:00Z',
      ],
      about: `The tool propose_budget_change of agents runs this command. It needs
agents.limits. All options but --until are needed. See docs/agents.md.`,
      opens: { what: 'all', lock: true },
      load: async () => (await import('./run-suggest.ts')).runPropose,
    }),
    command({
      name: 'withdraw',
      summary: 'Withdraw an open suggestion of this agent.',
      takes: WITHDRAW,
      examples: [
        'pacekeeper agents withdraw K7PX --agent desk',
        'pacekeeper agents withdraw K7PX --agent desk --why "the figures were wrong"',
      ],
      opens: { what: 'state', lock: true },
      load: async () => (await import('./run-suggest.ts')).runWithdraw,
    }),
  ],
});
