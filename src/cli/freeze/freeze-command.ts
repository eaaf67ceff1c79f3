import type { Command } from 'commander';
import { addCommonOptions, formatOption } from '../common-options.ts';
import { addPersonOptions } from '../person.ts';
import type { Process } from '../process.ts';
import type { FreezeCommandOptions } from './run-freeze.ts';

export function addFreezeCommands(program: Command, process: Process): void {
  const add = (name: 'freeze' | 'unfreeze', description: string, examples: string) =>
    addPersonOptions(addCommonOptions(program.command(name)), 'required')
      .description(description)
      .addOption(formatOption())
      .addHelpText('after', examples)
      .action(async (options: FreezeCommandOptions) => {
        const { runFreeze } = await import('./run-freeze.ts');
        process.exit(await runFreeze(name, options, process));
      });
  add(
    'freeze',
    'Stop every budget change from now on, also those of a run that is on its way. Reading and alerts go on.',
    `
A file named FREEZE in the data folder does the same while it is there.

Example:
  $ pacekeeper freeze --why "prices are wrong in the shop"`,
  );
  add(
    'unfreeze',
    'Let budgets be changed again, and take the file FREEZE away.',
    `
Example:
  $ pacekeeper unfreeze --why "prices are right again"`,
  );
}
