import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { numberOf } from '../../domain/messaging-address.ts';
import type { ReceivedMessage } from '../../sandbox/message-store.ts';
import { openSandboxStore, type SandboxStore } from '../../sandbox/sandbox-store.ts';
import { type Column, flag, instant, number, text } from '../../storage/columns/column.ts';
import { isWritable, openCopy } from '../../storage/records/sqlite/open-to-look.ts';
import { oneList } from '../../views/kit/listing.ts';
import type { CommandApp } from '../cli/command.ts';
import type { CommonOptions, ListedOptions } from '../cli/common-options.ts';
import { listingIn } from '../cli/print-listing.ts';

export function sandboxFile({ sandbox, paths }: Settings, { dataDir }: CommonOptions): string {
  return join(dataDir === undefined ? (sandbox.dataDir ?? paths.data) : paths.data, 'sandbox.sqlite');
}

export function withSandboxStore<Value>(path: string, use: (store: SandboxStore) => Value, looksOnly = false): Value {
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

export async function runInbox(
  { settings, output }: CommandApp,
  options: ListedOptions & CommonOptions,
): Promise<void> {
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

const COLUMNS: readonly Column<ReceivedMessage>[] = [
  instant('time', 'The time when the phone received the message.', 'receivedAt', { title: 'Time' }),
  text('channel', 'The channel, such as messages or email.', 'channel', { title: 'Channel' }),
  text('id', 'The provider’s message id.', 'sid'),
  text('from', 'The number of the sender.', 'from', { title: 'From', shown: ({ from }) => numberOf(from) ?? from }),
  text('to', 'The number of the phone.', 'to', { title: 'To', shown: ({ to }) => numberOf(to) ?? to }),
  text('text', 'The text of the message.', 'body', { title: 'Text', long: 'lines' }),
  text('status', 'The delivery status: delivered, failed and so on.', 'status', {
    title: 'Status',
    wraps: true,
    shown: ({ status, errorCode }) => (errorCode === undefined ? status : `${status} (${errorCode})`),
  }),
  number('error_code', 'The error code of a failure.', 'errorCode'),
  text('media_url', 'The address of the attachment.', 'mediaUrl', {
    title: 'Media',
    long: true,
    shown: ({ mediaUrl, mediaAttached }) => mediaUrl && `[${mediaAttached ? 'attached' : 'not attached'}: ${mediaUrl}]`,
  }),
  flag('media_attached', 'Whether the attachment was delivered.', 'mediaAttached'),
  text('reference', 'The reference of the sender.', 'reference'),
];

export const SANDBOX_INBOX = oneList({
  name: 'sandbox inbox',
  about: 'Messages that phones received, oldest first.',
  evident: ['time', 'id', 'from', 'to', 'text', 'status', 'error_code', 'media_url', 'media_attached', 'reference'],
  none: 'No messages yet.',
  columns: COLUMNS,
});
