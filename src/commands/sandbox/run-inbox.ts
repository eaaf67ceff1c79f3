import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { openSandboxStore, type SandboxStore } from '../../sandbox/sandbox-store.ts';
import { isWritable, openCopy } from '../../storage/records/sqlite/open-to-look.ts';
import type { CommandApp } from '../cli/command.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { listingIn } from '../cli/print-listing.ts';
import { SANDBOX_INBOX } from './inbox-view.ts';
import type { InboxOptions } from './sandbox-command.ts';

export function sandboxFile({ sandbox, paths }: Settings, { dataDir }: CommonOptions): string {
  return join(dataDir === undefined ? (sandbox.dataDir ?? paths.data) : paths.data, 'sandbox.sqlite');
}

function withSandboxStore<Value>(path: string, use: (store: SandboxStore) => Value, looksOnly = false): Value {
  if (!existsSync(path)) {
    throw new InputError(`${path} not found: no sandbox has run with this data folder.`, {
      nextStep: 'Run pacekeeper report or pacekeeper sandbox first, or set the folder with --data-dir.',
    });
  }
  const store = openSandboxStore(looksOnly && !isWritable(dirname(path)) ? openCopy(path, false) : path);
  try {
    return use(store);
  } finally {
    store.close();
  }
}

export async function runInbox({ settings, output }: CommandApp, options: InboxOptions & CommonOptions): Promise<void> {
  const messages = withSandboxStore(sandboxFile(settings, options), (store) => store.messages.all(), true);
  output.stdout.write(listingIn(options.format, SANDBOX_INBOX, messages, output));
}

export async function runDeactivateFeatures({ settings, output }: CommandApp, options: CommonOptions): Promise<void> {
  const given = withSandboxStore(sandboxFile(settings, options), (store) => {
    store.setDone('features_deactivated');
    return store.isDone('permissions_revoked');
  });
  const effect = given
    ? 'Page tokens are available now.'
    : 'To get page tokens, revoke the permissions first. Then deactivate the features again.';
  output.stdout.write(`The app's business features are deactivated. ${effect}\n`);
}
