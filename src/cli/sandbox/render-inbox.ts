import { numberOf } from '../../domain/messaging-address.ts';
import { oneLine, type TextLayout } from '../../report/text-layout.ts';
import { wrapText } from '../../report/wrap-text.ts';
import type { ReceivedMessage } from '../../sandbox/message-store.ts';

const INDENT = '  ';

/** Messages one below the other as phones show them, without a trailing line break. */
export function renderInbox(messages: readonly ReceivedMessage[], layout: TextLayout): string {
  if (messages.length === 0) return 'No phone has received anything yet.';
  return messages.map((message) => renderMessage(message, layout)).join('\n\n');
}

function renderMessage(message: ReceivedMessage, { width, bold }: TextLayout): string {
  const { receivedAt, channel, from, to, status, errorCode, body, mediaUrl, mediaAttached } = message;
  const state = errorCode === undefined ? status : `${status} (${errorCode})`;
  const time = receivedAt.slice(0, 16).replace('T', ' ');
  const head = `${time} UTC · ${channel} · ${numberOf(from) ?? from} → ${numberOf(to) ?? to} · ${state}`;
  const media = mediaUrl === undefined ? [] : [`[${mediaAttached ? 'attached' : 'not attached'}: ${mediaUrl}]`];
  const lines = [...body.split(/\r?\n/), ...media].map((line) => wrapText(oneLine(line), width, INDENT, INDENT));
  return [bold(wrapText(oneLine(head), width, '', INDENT)), ...lines.map((line) => line.trimEnd())].join('\n');
}

export function inboxObjects(messages: readonly ReceivedMessage[]): object[] {
  return messages.map(({ receivedAt, channel, sid, from, to, body, status, errorCode, mediaUrl, ...rest }) => ({
    ...{ time: receivedAt, channel, id: sid, from, to, text: body, status, error_code: errorCode },
    ...{ media_url: mediaUrl, media_attached: rest.mediaAttached, reference: rest.reference },
  }));
}
