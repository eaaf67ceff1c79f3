import { ROLES } from '../../domain/role.ts';
import { command } from '../cli/command.ts';
import { choice, flag, option, type Taken } from '../cli/takes.ts';

const SERVE = { once: flag('handle messages already received, then exit (code 1 if messages still wait)') };
export type ServeOptions = Taken<typeof SERVE>;

const TOKEN = {
  name: option('<name>', 'name of the token, which the record shows (default: `default`, or the role)'),
  role: choice('<role>', 'what the token allows (default: viewer)', ROLES),
  list: flag('list the names and roles of tokens, never the tokens'),
  revoke: option('<name>', 'revoke a token, and end all its logins'),
};
export type TokenOptions = Taken<typeof TOKEN>;

export const serveCommand = command({
  name: 'serve',
  summary: 'Receive delivery reports and answers to approval requests, and show the dashboard.',
  takes: SERVE,
  examples: [
    'pacekeeper serve',
    'SERVE_PORT=8080 pacekeeper serve',
    'SERVE_PUBLIC_URL=https://hooks.example.com pacekeeper serve',
  ],
  about: `Listens on 127.0.0.1:4020, or on SERVE_HOST and SERVE_PORT. Prints one JSON line
when ready. Ctrl-C stops it. See docs/serve.md to set up the providers.`,
  load: async () => (await import('./run-serve.ts')).runServe,
  commands: [
    command({
      name: 'token',
      summary: 'Create, list or revoke tokens for the dashboard and /metrics.',
      takes: TOKEN,
      examples: ['pacekeeper serve token --name anna --role approver', 'pacekeeper serve token --revoke anna'],
      about: `A token is printed once. A viewer reads every page. An approver also decides on
budgets and silences alerts. An admin also saves models.`,
      load: async () => (await import('./run-serve-token.ts')).runServeToken,
    }),
  ],
});
