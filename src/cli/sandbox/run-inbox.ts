import { toJson } from '../../report/to-json.ts';
import type { CommandApp } from '../command.ts';
import type { CommonOptions } from '../common-options.ts';
import { printListing } from '../print-listing.ts';
import { inboxObjects, renderInbox } from './render-inbox.ts';
import type { InboxOptions } from './sandbox-command.ts';
import { sandboxFile, withSandboxStore } from './sandbox-file.ts';

/** The sandbox inbox command, which needs no running sandbox. */
export async function runInbox({ settings, output }: CommandApp, options: InboxOptions & CommonOptions): Promise<void> {
  const messages = withSandboxStore(sandboxFile(settings, options), (store) => store.messages.all(), true);
  printListing(output, options.format, 'sandbox inbox', {
    table: (layout) => renderInbox(messages, layout),
    json: () => toJson(inboxObjects(messages)),
    rows: () => inboxObjects(messages),
  });
}
