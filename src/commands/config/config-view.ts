import type { EffectiveSetting } from '../../config/effective-settings.ts';
import { type Column, id, text } from '../../views/kit/column.ts';
import { type Listing, part } from '../../views/kit/listing.ts';

interface ShownSettings {
  readonly settings: readonly EffectiveSetting[];
  readonly notes: readonly string[];
}

const COLUMNS: readonly Column<EffectiveSetting>[] = [
  id('key', 'Its path with keys and places, or the environment name where only that sets it.', 'key', {
    title: 'Setting',
  }),
  text('value', 'The value in use; a secret is `set (hidden)`.', 'value', { title: 'Value', wraps: true }),
  text('from', '`default`, `pacekeeper.yaml:12`, `.env NAME` or `environment NAME`.', 'from', {
    title: 'From',
    wraps: true,
  }),
  text('instead', 'Another place that sets it, and is not used.', 'instead', {
    title: 'Not used',
    long: true,
    shown: ({ instead }) => instead && `It stands in ${instead}, too, and is not used there.`,
  }),
];

export const CONFIG_SHOW: Listing<ShownSettings> = {
  name: 'config show',
  about: 'A row a setting that is not at its default; with `--all` the others, too.',
  none: 'Every setting is at its default; --all shows them.',
  parts: [part({ title: 'Settings', columns: COLUMNS, rows: ({ settings }) => settings })],
  after: ({ notes }) => notes,
};
