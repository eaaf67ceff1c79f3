import { command } from '../../cli/command.ts';
import { flag, option, type Taken } from '../../cli/takes.ts';

const SERVE = { once: flag('handle what has arrived already, receive nothing, and end: 1 if something waits on') };
export type ServeOptions = Taken<typeof SERVE>;

const TOKEN = {
  name: option('<name>', 'how the token is called (default: default)'),
  list: flag('show which tokens there are, and never a token itself'),
  revoke: option('<name>', 'end a token, and every login by it'),
};
export type TokenOptions = Taken<typeof TOKEN>;

export const serveCommand = command({
  name: 'serve',
  summary: 'Receive delivery reports and answers that approve or reject, and show the status page.',
  takes: SERVE,
  examples: [
    'pacekeeper serve',
    'SERVE_PORT=8080 pacekeeper serve',
    'SERVE_PUBLIC_URL=https://hooks.example.com pacekeeper serve',
  ],
  about: `It listens on 127.0.0.1:4020 unless SERVE_HOST and SERVE_PORT say otherwise,
prints one JSON line when it is ready, and ends with Ctrl-C. SERVE_PUBLIC_URL is
the address at which the providers reach it. docs/serve.md says what to set up
there.`,
  load: async () => (await import('./run-serve.ts')).runServe,
  commands: [
    command({
      name: 'token',
      summary: 'Make, list or revoke tokens that open the status page and /metrics.',
      takes: TOKEN,
      examples: ['pacekeeper serve token --name anna', 'pacekeeper serve token --revoke anna'],
      about: `A token is printed once and kept as a digest alone. Whoever has it sees every
page and may change nothing.`,
      load: async () => (await import('./run-serve-token.ts')).runServeToken,
    }),
  ],
});
