import type { Command } from 'commander';
import { addCommonOptions, wholeNumberOption } from '../common-options.ts';
import type { Process } from '../process.ts';
import type { SandboxCommandOptions } from './run-sandbox.ts';

export function addSandboxCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('sandbox'))
    .description('Serve the advertising and messaging interfaces on 127.0.0.1, over a market that reacts to budgets.')
    .option('--port <number>', 'listen here (default: 4010)', wholeNumberOption(0, 65_535))
    .option('--seed <number>', 'which market (default: 1)', wholeNumberOption(0, 2 ** 31 - 1))
    .option('--strict', 'offer only what the specification shows')
    .option('--market <file>', 'replay real history: CSV or CSV.gz with date, keyword_id, impressions, clicks')
    .addHelpText('after', EXAMPLES)
    .action(async (options: SandboxCommandOptions) => {
      const { runSandbox } = await import('./run-sandbox.ts');
      await runSandbox(options, process);
    });
}

const EXAMPLES = `
Examples:
  $ pacekeeper sandbox --port 4010
  $ pacekeeper sandbox --market history.csv.gz --strict`;
