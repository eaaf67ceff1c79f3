import type { Command } from 'commander';
import { addCommonOptions, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { AccountsCommandOptions } from './run-accounts.ts';

export function addAccountsCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('accounts'))
    .description('List the accounts and managers that the credentials reach, and through which manager.')
    .addOption(listingFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: AccountsCommandOptions) => {
      const { runAccounts } = await import('./run-accounts.ts');
      process.exit(await runAccounts(options, process));
    });
}

const EXAMPLES = examples(
  ['pacekeeper accounts', 'pacekeeper accounts --format json'],
  'It asks the service and changes nothing, neither there nor in the databases.',
);
