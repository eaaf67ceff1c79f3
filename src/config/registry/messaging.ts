import type { SettingSection } from './setting.ts';

export const MESSAGING: SettingSection = {
  title: 'The messaging interface',
  areas: ['messages'],
  before: [
    'Absent as a whole it is allowed: alerts wait in the outbox until it is there, or go by the messaging interface of the graph.',
  ],
  live: true,
  settings: [
    {
      path: 'messages.url',
      env: ['MESSAGES_URL'],
      default: 'none',
      value: 'address',
      meaning: 'Address; https, or http on this machine',
    },
    {
      path: 'messages.account_id',
      env: ['MESSAGES_ACCOUNT_ID'],
      default: 'none',
      value: 'text',
      meaning: 'The account in the path',
    },
    {
      path: 'messages.username',
      env: ['MESSAGES_USERNAME'],
      default: 'none',
      value: 'text',
      meaning: 'Basic authorization',
    },
    {
      path: 'messages.password',
      env: ['MESSAGES_PASSWORD'],
      default: 'none',
      value: 'secret',
      meaning: 'Also the key that its webhooks are signed with',
    },
    {
      path: 'messages.from',
      env: ['MESSAGES_FROM'],
      default: 'none',
      value: 'number',
      meaning: '`<channel>:+<number>`',
    },
    {
      path: 'messages.to',
      env: ['MESSAGES_TO'],
      default: 'none',
      value: 'number',
      meaning:
        'One recipient or a list; comma-separated in the environment. Not needed where `alerts.recipients` are named.',
    },
    {
      path: 'messages.media',
      default: '`refuse`',
      value: 'shown',
      meaning:
        "What becomes of a media address that the channel would silently drop, such as a calendar's: `refuse`, or `link` to write it into the text",
    },
    {
      path: 'messages.retry.attempts',
      default: '4',
      value: 'shown',
      bothTargets: true,
      meaning:
        "As for `ads.retry`, but only what surely was not processed (429, no connection) is tried again within a run. A message that may be out is looked for, and sent again only when the account's list, a minute after the request or later, does not have it",
    },
    {
      path: 'messages.retry.first_delay_ms',
      default: '5000',
      value: 'shown',
      bothTargets: true,
      meaning: '',
    },
    {
      path: 'messages.retry.total_ms',
      default: '120000',
      value: 'shown',
      bothTargets: true,
      meaning: '',
    },
  ],
};
