import { type Command, command } from '../../cli/command.ts';
import { LISTING_FORMAT } from '../../cli/common-options.ts';
import type { Process } from '../../cli/process.ts';
import { flag, type Taken } from '../../cli/takes.ts';

const SHOW = { all: flag('the settings at their defaults, too'), format: LISTING_FORMAT };
export type ShowOptions = Taken<typeof SHOW>;

export const configCommand: Command = {
  name: 'config',
  summary: 'Look at the settings: what holds, and where it comes from.',
  examples: ['pacekeeper config show', 'pacekeeper config schema > pacekeeper.schema.json'],
  commands: [
    command({
      name: 'show',
      summary: 'Show every setting that is not at its default, and where it comes from. Secrets are not shown.',
      takes: SHOW,
      examples: ['pacekeeper config show', 'pacekeeper config show --all --format json'],
      load: async () => (await import('./run-show.ts')).runShow,
    }),
    command({
      name: 'schema',
      summary: 'Print the JSON Schema of pacekeeper.yaml, which lets an editor complete and check it.',
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
