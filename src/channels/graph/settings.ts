import * as z from 'zod';
import { businessAccountId, graphUserId, isGraphId, phoneNumberId } from '../../domain/ids.ts';
import { group, setting } from '../../language/settings/declare.ts';
import { addressBefore, phoneNumber, retry, textLike, token } from '../../language/settings/forms.ts';
import { nonEmptyText, scalar } from '../../language/yaml/scalars.ts';

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

export const settings = group({
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
});

/** Kept as digits, as the interface wants them. */
export const recipientAddress = setting(
  phoneNumber.transform((number) => number.slice(1)),
  'Phone number on the graph interface, in international form: `+4915112345678`',
  { secrecy: 'number' },
);
