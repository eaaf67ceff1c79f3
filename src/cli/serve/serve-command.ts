import type { Command } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import type { Process } from '../process.ts';
import type { ServeCommandOptions } from './run-serve.ts';

export function addServeCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('serve'))
    .description('Receive what providers and people send: delivery reports, and answers that approve or reject.')
    .option('--once', 'handle what has arrived already, receive nothing, and end: 1 if something waits on')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ServeCommandOptions) => {
      const { runServe } = await import('./run-serve.ts');
      await runServe(options, process);
    });
}

const EXAMPLES = `
It listens on 127.0.0.1:4020 unless SERVE_HOST and SERVE_PORT say otherwise, prints one JSON line when it is ready, and ends
with Ctrl-C. SERVE_PUBLIC_URL is the address at which the providers reach it. docs/serve.md says what to set up there.

Examples:
  $ pacekeeper serve
  $ SERVE_PORT=8080 SERVE_PUBLIC_URL=https://hooks.example.com pacekeeper serve`;
