import { type EffectiveSetting, effectiveSettings } from '../../config/effective-settings.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { createRedact } from '../../http/redact.ts';
import { oneLine, type TextLayout } from '../../report/text-layout.ts';
import { textTable } from '../../report/text-table.ts';
import { toJson } from '../../report/to-json.ts';
import { wrapText } from '../../report/wrap-text.ts';
import type { CommonOptions } from '../common-options.ts';
import { harmless } from '../output.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';

export interface ShowCommandOptions extends CommonOptions {
  readonly all?: boolean;
  readonly format: ListingFormat;
}

/** The config show command. Answers with the exit code. */
export async function runShow(options: ShowCommandOptions, { folder, env, output }: Process): Promise<number> {
  const { paths, notes, secrets } = await readSettings(folder, options, readEnvironment(folder, env));
  const found = effectiveSettings(folder, paths.config, env, options.all ?? false);
  const text = listingText(output, options.format, 'config show', {
    table: (layout) => renderSettings(found, notes, layout),
    json: () => toJson(found),
    rows: () => found,
  });
  // The last net: a secret may have been put where another setting belongs.
  output.stdout.write(harmless(createRedact(secrets)(text)));
  return EXIT.done;
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
