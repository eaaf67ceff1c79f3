import type { Command } from 'commander';
import { addCommonOptions, formatOption, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { GraphAction, GraphCommandOptions } from './run-graph.ts';

/** What a person does with the messaging interface of the graph (area A). */
export function addGraphCommand(program: Command, process: Process): void {
  const graph = program
    .command('graph')
    .description('Send a text, and look at the numbers, pages and permissions of the messaging interface.')
    .addHelpText('after', examples(['pacekeeper graph phone-numbers', 'pacekeeper graph diagnose-pages']));
  const run = async (action: GraphAction, options: GraphCommandOptions) => {
    const { runGraph } = await import('./run-graph.ts');
    process.exit(await runGraph(action, options, process));
  };
  const add = (name: string, description: string, format = formatOption()) =>
    addCommonOptions(graph.command(name)).description(description).addOption(format);
  const inBothForms = (name: string, other = 'json') =>
    examples([`pacekeeper graph ${name}`, `pacekeeper graph ${name} --format ${other}`]);

  add('send <to> <text>', 'Send one text now. TO is a number with its country code, digits alone.')
    .addHelpText('after', SEND_EXAMPLE)
    .action((to: string, body: string, options: GraphCommandOptions) => run({ kind: 'send', to, body }, options));
  add('phone-numbers', 'List the numbers that the business account can send from.', listingFormatOption())
    .addHelpText('after', inBothForms('phone-numbers', 'csv'))
    .action((options: GraphCommandOptions) => run({ kind: 'phone-numbers' }, options));
  add('page-tokens', "List the pages that the user's token reaches. No token is shown.", listingFormatOption())
    .addHelpText('after', inBothForms('page-tokens'))
    .action((options: GraphCommandOptions) => run({ kind: 'page-tokens' }, options));
  add('permissions', 'List what the user granted to the app, and what not.', listingFormatOption())
    .addHelpText('after', inBothForms('permissions'))
    .action((options: GraphCommandOptions) => run({ kind: 'permissions' }, options));
  add('revoke', 'Take every permission of the user back from the app. The token is of no use afterwards.')
    .addHelpText('after', inBothForms('revoke'))
    .action((options: GraphCommandOptions) => run({ kind: 'revoke' }, options));
  add('diagnose-pages', 'Find out why there are no pages, and say what to do about it, step by step.')
    .option('--revoke', 'do the first step, where taking the permissions back is one')
    .addHelpText('after', DIAGNOSE_EXAMPLE)
    .action((options: GraphCommandOptions & { readonly revoke?: boolean }) =>
      run({ kind: 'diagnose-pages', revoke: options.revoke ?? false }, options),
    );
}

const SEND_EXAMPLE = examples(
  [
    'pacekeeper graph send 4915112345678 "The budgets are frozen until noon."',
    'pacekeeper graph send 4915112345678 "Yesterday is read." --format json',
  ],
  `The sender is GRAPH_PHONE_NUMBER_ID, or the one number of
GRAPH_BUSINESS_ACCOUNT_ID. Free text arrives only within 24 hours of the
recipient's last message.`,
);

const DIAGNOSE_EXAMPLE = examples(['pacekeeper graph diagnose-pages', 'pacekeeper graph diagnose-pages --revoke']);
