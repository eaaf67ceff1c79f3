import { type Command, command } from '../../cli/command.ts';
import { FORMAT } from '../../cli/common-options.ts';
import { option, type Taken } from '../../cli/takes.ts';

const LOGIN = {
  newPasswordFrom: option('<name>', 'the environment name or the file that holds the new password'),
  format: FORMAT,
};
export type LoginOptions = Taken<typeof LOGIN>;

const STATUS = { format: FORMAT };
export type StatusOptions = Taken<typeof STATUS>;

export const containerCommand: Command = {
  name: 'container',
  summary: 'Log in to the locally hosted container, see how it is.',
  examples: ['pacekeeper container status', 'pacekeeper container login'],
  commands: [
    command({
      name: 'login',
      summary: 'Try the login, and set the password that a first login must set. No token is shown or kept.',
      takes: LOGIN,
      examples: ['pacekeeper container login', 'pacekeeper container login --new-password-from ./new-password.txt'],
      about: `A password is never written on the command line, where others see it. A new one
has 8 to 64 characters: a digit, a capital letter, a small letter and a special
character among them.`,
      opens: { what: 'areas' },
      load: async () => (await import('./run-container.ts')).runLogin,
    }),
    command({
      name: 'status',
      summary: 'Log in and ask the container how it is.',
      takes: STATUS,
      examples: ['pacekeeper container status', 'pacekeeper container status --format json'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-container.ts')).runStatus,
    }),
  ],
};
