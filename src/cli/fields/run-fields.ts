import { readEnvironment } from '../../config/environment.ts';
import { loadCatalogue, loadDescriptions } from '../../config/load-catalogue.ts';
import { readQuerySettings } from '../../config/read-settings.ts';
import type { CommonOptions } from '../common-options.ts';
import { printListing } from '../print-listing.ts';
import type { Process } from '../process.ts';
import type { FieldsOptions } from './fields-command.ts';
import { findFields } from './find-fields.ts';
import { renderFields } from './render-fields.ts';
import { fieldRows, renderFieldsJson } from './render-fields-json.ts';
import { searchFields } from './search-fields.ts';

/** The fields command; a search without a match is no failure. Throws `InputError`. */
export async function runFields(process: Process, options: FieldsOptions & CommonOptions): Promise<void> {
  const { folder, env, output } = process;
  const { name, search, format } = options;
  const { catalogue: version } = await readQuerySettings(folder, options, readEnvironment(folder, env));
  const reference = { catalogue: loadCatalogue(version), descriptions: loadDescriptions(version) };
  const found = findFields(name, reference.catalogue);
  const answer = search === undefined ? found : searchFields(search, found, reference);
  printListing(output, format, 'fields', {
    table: (layout) => renderFields(answer, reference, layout),
    json: () => renderFieldsJson(answer, reference),
    rows: () => fieldRows(answer, reference),
  });
}
