import type { Command } from 'commander';
import { addCommonOptions, formatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { ContainerCommandOptions } from './run-container.ts';

/** What a person does with the locally hosted container (area D). */
export function addContainerCommand(program: Command, process: Process): void {
  const container = program
    .command('container')
    .description('Log in to the locally hosted container, see how it is.')
    .addHelpText('after', examples(['pacekeeper container status', 'pacekeeper container login']));
  const run = (action: 'login' | 'status') => async (options: ContainerCommandOptions) => {
    const { runContainer } = await import('./run-container.ts');
    process.exit(await runContainer(action, options, process));
  };
  addCommonOptions(container.command('login'))
    .description('Try the login, and set the password that a first login must set. No token is shown or kept.')
    .option('--new-password-from <name>', 'the environment name or the file that holds the new password')
    .addOption(formatOption())
    .addHelpText('after', LOGIN_EXAMPLES)
    .action(run('login'));
  addCommonOptions(container.command('status'))
    .description('Log in and ask the container how it is.')
    .addHelpText('after', examples(['pacekeeper container status', 'pacekeeper container status --format json']))
    .addOption(formatOption())
    .action(run('status'));
}

const LOGIN_EXAMPLES = examples(
  ['pacekeeper container login', 'pacekeeper container login --new-password-from ./new-password.txt'],
  `A password is never written on the command line, where others see it. A new one
has 8 to 64 characters: a digit, a capital letter, a small letter and a special
character among them.`,
);
