import type { Command } from 'commander';
import {
  addCommonOptions,
  campaignOption,
  customerOption,
  formatOption,
  listingFormatOption,
} from '../common-options.ts';
import { dateOption } from '../date-option.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import type { BacktestCommandOptions } from './run-backtest.ts';
import type { EvaluateCommandOptions } from './run-evaluate.ts';
import type { ListCommandOptions } from './run-list.ts';

/** What somebody who writes rules asks of them. Nothing here changes a budget. */
export function addRulesCommand(program: Command, process: Process): void {
  const rules = program
    .command('rules')
    .description('Look at rules and try them; none of this changes a budget.')
    .addHelpText('after', examples(['pacekeeper rules list', 'pacekeeper rules evaluate']));
  addCommonOptions(rules.command('list'))
    .description('Show every rule: what it reads, what it does, how far it may go.')
    .addHelpText('after', examples(['pacekeeper rules list', 'pacekeeper rules list --format csv > rules.csv']))
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .addOption(listingFormatOption())
    .action(async (options: ListCommandOptions) => {
      const { runList } = await import('./run-list.ts');
      process.exit(await runList(options, process));
    });
  const evaluating = (command: Command) =>
    addCommonOptions(command)
      .option('--customer <id...>', 'only these accounts', customerOption)
      .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption);
  evaluating(rules.command('explain <rule>'))
    .description('Show a rule with the numbers it sees: why it fires, why not, and which limit holds the change.')
    .option('--campaign <id>', 'only this campaign', campaignOption)
    .addOption(formatOption())
    .addHelpText('after', EXPLAIN_EXAMPLE)
    .action(async (rule: string, options: EvaluateCommandOptions) => {
      const { runExplain } = await import('./run-evaluate.ts');
      process.exit(await runExplain(rule, options, process));
    });
  evaluating(rules.command('evaluate'))
    .description('Show what the rules would change by the numbers that were read before.')
    .addHelpText(
      'after',
      examples(['pacekeeper rules evaluate', 'pacekeeper rules evaluate --customer 123-456-7890 --format ndjson']),
    )
    .addOption(listingFormatOption())
    .action(async (options: EvaluateCommandOptions) => {
      const { runEvaluate } = await import('./run-evaluate.ts');
      process.exit(await runEvaluate(options, process));
    });
  evaluating(rules.command('backtest <rule>'))
    .description('Show what a rule would have done on past days, with the data as it was known on each of them.')
    .requiredOption('--from <date>', 'first day to try it on', dateOption)
    .requiredOption('--to <date>', 'last day to try it on, one that is over', dateOption)
    .option('--all', 'also each change that was refused')
    .addOption(listingFormatOption())
    .addHelpText('after', BACKTEST_EXAMPLES)
    .action(async (rule: string, options: BacktestCommandOptions) => {
      const { runBacktest } = await import('./run-backtest.ts');
      process.exit(await runBacktest(rule, options, process));
    });
  rules
    .command('schema')
    .description('Print the JSON Schema of rule files, which lets an editor complete and check them.')
    .addHelpText('after', examples(['pacekeeper rules schema', 'pacekeeper rules schema > rules/rule.schema.json']))
    .action(async () => {
      const { ruleSchema } = await import('../../rules/rule-schema.ts');
      process.output.stdout.write(`${JSON.stringify(ruleSchema(), undefined, 2)}\n`);
      process.exit(0);
    });
}

const EXPLAIN_EXAMPLE = examples([
  'pacekeeper rules explain trim-expensive-clicks',
  'pacekeeper rules explain trim-expensive-clicks --campaign 21',
]);

const BACKTEST_EXAMPLES = examples([
  'pacekeeper rules backtest trim-expensive-clicks --from 2026-01-01 --to 2026-06-30',
  'pacekeeper rules backtest stopped-spending --from 2026-10-01 --to 2026-10-31 --format csv',
]);
