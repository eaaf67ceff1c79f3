import type { Command } from 'commander';
import { addCommonOptions, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { FieldsCommandOptions } from './run-fields.ts';

export function addFieldsCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('fields'))
    .description('Show what queries can select, with types, constants and descriptions. Without NAME: all resources.')
    .argument('[name]', 'a resource, a field, "metrics" or "segments"')
    .option('--search <word>', 'find a word in names, descriptions and constants; within NAME where one is given')
    .addOption(listingFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, options: FieldsCommandOptions) => {
      const { runFields } = await import('./run-fields.ts');
      process.exit(await runFields(name, options, process));
    });
}

const EXAMPLES = examples([
  'pacekeeper fields keyword_view',
  'pacekeeper fields campaign.status',
  'pacekeeper fields keyword_view --search cost',
]);
