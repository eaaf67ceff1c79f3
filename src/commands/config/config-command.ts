import { type Command, command } from '../cli/command.ts';
import { LISTING_FORMAT } from '../cli/common-options.ts';
import type { Process } from '../cli/process.ts';
import { flag, type Taken } from '../cli/takes.ts';

const SHOW = { all: flag('also settings at their defaults'), format: LISTING_FORMAT };
export type ShowOptions = Taken<typeof SHOW>;

export const configCommand: Command = {
  name: 'config',
  summary: 'Show the settings in use and where they come from, or print their schema.',
  examples: ['pacekeeper config show', 'pacekeeper config schema > pacekeeper.schema.json'],
  commands: [
    command({
      name: 'show',
      summary: 'Show every setting that is not at its default, and where it comes from. Secrets are hidden.',
      takes: SHOW,
      examples: ['pacekeeper config show', 'pacekeeper config show --all --format json'],
      load: async () => (await import('./run-show.ts')).runShow,
    }),
    command({
      name: 'schema',
      summary: 'Print the JSON Schema that editors need to complete and check pacekeeper.yaml.',
      examples: [
        'pacekeeper config schema > pacekeeper.schema.json',
        'pacekeeper config schema | jq ".properties | keys"',
      ],
      settings: 'none',
      load: async () => {
        const { settingsJsonSchema } = await import('../../config/settings-json-schema.ts');
        return async ({ output }: Process) => void output.stdout.write(settingsJsonSchema());
      },
    }),
  ],
};
