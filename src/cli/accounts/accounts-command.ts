import type { Command } from 'commander';
import { addCommonOptions, formatOption } from '../common-options.ts';
import type { Process } from '../process.ts';
import type { AccountsCommandOptions } from './run-accounts.ts';

export function addAccountsCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('accounts'))
    .description('List the accounts and managers that the credentials reach, and through which manager.')
    .addOption(formatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: AccountsCommandOptions) => {
      const { runAccounts } = await import('./run-accounts.ts');
      process.exit(await runAccounts(options, process));
    });
}

const EXAMPLES = `
It asks the service and changes nothing, neither there nor in the databases.

Examples:
  $ pacekeeper accounts
  $ pacekeeper accounts --format json`;
