import * as z from 'zod';
import { commandAnswer } from './command-tool.ts';
import { CUSTOMER, given } from './inputs.ts';
import { READS, type Tool, tool } from './tool.ts';

const CODE = z
  .string()
  .regex(/^[A-Za-z0-9]{4,12}$/)
  .describe('Code of the suggestion, such as K7PX.');

const PROPOSAL = z.looseObject({ proposal: z.looseObject({}).optional() });
/** Not a pattern of the schema, because hosts in other languages cannot read it. */
const isLine = (text: string) => /^[^\p{Cc}\p{Bidi_Control}]+$/u.test(text);

/** No tool approves, rejects or changes anything but the agent's own open suggestions. */
export const SUGGESTING_TOOLS: readonly Tool[] = [
  tool({
    name: 'show_proposal',
    title: 'Show a suggestion',
    description: 'Shows a suggested budget change and its state: open, approved, rejected, expired or superseded.',
    input: z.strictObject({ code: CODE }),
    data: PROPOSAL,
    hints: READS,
    run: ({ code }, deps) => commandAnswer(deps, ['budgets', 'show', code]),
  }),
  tool({
    name: 'propose_budget_change',
    title: 'Suggest a budget change',
    description:
      'Suggests a daily budget. A person decides; nothing changes before. Limits of agents.limits, rules, targets and accounts hold. A refusal names the nearest amount that would pass. The same key never suggests twice.',
    input: z.strictObject({
      customer: CUSTOMER,
      budget: z
        .string()
        .regex(/^\d{1,19}$/)
        .describe('Budget id as text.'),
      to: z
        .string()
        .max(40)
        .describe('The new daily budget as decimal text with its currency, such as "120.50 EUR". Never micros.'),
      reason: z.string().min(1).max(500).refine(isLine).describe('Why, in one line, for the person who decides.'),
      numbers: z
        .record(z.string().min(1).max(60).refine(isLine), z.string().min(1).max(120).refine(isLine))
        .describe('The figures behind it as text, such as {"cost of 14 days": "420.10 EUR"}.'),
      as_of: z.string().max(40).describe('The as_of of the answer that had these figures.'),
      key: z
        .string()
        .regex(/^[A-Za-z0-9._-]{8,100}$/)
        .describe('A new key for each suggestion. Repeat the same key after a lost answer.'),
      until: z.string().max(40).optional().describe('End of the suggestion in UTC, such as 2026-12-01T18:00:00Z.'),
    }),
    data: PROPOSAL,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run: ({ customer, budget, to, reason, numbers, as_of: asOf, key, until }, deps) =>
      commandAnswer(deps, [
        'agents',
        'propose',
        `--customer=${customer}`,
        `--budget=${budget}`,
        `--to=${to}`,
        `--reason=${reason}`,
        `--evidence=${JSON.stringify(numbers)}`,
        `--as-of=${asOf}`,
        `--key=${key}`,
        `--agent=${deps.agent}`,
        ...given('until', until),
      ]),
  }),
  tool({
    name: 'withdraw_proposal',
    title: 'Withdraw a suggestion',
    description: 'Withdraws an open suggestion that this agent made.',
    input: z.strictObject({ code: CODE, reason: z.string().min(1).max(500).refine(isLine).optional() }),
    data: PROPOSAL,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: ({ code, reason }, deps) =>
      commandAnswer(deps, ['agents', 'withdraw', code, `--agent=${deps.agent}`, ...given('why', reason)]),
  }),
];
