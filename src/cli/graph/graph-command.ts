import type { Command } from 'commander';
import { addCommonOptions, formatOption } from '../common-options.ts';
import type { Process } from '../process.ts';
import type { GraphAction, GraphCommandOptions } from './run-graph.ts';

/** What a person does with the messaging interface of the graph (area A). */
export function addGraphCommand(program: Command, process: Process): void {
  const graph = program
    .command('graph')
    .description('Send a text, and look at the numbers, pages and permissions of the messaging interface.');
  const run = async (action: GraphAction, options: GraphCommandOptions) => {
    const { runGraph } = await import('./run-graph.ts');
    process.exit(await runGraph(action, options, process));
  };
  const add = (name: string, description: string) =>
    addCommonOptions(graph.command(name)).description(description).addOption(formatOption());

  add('send <to> <text>', 'Send one text now. The recipient is a number with its country code, digits alone.')
    .addHelpText('after', SEND_EXAMPLE)
    .action((to: string, body: string, options: GraphCommandOptions) => run({ kind: 'send', to, body }, options));
  add('phone-numbers', 'List the numbers that the business account can send from.').action(
    (options: GraphCommandOptions) => run({ kind: 'phone-numbers' }, options),
  );
  add('page-tokens', "List the pages that the user's token reaches. No token is shown.").action(
    (options: GraphCommandOptions) => run({ kind: 'page-tokens' }, options),
  );
  add('permissions', 'List what the user granted to the app, and what not.').action((options: GraphCommandOptions) =>
    run({ kind: 'permissions' }, options),
  );
  add('revoke', 'Take every permission of the user back from the app. The token is of no use afterwards.').action(
    (options: GraphCommandOptions) => run({ kind: 'revoke' }, options),
  );
  add('diagnose-pages', 'Find out why there are no pages, and say what to do about it, step by step.')
    .option('--revoke', 'do the first step, where taking the permissions back is one')
    .addHelpText('after', DIAGNOSE_EXAMPLE)
    .action((options: GraphCommandOptions & { readonly revoke?: boolean }) =>
      run({ kind: 'diagnose-pages', revoke: options.revoke ?? false }, options),
    );
}

const SEND_EXAMPLE = `
The sender is GRAPH_PHONE_NUMBER_ID, or the one number of GRAPH_BUSINESS_ACCOUNT_ID.
Free text arrives only within 24 hours of the recipient's last message.

Example:
  $ pacekeeper graph send 4915112345678 "The budgets are frozen until noon."`;

const DIAGNOSE_EXAMPLE = `
Examples:
  $ pacekeeper graph diagnose-pages
  $ pacekeeper graph diagnose-pages --revoke`;
