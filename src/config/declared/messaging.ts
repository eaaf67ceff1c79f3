import * as z from 'zod';
import { businessAccountId, graphUserId, isGraphId, phoneNumberId } from '../../domain/ids.ts';
import { nonEmptyText, oneOrMany, scalar, wholeNumber, yesOrNo } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';
import { address, addressBefore, messagingAddress, retry, textLike, token } from './forms.ts';

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

/** Requirement A9. */
const VERSION = /^v[1-9]\d{0,4}\.(0|[1-9]\d{0,4})$/;

const DIGITS = 'a row of digits such as 106540352242922';

/** The likeliest mistake is a phone number. */
function graphId<Id>(brand: (text: string) => Id) {
  return scalar(DIGITS, (text, expect): Id | undefined => {
    if (isGraphId(text)) return brand(text);
    return text.startsWith('+') ? expect(`${DIGITS}, and a phone number is not its id`) : undefined;
  });
}

export const GRAPH = section(
  'The messaging interface of the graph',
  {
    live: true,
    before: [
      'Absent as a whole it is allowed. Alerts reach a recipient by it when the interface above does not, or is not there.',
    ],
  },
  {
    graph: group({
      url: setting(addressBefore(VERSION), 'Address without a version; https, or http on this machine', {
        env: ['GRAPH_URL'],
        secrecy: 'address',
      }),
      version: setting(
        textLike(VERSION, 'v and two numbers such as v23.0'),
        'Path segment after the address, `v<major>.<minor>`',
        { env: ['GRAPH_VERSION'], default: 'v23.0' },
      ),
      access_token: setting(token('an access token'), 'The token of every request', {
        env: ['GRAPH_ACCESS_TOKEN'],
        secrecy: 'secret',
      }),
      token_in: setting(
        z.enum(['header', 'query']),
        'How it is shown: as a bearer in the `header`, or as `access_token` in the `query`. Neither reaches a log.',
        { default: 'header' },
      ),
      business_account_id: setting(
        graphId(businessAccountId),
        'What webhooks carry and phone numbers are listed of; never a sender',
        { env: ['GRAPH_BUSINESS_ACCOUNT_ID'], secrecy: 'number' },
      ),
      phone_number_id: setting(
        graphId(phoneNumberId),
        'The id of the sender, which is not its phone number; `pacekeeper graph phone-numbers` lists them',
        { env: ['GRAPH_PHONE_NUMBER_ID'], secrecy: 'number', without: "the account's one number" },
      ),
      user_id: setting(graphId(graphUserId), 'Whose pages and permissions are asked for', {
        env: ['GRAPH_USER_ID'],
        secrecy: 'number',
      }),
      app_secret: setting(
        nonEmptyText,
        "Proves where a webhook comes from; where it is set, requests are proved by it, too (`appsecret_proof`). It holds for the sandbox's webhooks, too.",
        { env: ['GRAPH_APP_SECRET'], secrecy: 'secret', bothTargets: true },
      ),
      verify_token: setting(nonEmptyText, 'What the provider shows once when a webhook is registered', {
        env: ['GRAPH_VERIFY_TOKEN'],
        secrecy: 'secret',
        bothTargets: true,
      }),
      retry: retry('As for `ads.retry`; a text that may be out is never sent twice'),
    }),
  },
);

export const WEBHOOKS = section(
  'Webhooks',
  {
    before: [
      'For `pacekeeper serve`, on either target. A route whose secret is absent is off: `graph.app_secret` and `graph.verify_token` for the graph,',
      '`messages.password` for the other interface.',
    ],
  },
  {
    serve: group({
      host: setting(
        textLike(/^[A-Za-z0-9.:_-]+$/, 'an address of this machine such as 127.0.0.1'),
        'The address of this machine that is listened on: this machine alone unless told otherwise',
        { env: ['SERVE_HOST'], default: '127.0.0.1' },
      ),
      port: setting(wholeNumber(0, 65_535), '0 for any free one', { env: ['SERVE_PORT'], default: 4020 }),
      public_url: setting(
        address,
        'The address at which the providers reach it, which is what they sign; with it, delivery reports are asked for',
        { env: ['SERVE_PUBLIC_URL'], secrecy: 'address' },
      ),
      trust_proxy: setting(
        yesOrNo,
        'Believe the `X-Forwarded-*` headers of the proxy in front: who asks, and by which protocol. Only where every request comes through it',
        { env: ['SERVE_TRUST_PROXY'], default: false },
      ),
    }),
  },
);
