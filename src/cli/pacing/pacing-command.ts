import type { Command } from 'commander';
import { addCommonOptions, campaignOption, customerOption, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import type { PacingCommandOptions } from './run-pacing.ts';

export function addPacingCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('pacing'))
    .description('Show how each month goes that a rule paces: spent, ideal, projected, what budgets should be and why.')
    .option('--rule <name>', 'only the targets of this rule')
    .option('--customer <id...>', 'only these accounts', customerOption)
    .option('--campaign <id>', 'only the targets that this campaign spends from', campaignOption)
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .addOption(listingFormatOption('html'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: PacingCommandOptions) => {
      const { runPacing } = await import('./run-pacing.ts');
      process.exit(await runPacing(options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper pacing',
  'pacekeeper pacing --rule month-pacing --format csv > pacing.csv',
  'pacekeeper pacing --customer 123-456-7890 --format html > pacing.html',
]);
