import { readEnvironment } from '../../config/environment.ts';
import { loadCatalogue, loadDescriptions } from '../../config/load-catalogue.ts';
import { readQuerySettings } from '../../config/read-settings.ts';
import { FIELDS } from '../../views/fields.ts';
import type { CommonOptions } from '../common-options.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';
import { findFields } from './find-fields.ts';
import { foundNames } from './found-names.ts';
import { renderFields } from './render-fields.ts';
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
  const { catalogue: version } = await readQuerySettings(folder, options, readEnvironment(folder, env));
  const reference = { catalogue: loadCatalogue(version), descriptions: loadDescriptions(version) };
  const found = findFields(name, reference.catalogue);
  const answer = options.search === undefined ? found : searchFields(options.search, found, reference);
  const { format } = options;
  output.stdout.write(
    format === 'table'
      ? renderFields(answer, reference, textLayout(output))
      : listingIn(format, FIELDS, foundNames(answer, reference), output),
  );
  return EXIT.done;
}
