import { numberOf } from '../../domain/messaging-address.ts';
import { type Column, flag, instant, number, text } from '../../views/kit/column.ts';
import { oneList } from '../../views/kit/listing.ts';

interface Received {
  readonly sid: string;
  readonly channel: string;
  readonly to: string;
  readonly from: string;
  readonly body: string;
  readonly mediaUrl: string | undefined;
  readonly mediaAttached: boolean;
  readonly receivedAt: string;
  readonly status: string;
  readonly errorCode: number | undefined;
  readonly reference: string | undefined;
}

const COLUMNS: readonly Column<Received>[] = [
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
