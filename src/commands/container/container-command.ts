import { type Command, command } from '../cli/command.ts';
import { FORMAT, TOLD } from '../cli/common-options.ts';
import { option, type Taken } from '../cli/takes.ts';

const LOGIN = {
  newPasswordFrom: option('<name>', 'environment variable or file that holds the new password'),
  format: FORMAT,
};
export type LoginOptions = Taken<typeof LOGIN>;

export const containerCommand: Command = {
  name: 'container',
  summary: 'Log in to the business-API container that you host, and check its health.',
  examples: ['pacekeeper container status', 'pacekeeper container login'],
  commands: [
    command({
      name: 'login',
      summary:
        'Test the login of the business-API container that you host (container.url). At a first login, set the required new password. Shows and stores no token.',
      takes: LOGIN,
      examples: ['pacekeeper container login', 'pacekeeper container login --new-password-from ./new-password.txt'],
      about: `Never write a password on the command line: others can see it. A new password
has 8 to 64 characters. It needs a digit, a capital letter, a small letter and
a special character.`,
      opens: { what: 'areas' },
      load: async () => (await import('./run-container.ts')).runLogin,
    }),
    command({
      name: 'status',
      summary: 'Log in to the business-API container (container.url) and show its health.',
      takes: TOLD,
      examples: ['pacekeeper container status', 'pacekeeper container status --format json'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-container.ts')).runStatus,
    }),
  ],
};
