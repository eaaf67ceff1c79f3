import type { Command } from 'commander';
import { addCommonOptions, customerOption, listingFormatOption } from '../common-options.ts';
import { dateOption } from '../date-option.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { CoverageCommandOptions } from './run-coverage.ts';

export function addCoverageCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('coverage'))
    .description('Show as a calendar which days of which account were read, which are complete, and which are missing.')
    .option('--query <name...>', 'only these queries')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--from <date>', 'first day shown (default: the first one that was read)', dateOption)
    .option('--to <date>', "last day shown (default: the account's yesterday)", dateOption)
    .addOption(listingFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: CoverageCommandOptions) => {
      const { runCoverage } = await import('./run-coverage.ts');
      process.exit(await runCoverage(options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper coverage',
  'pacekeeper coverage --query keyword_stats --from 2026-01-01 --format json',
]);
