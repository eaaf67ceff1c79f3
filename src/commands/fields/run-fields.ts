import { settingsFolder } from '../../config/folders.ts';
import { chooseCatalogue, loadDescriptions } from '../../config/load-catalogue.ts';
import { readQuerySettings } from '../../config/read-settings.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { warnTo } from '../cli/output.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import type { FieldsOptions } from './fields-command.ts';
import { fieldsListing, foundNames } from './fields-view.ts';
import { findFields, searchFields } from './find-fields.ts';

export async function runFields(process: Process, options: FieldsOptions & CommonOptions): Promise<void> {
  const { folder, env, output } = process;
  const { name, search, format } = options;
  const { catalogue, warning } = chooseCatalogue(
    readQuerySettings(folder, options, readEnvironment(settingsFolder(folder, options), env)),
  );
  if (warning !== undefined) warnTo(output)(warning);
  const reference = { catalogue, descriptions: loadDescriptions(catalogue.name) };
  const found = findFields(name, reference.catalogue);
  const answer = search === undefined ? found : searchFields(search, found, reference);
  const names = foundNames(answer, reference);
  output.stdout.write(listingIn(format, fieldsListing(names), names, output));
}
