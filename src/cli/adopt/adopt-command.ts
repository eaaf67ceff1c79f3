import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import { waitOption } from '../wait-option.ts';
import type { AdoptCommandOptions } from './run-adopt.ts';

export function addAdoptCommand(program: Command, process: Process): void {
  addPersonOptions(addCommonOptions(program.command('adopt')), 'optional')
    .description(
      'Make a lost state.sqlite anew from warehouse.sqlite, and change no budget until every account has begun a new day.',
    )
    .addOption(waitOption())
    .addHelpText(
      'after',
      examples(
        ['pacekeeper adopt --why "state.sqlite was deleted"', 'pacekeeper adopt --by anna --why "the disk was full"'],
        'With a copy of state.sqlite, pacekeeper restore knows more.',
      ),
    )
    .action(async (options: AdoptCommandOptions) => {
      const { runAdopt } = await import('./run-adopt.ts');
      process.exit(await runAdopt(options, process));
    });
}
