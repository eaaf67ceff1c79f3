import type { Command } from 'commander';
import { addCommonOptions, listingFormatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { ShowCommandOptions } from './run-show.ts';

/** What somebody who writes `pacekeeper.yaml` asks of it. */
export function addConfigCommand(program: Command, process: Process): void {
  const config = program.command('config').description('Look at the settings: what holds, and where it comes from.');
  addCommonOptions(config.command('show'))
    .description('Show every setting that is not at its default, and where it comes from. Secrets are not shown.')
    .option('--all', 'the settings at their defaults, too')
    .addOption(listingFormatOption())
    .addHelpText('after', SHOW_EXAMPLES)
    .action(async (options: ShowCommandOptions) => {
      const { runShow } = await import('./run-show.ts');
      process.exit(await runShow(options, process));
    });
  config.addHelpText(
    'after',
    examples(['pacekeeper config show', 'pacekeeper config schema > pacekeeper.schema.json']),
  );
  config
    .command('schema')
    .description('Print the JSON Schema of pacekeeper.yaml, which lets an editor complete and check it.')
    .addHelpText('after', SCHEMA_EXAMPLES)
    .action(async () => {
      const { settingsJsonSchema } = await import('../../config/settings-json-schema.ts');
      process.output.stdout.write(settingsJsonSchema());
      process.exit(0);
    });
}

const SHOW_EXAMPLES = examples(['pacekeeper config show', 'pacekeeper config show --all --format json']);

const SCHEMA_EXAMPLES = examples([
  'pacekeeper config schema > pacekeeper.schema.json',
  'pacekeeper config schema | jq ".properties | keys"',
]);
