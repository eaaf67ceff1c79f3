import * as z from 'zod';
import { maskOnChannel } from '../../domain/channel.ts';
import { channelOfAddress, numberOf } from '../../domain/messaging-address.ts';
import { each, group, setting } from '../../language/settings/declare.ts';
import { address, messagingAddress, retry, textLike } from '../../language/settings/forms.ts';
import { nonEmptyText, oneOrMany } from '../../language/yaml/scalars.ts';
import { codeText, defineChannel, isAnother } from '../channel.ts';
import { kindsOf, TEMPLATE_KIND, templateFields } from '../template.ts';
import type { MessagesConnection } from './messages-connection.ts';

const settings = group({
  url: setting(address, 'Address: `https://messages.example.com`', {
    env: ['MESSAGES_URL'],
    secrecy: 'address',
  }),
  account_id: setting(nonEmptyText, 'Account id in the path', { env: ['MESSAGES_ACCOUNT_ID'], secrecy: 'text' }),
  username: setting(nonEmptyText, 'User name', { env: ['MESSAGES_USERNAME'], secrecy: 'text' }),
  password: setting(nonEmptyText, 'Password. It also signs the webhooks', {
    env: ['MESSAGES_PASSWORD'],
    secrecy: 'secret',
    bothTargets: true,
  }),
  from: setting(messagingAddress, 'Sender: `<channel>:+<number>`, such as `whatsapp:+4915112345678`', {
    env: ['MESSAGES_FROM'],
    secrecy: 'number',
  }),
  to: setting(
    oneOrMany(messagingAddress),
    'One recipient or a list; comma-separated in the environment. Not needed with `alerts.recipients`.',
    { env: ['MESSAGES_TO'], separator: ',', secrecy: 'number', default: [], without: 'none' },
  ),
  media: setting(
    z.enum(['refuse', 'link']),
    'Handling of files that the channel would silently drop, such as calendars. `refuse`: send nothing. `link`: write the address into the text',
    { default: 'refuse' },
  ),
  templates: each(
    '<kind>',
    TEMPLATE_KIND,
    group({
      content: setting(
        textLike(/^HX[0-9a-f]{32}$/i, 'HX and 32 hexadecimal digits'),
        'Content id of the approved template for alerts of this kind, or for all others (`default`): `HX…`. Only for WhatsApp, see [alerts.md](alerts.md#templates)',
        { required: true },
      ),
      fields: templateFields(),
    }),
  ),
  retry: retry(
    'Attempts in total, as for `ads`. Runs retry only messages that were certainly not processed (429, no connection). For others, see [alerts.md](alerts.md#delivery-and-fallback)',
  ),
});

const recipientAddress = setting(
  messagingAddress,
  'Address on the messaging interface: `<channel>:+<number>`, such as `whatsapp:+4915112345678`. Set this, `graph` or both.',
  { secrecy: 'number' },
);

type MessagesArea = Omit<MessagesConnection, 'http' | 'redact'> & { readonly to: readonly string[] };

interface SimulatedMessages {
  readonly url: string;
  readonly credentials: {
    readonly messages: Readonly<Record<'accountId' | 'username' | 'password' | 'from' | 'to' | 'template', string>>;
  };
}

export const messages = defineChannel({
  name: 'messages',
  title: 'The messaging interface',
  about: 'Without these settings, alerts use the graph interface or wait.',
  settings,
  recipientAddress,
  needed: (hasRecipients) => ['url', 'account_id', 'username', 'password', 'from', ...(hasRecipients ? [] : ['to'])],
  areaOf({ url, accountId, username, password, from, to, media, templates }): MessagesArea | undefined {
    if (!url || !accountId || !username || !password || !from) return undefined;
    return { url, accountId, username, password, from, to, media, templates, phonesWroteAt: undefined };
  },
  rehearse: ({ url, credentials: { messages } }: SimulatedMessages, phonesWroteAt): MessagesArea => ({
    ...messages,
    url,
    to: [messages.to],
    media: 'refuse',
    templates: new Map([['default', { content: messages.template, fields: ['text'] }]]),
    phonesWroteAt,
  }),
  canSend: () => true,
  recipientsWithout: ({ to }) => to,
  templatesOf: ({ from, templates }) => (channelOfAddress(from) === 'whatsapp' ? kindsOf(templates) : undefined),
  unusable: 'The messaging interface is no longer configured (MESSAGES_URL).',
  example: {
    about: 'The channel for alerts. Put its password in .env: MESSAGES_PASSWORD.',
    lines: [
      'messages:',
      '  url: https://messages.example.com',
      '  from: whatsapp:+15550100001',
      '  to: [whatsapp:+15550100002]',
    ],
  },
  templateExample: 'templates: { default: { content: HX00000000000000000000000000000000, fields: [text] } }',
  firstVariable: 'MESSAGES_URL',
  mask: (address) => maskOnChannel('messages', address),
  webhook: {
    parts: { messages: 'MESSAGES_PASSWORD' },
    secretsOf: ({ password }) => ({ MESSAGES_PASSWORD: password }),
    rehearsedSecrets: ({ messages }: SimulatedMessages['credentials']) => ({ MESSAGES_PASSWORD: messages.password }),
  },
  connect: (area, { http, redact }): MessagesConnection => ({ ...area, http, redact }),
  replies: {
    isOwnKind(sender, connection) {
      const [kind = ''] = sender.includes(':') ? sender.split(':') : ['sms'];
      const [ours = kind] = connection?.from.split(':') ?? [];
      return kind === ours;
    },
    isForOthers({ To, AccountSid }, connection) {
      const to = typeof To === 'string' ? numberOf(To) : undefined;
      const own = connection && numberOf(connection.from);
      return isAnother(to, own) || isAnother(AccountSid, connection?.accountId);
    },
    isForwarded: ({ Forwarded, FrequentlyForwarded }) =>
      [Forwarded, FrequentlyForwarded].some((word) => word !== undefined && word !== 'false'),
    reference: ({ dedupeKey }) => dedupeKey,
    statusDetails: ({ ErrorCode }) => ({ errorCode: codeText(ErrorCode) }),
  },
  load: async () => (await import('./deliver.ts')).work,
});
