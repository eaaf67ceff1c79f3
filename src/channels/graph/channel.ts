import { createHash } from 'node:crypto';
import * as z from 'zod';
import { maskOnChannel } from '../../domain/channel.ts';
import { businessAccountId, graphUserId, isGraphId, phoneNumberId } from '../../domain/ids.ts';
import { each, group, setting } from '../../language/settings/declare.ts';
import { addressBefore, phoneNumber, retry, textLike, token } from '../../language/settings/forms.ts';
import { nonEmptyText, scalar, yesOrNo } from '../../language/yaml/scalars.ts';
import type { Connection } from '../../services/http/retry.ts';
import { codeText, defineChannel, isAnother, jsonObject } from '../channel.ts';
import { kindsOf, TEMPLATE_KIND, templateFields } from '../template.ts';
import type { GraphConnection } from './call-graph.ts';

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

const settings = group({
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
  templates: each(
    '<kind>',
    TEMPLATE_KIND,
    group({
      name: setting(
        textLike(/^[a-z0-9_]{1,512}$/, 'lower-case letters, digits and underscores'),
        'Name of the approved template for alerts of this kind, or for all others (`default`), see [alerts.md](alerts.md#templates)',
        { required: true },
      ),
      language: setting(
        textLike(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'a language such as en or en_US'),
        'Language of the template',
        { default: 'en' },
      ),
      fields: templateFields(),
    }),
  ),
  buttons: setting(yesOrNo, 'Send YES and NO as buttons with a change that awaits approval. Templates have none', {
    default: false,
  }),
  retry: retry('Attempts in total, as for `ads`. A text in doubt is never sent twice'),
});

/** Kept as digits, as the interface wants them. */
const recipientAddress = setting(
  phoneNumber.transform((number) => number.slice(1)),
  'Phone number on the graph interface, in international form: `+4915112345678`',
  { secrecy: 'number' },
);

const HASH_LENGTH = 16;

type GraphArea = Omit<GraphConnection, keyof Connection | 'appSecret'>;

interface SimulatedGraph {
  readonly url: string;
  readonly credentials: {
    readonly graph: Readonly<
      Record<
        'accessToken' | 'businessAccountId' | 'phoneNumberId' | 'userId' | 'appSecret' | 'verifyToken' | 'template',
        string
      >
    >;
  };
}

export const graph = defineChannel({
  name: 'graph',
  title: 'The graph interface',
  about: 'Alerts use it if the messaging interface above fails or is not set.',
  settings,
  recipientAddress,
  needed: () => ['url', 'access_token'],
  sameByMistake: ({ businessAccountId, phoneNumberId }) =>
    businessAccountId !== undefined && String(businessAccountId) === String(phoneNumberId)
      ? ['phone_number_id', 'business_account_id']
      : undefined,
  areaOf({ url, accessToken, version, tokenIn, businessAccountId, phoneNumberId, userId, templates, buttons }) {
    if (!url || !accessToken) return undefined;
    const ids = { businessAccountId, phoneNumberId, userId };
    return { url, accessToken, version, tokenIn, ...ids, templates, buttons, phonesWroteAt: undefined };
  },
  rehearse: ({ url, credentials: { graph } }: SimulatedGraph, phonesWroteAt): GraphArea => ({
    url,
    version: 'v23.0',
    accessToken: graph.accessToken,
    tokenIn: 'header',
    businessAccountId: businessAccountId(graph.businessAccountId),
    phoneNumberId: phoneNumberId(graph.phoneNumberId),
    userId: graphUserId(graph.userId),
    templates: new Map([['default', { name: graph.template, language: 'en', fields: ['text'] }]]),
    buttons: false,
    phonesWroteAt,
  }),
  // A business account leads to a phone number.
  canSend: ({ phoneNumberId, businessAccountId }) => phoneNumberId !== undefined || businessAccountId !== undefined,
  addressOfNumber: (number) => number.slice(1),
  templatesOf: ({ templates }) => kindsOf(templates),
  unusable:
    'The graph interface is not configured (GRAPH_URL, and GRAPH_PHONE_NUMBER_ID or GRAPH_BUSINESS_ACCOUNT_ID).',
  templateExample: 'templates: { default: { name: pacekeeper_alert, language: en, fields: [text] } }',
  firstVariable: 'GRAPH_URL',
  mask: (address) => maskOnChannel('graph', address),
  webhook: {
    parts: { graph: 'GRAPH_APP_SECRET', graph_verification: 'GRAPH_VERIFY_TOKEN' },
    secretsOf: ({ appSecret, verifyToken }) => ({ GRAPH_APP_SECRET: appSecret, GRAPH_VERIFY_TOKEN: verifyToken }),
    rehearsedSecrets: ({ graph }: SimulatedGraph['credentials']) => ({
      GRAPH_APP_SECRET: graph.appSecret,
      GRAPH_VERIFY_TOKEN: graph.verifyToken,
    }),
  },
  connect: (area, { isLive, ...tools }, { retry, appSecret }): GraphConnection => ({
    ...area,
    ...tools,
    retry,
    appSecret: isLive ? appSecret : undefined,
  }),
  replies: {
    isForOthers({ metadata, entry_id }, connection) {
      const { phone_number_id } = jsonObject(metadata);
      return (
        isAnother(phone_number_id, connection?.phoneNumberId) || isAnother(entry_id, connection?.businessAccountId)
      );
    },
    isForwarded({ message }) {
      const { forwarded, frequently_forwarded } = jsonObject(jsonObject(message).context);
      return forwarded === true || frequently_forwarded === true;
    },
    // The provider's id contains the sender's number.
    reference: ({ dedupeKey, providerId = dedupeKey }) =>
      `graph:message:sha256:${createHash('sha256').update(providerId).digest('hex').slice(0, HASH_LENGTH)}`,
    statusDetails({ status }) {
      const { errors, biz_opaque_callback_data: reference } = jsonObject(status);
      const [error] = Array.isArray(errors) ? errors : [];
      return {
        reference: typeof reference === 'string' ? reference : undefined,
        errorCode: codeText(jsonObject(error).code),
      };
    },
    async answering(connection, { entry_id: account, metadata }) {
      if (connection.phoneNumberId !== undefined || typeof account !== 'string' || !isGraphId(account))
        return connection;
      const { display_phone_number: number } = jsonObject(metadata);
      const { resolveSender } = await import('./phone-numbers.ts');
      const shown = typeof number === 'string' ? number : undefined;
      return { ...connection, phoneNumberId: await resolveSender(connection, businessAccountId(account), shown) };
    },
  },
  load: async () => (await import('./deliver.ts')).work,
});
