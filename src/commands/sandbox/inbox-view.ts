import { numberOf } from '../../domain/messaging-address.ts';
import type { ReceivedMessage } from '../../sandbox/message-store.ts';
import { type Column, flag, instant, number, text } from '../../views/kit/column.ts';
import { oneList } from '../../views/kit/listing.ts';

const COLUMNS: readonly Column<ReceivedMessage>[] = [
  instant('time', 'When the phone got it.', 'receivedAt', { title: 'Time' }),
  text('channel', 'messages or graph.', 'channel', { title: 'Channel' }),
  text('id', 'The provider’s.', 'sid'),
  text('from', 'The sender.', 'from', { title: 'From', shown: ({ from }) => numberOf(from) ?? from }),
  text('to', 'The phone.', 'to', { title: 'To', shown: ({ to }) => numberOf(to) ?? to }),
  text('text', 'The message.', 'body', { title: 'Text', long: 'lines' }),
  text('status', 'delivered, failed and so on.', 'status', {
    title: 'Status',
    wraps: true,
    shown: ({ status, errorCode }) => (errorCode === undefined ? status : `${status} (${errorCode})`),
  }),
  number('error_code', 'The code of a failure.', 'errorCode'),
  text('media_url', 'The address of the attachment.', 'mediaUrl', {
    title: 'Media',
    long: true,
    shown: ({ mediaUrl, mediaAttached }) => mediaUrl && `[${mediaAttached ? 'attached' : 'not attached'}: ${mediaUrl}]`,
  }),
  flag('media_attached', 'Whether it was attached.', 'mediaAttached'),
  text('reference', 'The reference of the sender.', 'reference'),
];

export const SANDBOX_INBOX = oneList({
  name: 'sandbox inbox',
  about: 'Oldest first.',
  none: 'No phone has received anything yet.',
  columns: COLUMNS,
});
