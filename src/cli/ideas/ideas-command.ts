import type { Command } from 'commander';
import { addCommonOptions, listingFormatOption, oneCustomerOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { IdeasCommandOptions } from './run-ideas.ts';

export function addIdeasCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('ideas <keywords...>'))
    .description('Ask the service for ideas for keywords that grow from the ones given.')
    .option('--customer <id>', 'as this account sees them (default: the first that is in use)', oneCustomerOption)
    .addOption(listingFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (keywords: readonly string[], options: IdeasCommandOptions) => {
      const { runIdeas } = await import('./run-ideas.ts');
      process.exit(await runIdeas(keywords, options, process));
    });
}

const EXAMPLES = examples(
  [
    'pacekeeper ideas "running shoes" sneakers',
    'pacekeeper ideas sneakers --customer 4081725530 --format csv > ideas.csv',
  ],
  "With --format json the service's answer is printed as it came.",
);
