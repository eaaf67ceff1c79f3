import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { ServeCommandOptions } from './run-serve.ts';
import type { ServeTokenOptions } from './run-serve-token.ts';

export function addServeCommand(program: Command, process: Process): void {
  const serve = addCommonOptions(program.command('serve'))
    .description('Receive delivery reports and answers that approve or reject, and show the status page.')
    .option('--once', 'handle what has arrived already, receive nothing, and end: 1 if something waits on')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ServeCommandOptions) => {
      const { runServe } = await import('./run-serve.ts');
      await runServe(options, process);
    });
  addCommonOptions(serve.command('token'))
    .description('Make, list or revoke tokens that open the status page and /metrics.')
    .option('--name <name>', 'how the token is called (default: default)')
    .option('--list', 'show which tokens there are, and never a token itself')
    .option('--revoke <name>', 'end a token, and every login by it')
    .addHelpText('after', TOKEN_EXAMPLES)
    .action(async (_options: ServeTokenOptions, command: Command) => {
      const { runServeToken } = await import('./run-serve-token.ts');
      // Options of both are given to the outer one.
      await runServeToken(command.optsWithGlobals<ServeTokenOptions>(), process);
    });
}

const TOKEN_EXAMPLES = examples(
  ['pacekeeper serve token --name anna', 'pacekeeper serve token --revoke anna'],
  `A token is printed once and kept as a digest alone. Whoever has it sees every
page and may change nothing.`,
);

const EXAMPLES = examples(
  [
    'pacekeeper serve',
    'SERVE_PORT=8080 pacekeeper serve',
    'SERVE_PUBLIC_URL=https://hooks.example.com pacekeeper serve',
  ],
  `It listens on 127.0.0.1:4020 unless SERVE_HOST and SERVE_PORT say otherwise,
prints one JSON line when it is ready, and ends with Ctrl-C. SERVE_PUBLIC_URL is
the address at which the providers reach it. docs/serve.md says what to set up
there.`,
);
