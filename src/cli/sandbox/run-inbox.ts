import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { toJson } from '../../report/to-json.ts';
import type { CommonOptions } from '../common-options.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, printListing } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { inboxObjects, renderInbox } from './render-inbox.ts';
import { sandboxFile, withSandboxStore } from './sandbox-file.ts';

export interface InboxCommandOptions extends CommonOptions {
  readonly format: ListingFormat;
}

/** The sandbox inbox command, which needs no running sandbox. Answers with the exit code. */
export async function runInbox(options: InboxCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const messages = withSandboxStore(sandboxFile(settings, options), (store) => store.messages.all(), true);
  printListing(output, options.format, 'sandbox inbox', {
    table: (layout) => renderInbox(messages, layout),
    json: () => toJson(inboxObjects(messages)),
    rows: () => inboxObjects(messages),
  });
  return EXIT.done;
}
