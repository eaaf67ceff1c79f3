import { SANDBOX_INBOX } from '../../views/sandbox-inbox.ts';
import type { CommandApp } from '../command.ts';
import type { CommonOptions } from '../common-options.ts';
import { listingIn } from '../print-listing.ts';
import type { InboxOptions } from './sandbox-command.ts';
import { sandboxFile, withSandboxStore } from './sandbox-file.ts';

/** The sandbox inbox command, which needs no running sandbox. */
export async function runInbox({ settings, output }: CommandApp, options: InboxOptions & CommonOptions): Promise<void> {
  const messages = withSandboxStore(sandboxFile(settings, options), (store) => store.messages.all(), true);
  output.stdout.write(listingIn(options.format, SANDBOX_INBOX, messages, output));
}
