import { type Command, Option } from 'commander';
import { addCommonOptions } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import { waitOption } from '../wait-option.ts';
import type { PublishCommandOptions } from './run-publish.ts';

export function addPublishCommand(program: Command, process: Process): void {
  addCommonOptions(program.command('publish'))
    .description('Write warehouse.sqlite and metadata.json anew from what was read before. No service is asked.')
    .argument('[dir]', 'with --to: the folder for one file per table')
    .addOption(new Option('--to <format>', 'write every table into DIR as well').choices(['csv', 'json']))
    .addOption(waitOption())
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string | undefined, options: PublishCommandOptions) => {
      const { runPublish } = await import('./run-publish.ts');
      process.exit(await runPublish(dir, options, process));
    });
}

const EXAMPLES = examples(['pacekeeper publish', 'pacekeeper publish --to csv exports']);
