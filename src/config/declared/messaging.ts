import * as z from 'zod';
import { nonEmptyText, oneOrMany } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';
import { address, messagingAddress, retry } from './forms.ts';

export const MESSAGING = section(
  'The messaging interface',
  {
    live: true,
    before: [
      'Absent as a whole it is allowed: alerts wait in the outbox until it is there, or go by the messaging interface of the graph.',
    ],
  },
  {
    messages: group({
      url: setting(address, 'Address; https, or http on this machine', { env: ['MESSAGES_URL'], secrecy: 'address' }),
      account_id: setting(nonEmptyText, 'The account in the path', { env: ['MESSAGES_ACCOUNT_ID'], secrecy: 'text' }),
      username: setting(nonEmptyText, 'Basic authorization', { env: ['MESSAGES_USERNAME'], secrecy: 'text' }),
      password: setting(nonEmptyText, 'Also the key that its webhooks are signed with', {
        env: ['MESSAGES_PASSWORD'],
        secrecy: 'secret',
        bothTargets: true,
      }),
      from: setting(messagingAddress, '`<channel>:+<number>`', { env: ['MESSAGES_FROM'], secrecy: 'number' }),
      to: setting(
        oneOrMany(messagingAddress),
        'One recipient or a list; comma-separated in the environment. Not needed where `alerts.recipients` are named.',
        { env: ['MESSAGES_TO'], separator: ',', secrecy: 'number', default: [], without: 'none' },
      ),
      media: setting(
        z.enum(['refuse', 'link']),
        "What becomes of a media address that the channel would silently drop, such as a calendar's: `refuse`, or `link` to write it into the text",
        { default: 'refuse' },
      ),
      retry: retry(
        "As for `ads.retry`, but only what surely was not processed (429, no connection) is tried again within a run. A message that may be out is looked for, and sent again only when the account's list, a minute after the request or later, does not have it",
      ),
    }),
  },
);
