import { createHash } from 'node:crypto';
import { maskOnChannel } from '../../domain/channel.ts';
import { businessAccountId, graphUserId, isGraphId, phoneNumberId } from '../../domain/ids.ts';
import type { Connection } from '../../services/http/retry.ts';
import { defineChannel } from '../channel.ts';
import { codeText, isAnother, jsonObject } from '../read-payload.ts';
import type { GraphConnection } from './call-graph.ts';
import { recipientAddress, settings } from './settings.ts';

const HASH_LENGTH = 16;

type GraphArea = Omit<GraphConnection, keyof Connection | 'appSecret'>;

interface SimulatedGraph {
  readonly url: string;
  readonly credentials: {
    readonly graph: Readonly<
      Record<'accessToken' | 'businessAccountId' | 'phoneNumberId' | 'userId' | 'appSecret' | 'verifyToken', string>
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
  areaOf({ url, accessToken, version, tokenIn, businessAccountId, phoneNumberId, userId }): GraphArea | undefined {
    if (!url || !accessToken) return undefined;
    return { url, accessToken, version, tokenIn, businessAccountId, phoneNumberId, userId };
  },
  rehearse: ({ url, credentials: { graph } }: SimulatedGraph): GraphArea => ({
    url,
    version: 'v23.0',
    accessToken: graph.accessToken,
    tokenIn: 'header',
    businessAccountId: businessAccountId(graph.businessAccountId),
    phoneNumberId: phoneNumberId(graph.phoneNumberId),
    userId: graphUserId(graph.userId),
  }),
  // A business account leads to a phone number.
  canSend: ({ phoneNumberId, businessAccountId }) => phoneNumberId !== undefined || businessAccountId !== undefined,
  addressOfNumber: (number) => number.slice(1),
  unusable:
    'The graph interface is not configured (GRAPH_URL, and GRAPH_PHONE_NUMBER_ID or GRAPH_BUSINESS_ACCOUNT_ID).',
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
