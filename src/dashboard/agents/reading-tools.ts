import * as z from 'zod';
import { refusal } from './answer.ts';
import { NOT_FOR_AGENTS } from './check-select.ts';
import { commandAnswer, commandTool, withFile } from './command-tool.ts';
import { CAMPAIGN, CURSOR, CUSTOMER, DAY, given, NAME, ROWS } from './inputs.ts';
import { SELECT_TOOLS } from './select-tool.ts';
import { READS, type Tool, type ToolDeps, tool } from './tool.ts';

const TEXT_MAX = 20_000;

/** A rule by its name, or a draft with a name. */
const RULE = {
  name: NAME.describe('Name of the rule. A draft may have any name.'),
  draft: z.string().min(1).max(TEXT_MAX).optional().describe('YAML of a rule to try. It is not saved.'),
  customer: CUSTOMER.optional(),
};

interface AskedRule {
  readonly name: string;
  readonly draft?: string | undefined;
  readonly customer?: string | undefined;
}

/** A draft lies alone in a folder of rules, so no other rule takes part. */
async function ruleAnswer(deps: ToolDeps, verb: string, asked: AskedRule, args: readonly string[]) {
  const { name, draft, customer } = asked;
  const all = ['rules', verb, name, ...given('customer', customer), ...args];
  const found =
    draft === undefined
      ? await commandAnswer(deps, all)
      : await withFile(`${name}.yaml`, draft, ({ folder }) => commandAnswer(deps, [...all, `--rules=${folder}`]));
  const { from } = ('data' in found ? (found.data.rule as { readonly from?: unknown } | undefined) : undefined) ?? {};
  if (typeof from !== 'string') return found;
  // A rule shows texts of the table that it reads.
  const checked = await deps.source.checkSelect(`SELECT 1 FROM ${from}`);
  return checked.kind === 'refused' && checked.refused.code === NOT_FOR_AGENTS ? checked : found;
}

const RULE_DATA = z.looseObject({ rule: z.looseObject({}), accounts: ROWS });

export const READING_TOOLS: readonly Tool[] = [
  commandTool({
    name: 'status',
    title: 'Status',
    description: 'Shows the last runs, the coverage of each query, open budget changes, alerts and the next jobs.',
    input: z.strictObject({ cursor: CURSOR }),
    data: z.looseObject({ runs: ROWS, coverage: ROWS }),
    args: () => ['status'],
    // An agent needs no names of folders and processes.
    see: ({ data_folder: _, workers: __, schedule, ...others }) => {
      return { ...others, jobs: (schedule as { readonly jobs?: unknown }).jobs ?? [] };
    },
  }),
  ...SELECT_TOOLS,
  commandTool({
    name: 'fields',
    title: 'Fields of queries',
    description:
      'Explains what query files can select. Without a name: all resources. With a name: the fields of a resource, or the type and constants of a field.',
    input: z.strictObject({
      name: z
        .string()
        .regex(/^[a-z][a-z0-9_.]{0,199}$/)
        .optional()
        .describe('A resource such as keyword_view, a field such as metrics.clicks, "metrics" or "segments".'),
      search: z
        .string()
        .max(60)
        .refine((text) => /^[\p{L}\p{N}_. -]+$/u.test(text))
        .optional()
        .describe('A word in names, descriptions and constants.'),
      cursor: CURSOR,
    }),
    data: z.looseObject({}),
    args: ({ name, search }) => ['fields', ...(name === undefined ? [] : [name]), ...given('search', search)],
  }),
  tool({
    name: 'check_query',
    title: 'Check a query or rule',
    description: 'Checks the text of a query file, or of a rule file, offline. Returns all errors with their places.',
    input: z.strictObject({
      text: z.string().min(1).max(TEXT_MAX).describe('The whole file. It is not saved.'),
      kind: z.enum(['query', 'rule']).default('query'),
      name: NAME.default('draft').describe('Name of the file without its ending.'),
    }),
    data: z.object({ files: ROWS, errors: z.number(), warnings: z.number() }),
    hints: READS,
    run: async ({ text, kind, name }, deps) => {
      return withFile(`${name}.${kind === 'query' ? 'sql' : 'yaml'}`, text, ({ path }) =>
        commandAnswer(deps, ['check', path]),
      );
    },
  }),
  commandTool({
    name: 'rules',
    title: 'Rules',
    description: 'Lists all rules and targets with their conditions, actions, limits and modes.',
    input: z.strictObject({ cursor: CURSOR }),
    data: z.object({ rules: ROWS }),
    args: () => ['rules', 'list'],
  }),
  tool({
    name: 'explain_rule',
    title: 'Explain a rule',
    description:
      'Shows with its numbers why a rule fires or not now, and which limit reduces or stops a change. Reads the budgets from the service. Changes nothing.',
    input: z.strictObject({ ...RULE, campaign: CAMPAIGN.optional(), cursor: CURSOR }),
    data: RULE_DATA,
    hints: { ...READS, openWorldHint: true },
    run: ({ campaign, ...rule }, deps) => ruleAnswer(deps, 'explain', rule, given('campaign', campaign)),
  }),
  tool({
    name: 'backtest_rule',
    title: 'Back-test a rule',
    description:
      'Shows what a rule would have done on past days, with the data known on each day. The past does not react to the rule. Changes nothing.',
    input: z.strictObject({ ...RULE, from: DAY.optional(), to: DAY.optional(), cursor: CURSOR }),
    data: RULE_DATA,
    hints: { ...READS, openWorldHint: true },
    run: async ({ from, to, ...rule }, deps) => {
      if (from !== undefined && to !== undefined && from > to)
        return refusal('BAD_INPUT', `Found the days ${from} to ${to}, expected the earlier day first.`);
      return ruleAnswer(deps, 'backtest', rule, [...given('from', from), ...given('to', to)]);
    },
  }),
  commandTool({
    name: 'pacing',
    title: 'Pacing',
    description:
      'Shows each target of the month or flight: spent, ideal, projected and suggested budgets. Reads the budgets from the service. Changes nothing.',
    input: z.strictObject({ customer: CUSTOMER.optional(), campaign: CAMPAIGN.optional(), cursor: CURSOR }),
    data: z.looseObject({ accounts: ROWS, targets: ROWS }),
    hints: { ...READS, openWorldHint: true },
    args: ({ customer, campaign }) => ['pacing', ...given('customer', customer), ...given('campaign', campaign)],
  }),
  commandTool({
    name: 'changes',
    title: 'Change log',
    description:
      'Lists past budget changes, newest first, with the person or rule, the time and the reason. Amounts are micros: divide by 1000000.',
    input: z.strictObject({
      customer: CUSTOMER.optional(),
      campaign: CAMPAIGN.optional(),
      since: DAY.optional(),
      rule: NAME.optional(),
      limit: z.int().min(1).max(500).default(50),
      cursor: CURSOR,
    }),
    data: z.looseObject({ changes: ROWS, foreign_changes: ROWS, rejections: ROWS }),
    args: ({ customer, campaign, since, rule, limit }) => [
      'budgets',
      'history',
      `--limit=${limit}`,
      ...given('customer', customer),
      ...given('campaign', campaign),
      ...given('since', since),
      ...given('rule', rule),
    ],
  }),
  commandTool({
    name: 'alerts',
    title: 'Alerts',
    description: 'Lists alerts that fire now, and silences. Recipients are not shown.',
    input: z.strictObject({ cursor: CURSOR }),
    data: z.object({ firing: ROWS, silences: ROWS }),
    args: () => ['alerts', 'list'],
    see: ({ firing, silences }) => ({ firing, silences }),
  }),
];
