import * as z from 'zod';
import { businessAccountId, graphUserId, isGraphId, phoneNumberId } from '../../domain/ids.ts';
import { nonEmptyText, scalar } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';
import { addressBefore, retry, textLike, token } from './forms.ts';

/** Requirement A9. */
const VERSION = /^v[1-9]\d{0,4}\.(0|[1-9]\d{0,4})$/;

const DIGITS = 'a row of digits such as 106540352242922';

/** An id of the graph, which a phone number is the likeliest mistake for. */
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
