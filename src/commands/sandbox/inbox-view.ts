import { numberOf } from '../../domain/messaging-address.ts';
import type { ReceivedMessage } from '../../sandbox/message-store.ts';
import { type Column, flag, instant, number, text } from '../../storage/columns/column.ts';
import { oneList } from '../../views/kit/listing.ts';

const COLUMNS: readonly Column<ReceivedMessage>[] = [
  instant('time', 'The time when the phone received the message.', 'receivedAt', { title: 'Time' }),
  text('channel', 'The interface: messages or graph.', 'channel', { title: 'Channel' }),
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
