import * as z from 'zod';
import { businessAccountId, graphUserId, isGraphId, phoneNumberId } from '../../domain/ids.ts';
import { group, section, setting } from '../../language/settings/declare.ts';
import { address, addressBefore, messagingAddress, retry, textLike, token } from '../../language/settings/forms.ts';
import { nonEmptyText, oneOrMany, scalar, wholeNumber, yesOrNo } from '../../language/yaml/scalars.ts';

export const MESSAGING = section(
  'The messaging interface',
  {
    live: true,
    before: ['Without these settings, alerts use the graph interface or wait.'],
  },
  {
    messages: group({
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
      retry: retry(
        'Attempts in total, as for `ads`. Runs retry only messages that were certainly not processed (429, no connection). For others, see [alerts.md](alerts.md#delivery-and-fallback)',
      ),
    }),
  },
);

/** The format of requirement A9. */
const VERSION = /^v[1-9]\d{0,4}\.(0|[1-9]\d{0,4})$/;

const DIGITS = 'an id of digits such as 106540352242922';

/** The most likely mistake is a phone number instead of an id. */
function graphId<Id>(brand: (text: string) => Id) {
  return scalar(DIGITS, (text, expect): Id | undefined => {
    if (isGraphId(text)) return brand(text);
    return text.startsWith('+') ? expect(`${DIGITS}, not the phone number`) : undefined;
  });
}

export const GRAPH = section(
  'The graph interface',
  {
    live: true,
    before: ['Alerts use it if the messaging interface above fails or is not set.'],
  },
  {
    graph: group({
      url: setting(addressBefore(VERSION), 'Address without a version: `https://graph.example.com`', {
        env: ['GRAPH_URL'],
        secrecy: 'address',
      }),
      version: setting(
        textLike(VERSION, 'v and two numbers such as v23.0'),
        'API version, the path segment after the address: `v<major>.<minor>`',
        { env: ['GRAPH_VERSION'], default: 'v23.0' },
      ),
      access_token: setting(token('an access token'), 'Access token of every request', {
        env: ['GRAPH_ACCESS_TOKEN'],
        secrecy: 'secret',
      }),
      token_in: setting(
        z.enum(['header', 'query']),
        'Place of the token: a bearer token in the `header`, or `access_token` in the `query`',
        { default: 'header' },
      ),
      business_account_id: setting(
        graphId(businessAccountId),
        'Id of the business account that owns the phone numbers and appears in webhooks; never a sender',
        { env: ['GRAPH_BUSINESS_ACCOUNT_ID'], secrecy: 'number' },
      ),
      phone_number_id: setting(
        graphId(phoneNumberId),
        'Id of the sender, not its phone number. `pacekeeper graph phone-numbers` lists the ids',
        { env: ['GRAPH_PHONE_NUMBER_ID'], secrecy: 'number', without: "the account's only number" },
      ),
      user_id: setting(graphId(graphUserId), 'Id of the user whose pages and permissions are read', {
        env: ['GRAPH_USER_ID'],
        secrecy: 'number',
      }),
      app_secret: setting(
        nonEmptyText,
        "Secret of the app. Verifies webhooks, also the sandbox's, and signs every request (`appsecret_proof`).",
        { env: ['GRAPH_APP_SECRET'], secrecy: 'secret', bothTargets: true },
      ),
      verify_token: setting(nonEmptyText, 'Token that the provider sends once, when a webhook is registered', {
        env: ['GRAPH_VERIFY_TOKEN'],
        secrecy: 'secret',
        bothTargets: true,
      }),
      retry: retry('Attempts in total, as for `ads`. A text in doubt is never sent twice'),
    }),
  },
);

export const WEBHOOKS = section(
  'Webhooks',
  {
    before: [
      'Settings of `pacekeeper serve`, on either target. A webhook route is off until its secrets are set: `graph.app_secret` and `graph.verify_token` for the graph interface,',
      '`messages.password` for the messaging interface.',
    ],
  },
  {
    serve: group({
      host: setting(
        textLike(/^[A-Za-z0-9.:_-]+$/, 'an address of this machine such as 127.0.0.1'),
        'Address to listen on. By default, only this machine can connect',
        { env: ['SERVE_HOST'], default: '127.0.0.1' },
      ),
      port: setting(wholeNumber(0, 65_535), 'Port to listen on; 0 for any free port', {
        env: ['SERVE_PORT'],
        default: 4020,
      }),
      public_url: setting(
        address,
        'Address at which providers reach `pacekeeper serve`: `https://hooks.example.com`. If set, pacekeeper requests delivery reports',
        { env: ['SERVE_PUBLIC_URL'], secrecy: 'address' },
      ),
      trust_proxy: setting(
        yesOrNo,
        'Trust the `X-Forwarded-*` headers of a proxy in front. Set it only if every request comes through that proxy',
        { env: ['SERVE_TRUST_PROXY'], default: false },
      ),
    }),
  },
);
