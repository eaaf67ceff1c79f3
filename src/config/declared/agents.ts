import * as z from 'zod';
import { compare, type Rational, rational } from '../../domain/rational.ts';
import { COOLDOWN, readDays, readDrift, readStep } from '../../language/rules/file/limit-forms.ts';
import type { Limits } from '../../language/rules/rule.ts';
import { group, section, setting } from '../../language/settings/declare.ts';
import { queryName } from '../../language/settings/forms.ts';
import { amount, currencyCode, scalar, wholeNumber } from '../../language/yaml/scalars.ts';

const share = (text: string): Rational | undefined => {
  const found = readStep(text);
  return found && found.n > 0n && compare(found, rational(1n)) < 0 ? found : undefined;
};

const step = scalar('a percentage above 0% and below 100%, such as 20%', share);

const cooldown = scalar('days such as "3 days"', (text) => readDays(text, COOLDOWN));

const drift = scalar('a percentage and days such as "50% over 30 days"', (text) => {
  const found = readDrift(text);
  return found && found.share.n > 0n ? found : undefined;
});

/** The bounds of suggestions, because no rule stands behind them. All are needed. */
export interface AgentLimits extends Required<Pick<Limits, 'floor' | 'ceiling' | 'step' | 'cooldownDays' | 'drift'>> {
  /** Accounts in another currency get no suggestions. */
  readonly currency: string | undefined;
  /** The sum of an account in 24 hours, as a share of its daily budgets. */
  readonly movement: Rational;
}

export const AGENTS = section(
  'Agents',
  {
    before: [
      'Bounds of [agents](agents.md): programs that read and suggest through `pacekeeper mcp` or `/mcp`.',
      'Without all of `limits`, an agent can only read. They are written as in [rules](rules.md).',
    ],
  },
  {
    agents: group({
      mode: setting(z.enum(['read', 'suggest']), '`suggest`: agents with `limits` may suggest. `read`: no more', {
        default: 'suggest',
      }),
      limits: group(
        {
          floor: setting(amount.clone(), 'Lowest daily budget that an agent may suggest: `5`'),
          ceiling: setting(amount.clone(), 'Highest daily budget that an agent may suggest: `400`'),
          step: setting(step, 'Largest suggested change, as a share of the present amount: `20%`'),
          cooldown: setting(cooldown, 'Days without suggestions after any change of the budget: `3 days`'),
          drift: setting(drift, 'Largest change in total: `50% over 30 days`'),
          currency: setting(
            currencyCode.clone(),
            'Only accounts in this currency. By default, the amounts count in each account’s own',
          ),
        },
        ({ cooldown: cooldownDays, ...others }) => ({ ...others, cooldownDays }),
      ),
      proposals_a_day: setting(wholeNumber(1, 10_000), 'Suggestions of one agent in 24 hours', { default: 10 }),
      open_proposals: setting(wholeNumber(1, 10_000), 'Suggestions of one agent that await a person', { default: 5 }),
      movement_a_day: setting(
        step.clone(),
        'Sum of all suggested changes of an account in 24 hours, as a share of its daily budgets',
        { without: '20%' },
      ),
      calls_an_hour: setting(wholeNumber(1, 100_000), 'Calls of tools that one agent may make in an hour', {
        default: 600,
      }),
      answer_bytes: setting(
        wholeNumber(4_000, 1_000_000),
        'Longest answer in bytes. A longer one is cut at a whole row, because hosts cut in the middle of a value',
        { default: 40_000 },
      ),
      tables: setting(
        z.array(queryName.clone()),
        'Tables of messages, the record, clicks and search terms that agents may read. By default, no such table',
        { default: [] },
      ),
      keep_calls_days: setting(wholeNumber(1, 3650), 'Days to keep the list of calls', { default: 400 }),
    }),
  },
);
