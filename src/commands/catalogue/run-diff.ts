import { settingsFolder } from '../../config/folders.ts';
import { catalogueNamed } from '../../config/load-catalogue.ts';
import { readQuerySettings } from '../../config/read-settings.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import { compareCatalogues } from '../../language/gaql/catalogue/compare-catalogues.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import type { DiffOptions } from './catalogue-command.ts';
import { CATALOGUE_DIFF } from './catalogue-view.ts';
import { isUsedBy, queryUses } from './query-uses.ts';

/** Changes that a query uses come first. Throws `InputError` for a version without a catalogue. */
export async function runDiff(process: Process, options: DiffOptions & CommonOptions): Promise<void> {
  const { folder, env, output } = process;
  const settings = readQuerySettings(folder, options, readEnvironment(settingsFolder(folder, options), env));
  const { earlier, later } = options;
  const { changes, added } = compareCatalogues(catalogueNamed(earlier, settings), catalogueNamed(later, settings));
  const uses = queryUses(settings.paths.queries);
  const used = changes
    .map((change) => ({
      ...change,
      queries: uses.filter((use) => isUsedBy(change.name, use)).map(({ query }) => query),
    }))
    .sort((a, b) => Number(b.queries.length > 0) - Number(a.queries.length > 0));
  const answer = { earlier, later, changes: used, added };
  output.stdout.write(listingIn(options.format, CATALOGUE_DIFF, answer, output));
}
