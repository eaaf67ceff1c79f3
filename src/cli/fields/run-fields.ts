import { readEnvironment } from '../../config/environment.ts';
import { loadCatalogue, loadDescriptions } from '../../config/load-catalogue.ts';
import { readQuerySettings } from '../../config/read-settings.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, printListing } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { findFields } from './find-fields.ts';
import { renderFields } from './render-fields.ts';
import { fieldRows, renderFieldsJson } from './render-fields-json.ts';
import { searchFields } from './search-fields.ts';

export interface FieldsCommandOptions extends CommonOptions {
  readonly format: ListingFormat;
  readonly search?: string;
}

/** The fields command. Answers with the exit code; a search without a match is no failure. Throws `InputError`. */
export async function runFields(
  name: string | undefined,
  options: FieldsCommandOptions,
  { folder, env, output }: Process,
): Promise<number> {
  const { catalogue: version } = readQuerySettings(folder, options, readEnvironment(folder, env)).ads;
  const reference = { catalogue: loadCatalogue(version), descriptions: loadDescriptions(version) };
  const found = findFields(name, reference.catalogue);
  const answer = options.search === undefined ? found : searchFields(options.search, found, reference);
  printListing(output, options.format, 'fields', {
    table: (layout) => renderFields(answer, reference, layout),
    json: () => renderFieldsJson(answer, reference),
    rows: () => fieldRows(answer, reference),
  });
  return EXIT.done;
}
