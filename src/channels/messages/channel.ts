import { maskOnChannel } from '../../domain/channel.ts';
import { numberOf } from '../../domain/messaging-address.ts';
import { defineChannel } from '../channel.ts';
import { codeText, isAnother } from '../read-payload.ts';
import type { MessagesConnection } from './messages-connection.ts';
import { recipientAddress, settings } from './settings.ts';

type MessagesArea = Omit<MessagesConnection, 'http' | 'redact'> & { readonly to: readonly string[] };

interface SimulatedMessages {
  readonly url: string;
  readonly credentials: {
    readonly messages: Readonly<Record<'accountId' | 'username' | 'password' | 'from' | 'to', string>>;
  };
}

export const messages = defineChannel({
  name: 'messages',
  title: 'The messaging interface',
  about: 'Without these settings, alerts use the graph interface or wait.',
  settings,
  recipientAddress,
  needed: (hasRecipients) => ['url', 'account_id', 'username', 'password', 'from', ...(hasRecipients ? [] : ['to'])],
  areaOf({ url, accountId, username, password, from, to, media }): MessagesArea | undefined {
    if (!url || !accountId || !username || !password || !from) return undefined;
    return { url, accountId, username, password, from, to, media };
  },
  rehearse: ({ url, credentials: { messages } }: SimulatedMessages): MessagesArea => ({
    ...messages,
    url,
    to: [messages.to],
    media: 'refuse',
  }),
  canSend: () => true,
  recipientsWithout: ({ to }) => to,
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
