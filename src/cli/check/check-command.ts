import { type Command, Option } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import type { CheckCommandOptions } from './run-check.ts';

export function addCheckCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('check'))
    .description('Check query files and rule files offline. Without FILES: all of both folders.')
    .argument('[files...]', 'query files (.sql, .gaql) and rule files (.yaml)')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json', 'github']).default('text'))
    .option('--fix', 'write query files in the canonical layout first; comments stay')
    .option('--schema', 'print the table of each query: columns, types, key')
    .option('--online', 'ask the service, too; nothing is read or changed')
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .option('--explain <code>', 'say what a code means, with a wrong and a right example')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: CheckCommandOptions) => {
      const { runCheck } = await import('./run-check.ts');
      process.exit(await runCheck(files, options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper check',
  'pacekeeper check queries/keyword_stats.sql --schema',
  'pacekeeper check --explain EXPECTED_FILTERS_ON_DATE_RANGE',
]);
