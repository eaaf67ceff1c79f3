import { PAGES } from '../../domain/pages.ts';
import type { OutgoingAlert } from '../channel.ts';
import { postJson, type Sending } from '../post-json.ts';
import type { PostedArea } from '../posted-channel.ts';

/** A message has at most 32,000 bytes, and a unit of text at most three. */
const TEXT_LENGTH_MAX = 10_000;

export const sending: Sending<PostedArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  send: (alert, url, connection) =>
    postJson(connection, {
      url,
      service: 'Google Chat',
      body: googleChatMessage(alert),
      proof: /"name":\s*"spaces\//,
      renew: 'Make a new webhook in Google Chat, and set it in google_chat.webhooks (GOOGLE_CHAT_WEBHOOKS).',
    }),
};

/** Begins a link or a mention. A blank, a digit or an equals sign follows in comparisons. */
const MARKUP = /<(?![\s\d=])/g;

export function googleChatMessage({ text, dashboardUrl }: Pick<OutgoingAlert, 'text' | 'dashboardUrl'>): object {
  const link = dashboardUrl === undefined ? '' : `\n<${dashboardUrl}${PAGES.inbox.path}|Open pacekeeper>`;
  return { text: text.replace(MARKUP, '\u2039') + link };
}
