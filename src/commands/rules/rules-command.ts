import { type Command, command } from '../cli/command.ts';
import { CUSTOMERS, campaignOption, dayOption, FORMAT, LISTING_FORMAT, PARAMETERS } from '../cli/common-options.ts';
import type { Process } from '../cli/process.ts';
import { argument, flag, type Taken } from '../cli/takes.ts';

const LIST = { param: PARAMETERS, format: LISTING_FORMAT };
export type ListOptions = Taken<typeof LIST>;

const EXPLAIN = {
  rule: argument(),
  customer: CUSTOMERS,
  param: PARAMETERS,
  campaign: campaignOption('only this campaign'),
  format: FORMAT,
};
export type ExplainOptions = Taken<typeof EXPLAIN>;

const EVALUATE = { customer: CUSTOMERS, param: PARAMETERS, format: LISTING_FORMAT };
export type EvaluateOptions = Taken<typeof EVALUATE>;

const BACKTEST = {
  rule: argument(),
  customer: CUSTOMERS,
  param: PARAMETERS,
  from: dayOption('first day (without --from and --to: all days that are known)'),
  to: dayOption('last day, before today'),
  all: flag('also show refused changes'),
  format: LISTING_FORMAT,
};
export type BacktestOptions = Taken<typeof BACKTEST>;

export const rulesCommand: Command = {
  name: 'rules',
  summary: 'Show and test rules. These commands change no budget.',
  examples: ['pacekeeper rules list', 'pacekeeper rules evaluate'],
  commands: [
    command({
      name: 'list',
      summary: 'Show all rules: their data, actions and limits.',
      takes: LIST,
      examples: ['pacekeeper rules list', 'pacekeeper rules list --format csv > rules.csv'],
      load: async () => (await import('./run-list.ts')).runList,
    }),
    command({
      name: 'explain',
      summary: 'Show a rule with its numbers: why it fires or not, and which limit reduces or stops the change.',
      takes: EXPLAIN,
      examples: [
        'pacekeeper rules explain cut-without-conversions',
        'pacekeeper rules explain cut-without-conversions --campaign 21',
      ],
      opens: { what: 'all', lock: true, readOnly: true },
      load: async () => (await import('./run-evaluate.ts')).runExplain,
    }),
    command({
      name: 'evaluate',
      summary: 'Show what the rules would change, based on stored data.',
      takes: EVALUATE,
      examples: ['pacekeeper rules evaluate', 'pacekeeper rules evaluate --customer 123-456-7890 --format ndjson'],
      opens: { what: 'all', lock: true, readOnly: true },
      load: async () => (await import('./run-evaluate.ts')).runEvaluate,
    }),
    command({
      name: 'backtest',
      summary: 'Show what a rule would have done on past days, with the data known on each day.',
      takes: BACKTEST,
      examples: [
        'pacekeeper rules backtest cut-without-conversions',
        'pacekeeper rules backtest cut-without-conversions --from 2026-01-01 --to 2026-06-30',
        'pacekeeper rules backtest stopped-spending --from 2026-10-01 --to 2026-10-31 --format csv',
      ],
      opens: { what: 'all', lock: true, readOnly: true },
      load: async () => (await import('./run-backtest.ts')).runBacktest,
    }),
    command({
      name: 'schema',
      summary: 'Print the JSON Schema that editors need to complete and check rule files.',
      examples: ['pacekeeper rules schema', 'pacekeeper rules schema > rules/rule.schema.json'],
      settings: 'none',
      load: async () => {
        const { ruleSchema } = await import('../../language/rules/file/rule-schema.ts');
        return async ({ output }: Process) =>
          void output.stdout.write(`${JSON.stringify(ruleSchema(), undefined, 2)}\n`);
      },
    }),
  ],
};
