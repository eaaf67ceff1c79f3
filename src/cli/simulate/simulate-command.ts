import type { Command } from 'commander';
import { addCommonOptions, formatOption, oneCustomerOption, wholeNumberOption } from '../common-options.ts';
import { dateOption } from '../date-option.ts';
import { examples } from '../examples.ts';
import { parameterOption } from '../parameter-option.ts';
import type { Process } from '../process.ts';
import type { SimulateCommandOptions } from './run-simulate.ts';

/** Ten years; longer ones say nothing more. */
const DAYS_MAX = 3650;
const CAMPAIGNS_MAX = 2000;

export function addSimulateCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('simulate'))
    .description('Let the rules loose on a simulated market, beside the same market without them. Nothing is sent.')
    .requiredOption('--days <number>', 'how many days', wholeNumberOption(1, DAYS_MAX))
    .option(
      '--seed <number>',
      'which market (default: sandbox.seed of the settings)',
      wholeNumberOption(0, 2 ** 31 - 1),
    )
    .option('--market <file>', 'real history as the demand: CSV or CSV.gz, as for pacekeeper sandbox')
    .option('--customer <id>', "an account of the sandbox's market (default: its first, in EUR)", oneCustomerOption)
    .option('--campaigns <number>', 'an account of so many campaigns instead', wholeNumberOption(1, CAMPAIGNS_MAX))
    .option('--from <date>', 'the first day (default: 2026-01-01; in a file its 91st, or earlier)', dateOption)
    .option('--no-shocks', 'demand without shocks, as the sandbox has it')
    .option('--param <name=value>', 'a value for :name in the queries; once per value of a list', parameterOption)
    .option('--html <file>', 'write charts and all tables as a page, too')
    .option('--svg <file>', 'write the picture alone, too')
    .addOption(formatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: SimulateCommandOptions) => {
      const { runSimulate } = await import('./run-simulate.ts');
      process.exit(await runSimulate(options, process));
    });
}

const EXAMPLES = examples(
  [
    'pacekeeper simulate --days 90',
    'pacekeeper simulate --days 90 --seed 7 --rules ./new --html new.html',
    'pacekeeper simulate --days 180 --market history.csv.gz --format json',
  ],
  'All rules act, whatever their mode. Equal seeds and rules give equal results.',
);
