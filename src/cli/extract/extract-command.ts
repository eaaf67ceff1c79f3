import type { Command } from 'commander';
import { addCommonOptions, customerOption, formatOption } from '../common-options.ts';
import { dateOption } from '../date-option.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import { waitOption } from '../wait-option.ts';
import type { ExtractCommandOptions } from './run-extract.ts';

export function addExtractCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('extract'))
    .description('Read the queries into the tables and publish the warehouse; change and send nothing.')
    .option('--from <date>', "first day to read, in the place of each query's own window", dateOption)
    .option('--to <date>', 'last day to read', dateOption)
    .option('--resume', 'read what earlier extractions had planned and did not finish')
    .option('--query <name...>', 'only these queries')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .addOption(waitOption())
    .addOption(formatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: ExtractCommandOptions) => {
      const { runExtract } = await import('./run-extract.ts');
      process.exit(await runExtract(options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper extract --from 2026-01-01 --to 2026-03-31 --query keyword_stats',
  'pacekeeper extract --resume',
]);
