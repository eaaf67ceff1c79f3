import type { Command } from 'commander';
import { addCommonOptions, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { StatusCommandOptions } from './run-status.ts';

export function addStatusCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('status'))
    .description(
      'Show where everything stands: last runs, coverage, budgets, alerts, what is due next. Asks no service.',
    )
    .addOption(listingFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: StatusCommandOptions) => {
      const { runStatus } = await import('./run-status.ts');
      process.exit(await runStatus(options, process));
    });
}

const EXAMPLES = examples(['pacekeeper status', 'pacekeeper status --format json']);
