import type { Command } from 'commander';
import { addCommonOptions, formatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import type { FreezeCommandOptions } from './run-freeze.ts';

export function addFreezeCommands(program: Command, process: Process): void {
  const add = (name: 'freeze' | 'unfreeze', why: 'required' | 'optional', description: string, help: string) =>
    addPersonOptions(addCommonOptions(program.command(name)), why)
      .description(description)
      .addOption(formatOption())
      .addHelpText('after', help)
      .action(async (options: FreezeCommandOptions) => {
        const { runFreeze } = await import('./run-freeze.ts');
        process.exit(await runFreeze(name, options, process));
      });
  add(
    'freeze',
    'optional',
    'Stop every budget change from now on, also those of a run that is on its way. Reading and alerts go on.',
    examples(
      [
        'pacekeeper freeze',
        'pacekeeper freeze --why "prices are wrong in the shop"',
        'pacekeeper freeze --by anna --why "the shop is down"',
      ],
      'A file named FREEZE in the data folder does the same while it is there.',
    ),
  );
  add(
    'unfreeze',
    'required',
    'Let budgets be changed again, and take the file FREEZE away.',
    examples([
      'pacekeeper unfreeze --why "prices are right again"',
      'pacekeeper unfreeze --by anna --why "the shop is back"',
    ]),
  );
}
