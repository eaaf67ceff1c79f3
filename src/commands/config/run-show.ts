import { type EffectiveSetting, effectiveSettings } from '../../config/effective-settings.ts';
import { type Column, id, text } from '../../storage/columns/column.ts';
import { type Listing, part } from '../../views/kit/listing.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { ShowOptions } from './config-command.ts';

export async function runShow(app: CommandApp, { all = false, format }: ShowOptions): Promise<void> {
  const { folder, env, output, redact } = app;
  const { paths, notes } = app.settings;
  const settings = effectiveSettings(folder, paths.config, env, all);
  // Redacts once more, because a shown setting can contain a secret by mistake.
  output.stdout.write(listingIn(format, CONFIG_SHOW, { settings, notes }, output, redact));
}

interface ShownSettings {
  readonly settings: readonly EffectiveSetting[];
  readonly notes: readonly string[];
}

const COLUMNS: readonly Column<EffectiveSetting>[] = [
  id('key', 'The path of the setting, or the environment name of a setting without a path.', 'key', {
    title: 'Setting',
  }),
  text('value', 'The value in use. A secret is `set (hidden)`.', 'value', { title: 'Value', wraps: true }),
  text('from', 'The source: `default`, `pacekeeper.yaml:12`, `.env NAME` or `environment NAME`.', 'from', {
    title: 'From',
    wraps: true,
  }),
  text('instead', 'Another place that also sets it. Its value is not used.', 'instead', {
    title: 'Not used',
    long: true,
    shown: ({ instead }) => instead && `${instead} also sets it; that value is not used.`,
  }),
];

export const CONFIG_SHOW: Listing<ShownSettings> = {
  name: 'config show',
  about: 'One row per setting that is not at its default. `--all` lists every setting.',
  none: 'All settings are at their defaults; --all shows them.',
  parts: [part({ title: 'Settings', columns: COLUMNS, rows: ({ settings }) => settings })],
  after: ({ notes }) => notes,
};
