import { type EffectiveSetting, effectiveSettings } from '../../config/effective-settings.ts';
import { oneLine, type TextLayout } from '../../report/text-layout.ts';
import { textTable } from '../../report/text-table.ts';
import { toJson } from '../../report/to-json.ts';
import { wrapText } from '../../report/wrap-text.ts';
import type { CommandApp } from '../command.ts';
import { harmless } from '../output.ts';
import { listingText } from '../print-listing.ts';
import type { ShowOptions } from './config-command.ts';

export async function runShow(app: CommandApp, { all = false, format }: ShowOptions): Promise<void> {
  const { folder, env, output, redact } = app;
  const { paths, notes } = app.settings;
  const found = effectiveSettings(folder, paths.config, env, all);
  const text = listingText(output, format, 'config show', {
    table: (layout) => renderSettings(found, notes, layout),
    json: () => toJson(found),
    rows: () => found,
  });
  // The last net: a secret may have been put where another setting belongs.
  output.stdout.write(harmless(redact(text)));
}

const COLUMNS = [
  { title: 'setting', align: 'left' },
  { title: 'from', align: 'left' },
  { title: 'value', align: 'left', flexible: true },
] as const;

function renderSettings(found: readonly EffectiveSetting[], notes: readonly string[], { width }: TextLayout): string {
  const rows = found.map(({ key, value, from }) => [oneLine(key), from, oneLine(value)]);
  const none = 'Every setting is at its default; --all shows them.';
  const twice = found.flatMap(({ key, from, instead }) =>
    instead === undefined ? [] : [`${key} stands in ${instead}, too, and is not used: ${from} wins.`],
  );
  const below = [...twice, ...notes].map((note) => wrapText(note, width, '', '  '));
  return [found.length === 0 ? none : textTable(COLUMNS, rows, width), ...below].join('\n');
}
