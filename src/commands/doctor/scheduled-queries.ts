import { readFileSync } from 'node:fs';
import { hideValues, SETTINGS_QUOTING } from '../../config/hide-values.ts';
import type { Settings } from '../../config/settings.ts';
import type { Diagnostic } from '../../domain/diagnostic.ts';
import { type FileFindings, filesIn, nameOf, QUERY_ENDINGS, shownPath } from '../../engine/load-inputs.ts';
import { nearestNames } from '../../language/gaql/check/suggest.ts';
import { openYaml } from '../../language/yaml/read-yaml.ts';

/** A job without its query would fail later, when nobody is watching. */
export function scheduledQueryFindings({ paths, schedule }: Pick<Settings, 'paths' | 'schedule'>): FileFindings[] {
  if (!schedule.some(({ options }) => (options.query ?? []).length > 0)) return [];
  const known = filesIn(paths.queries, QUERY_ENDINGS, 'queries').map(nameOf);
  const source = readFileSync(paths.config, 'utf8');
  const reading = openYaml(source, SETTINGS_QUOTING);
  const diagnostics = schedule.flatMap(({ options }, index) =>
    (options.query ?? []).flatMap((name, place): Diagnostic[] => {
      if (known.includes(name) || reading.kind !== 'ok') return [];
      const path = ['schedule', index, 'options', 'query'];
      const span = reading.places.spanOf(reading.places.has([...path, place]) ? [...path, place] : path);
      const message = `Unknown query "${name}"; known queries: ${known.join(', ') || 'none'}.`;
      const [nearest] = nearestNames(name, known);
      const hint = nearest === undefined ? {} : { hint: `Did you mean ${nearest}?` };
      return [{ code: 'BAD_VALUE', severity: 'error', span, message, ...hint }];
    }),
  );
  if (diagnostics.length === 0) return [];
  const about = { path: paths.config, file: shownPath(paths.config), source: hideValues(source) };
  return [{ ...about, diagnostics, query: undefined, rule: undefined }];
}
