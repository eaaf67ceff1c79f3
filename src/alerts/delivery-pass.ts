import { randomUUID } from 'node:crypto';
import type { GraphConnection } from '../channels/graph/call-graph.ts';
import { resolveSender } from '../channels/graph/phone-numbers.ts';
import { sendText, TEXT_LENGTH_MAX } from '../channels/graph/send-text.ts';
import type { MessagesConnection } from '../channels/messages/messages-connection.ts';
import { BODY_LENGTH_MAX, sendMessage } from '../channels/messages/send-message.ts';
import type { AlertRecipient, AlertSettings } from '../config/alert-settings.ts';
import type { GraphSettings } from '../config/live-areas.ts';
import { CHANNELS, type Channel, referenceWord } from '../domain/channel.ts';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import { ApiError, InvariantError } from '../domain/errors.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { PhoneNumberId } from '../domain/ids.ts';
import { channelOfAddress, isMessagingAddress, isPhoneNumber } from '../domain/messaging-address.ts';
import type { Clock, Log, Pauses } from '../domain/ports.ts';
import type { MessageOutcome } from '../storage/records/alerts/message-outcome.ts';
import type { Message } from '../storage/records/alerts/message-table.ts';
import type { Address } from '../storage/records/alerts/outbox-row.ts';
import { type PointOf, pointsOf } from '../storage/records/in-transaction.ts';
import type { RecordStore } from '../storage/records/record-store.ts';
import type { PictureAt } from './pictures.ts';

const COMMITS = ['expire', 'looked-up', 'escalate', 'bundle', 'claim', 'outcome'] as const;

const REQUESTS = ['look-up', 'send'] as const;

export type DeliveryPoint = PointOf<(typeof COMMITS)[number], (typeof REQUESTS)[number]>;

export const DELIVERY_POINTS = pointsOf(COMMITS, REQUESTS);

export type DeliveryPoints = (point: DeliveryPoint) => void;

export interface DeliveryDeps {
  readonly state: RecordStore;
  /** If `messages` or `graph` is undefined, all alerts use the other interface. */
  readonly messages: MessagesConnection | undefined;
  readonly graph: GraphConnection | undefined;
  readonly alerts: AlertSettings;
  /** The provider reports delivery to this address. If undefined, pacekeeper asks for the status. */
  readonly statusCallback: string | undefined;
  readonly pictureAt?: PictureAt | undefined;
  readonly retry: Readonly<Record<Channel, RetryPolicy>>;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  /** Undefined if budget changes are not frozen. */
  readonly frozen: () => Promise<Frozen | undefined>;
  /** For tests only. */
  readonly deliveryPasses?: DeliveryPoints;
}

export interface Delivery extends Address {
  readonly text: string;
  /** `pending`: certainly not sent, tried again next time. `unknown`: delivery not confirmed. */
  readonly state: 'accepted' | 'pending' | 'failed' | 'unknown';
  readonly error: string | undefined;
}

export interface CountedDelivery extends Delivery {
  readonly alerts: number;
  /** Alerts that the message only counts. */
  readonly counted: number;
  /** The channel to which the alerts fall back. */
  readonly instead: Channel | undefined;
  /** True if delivery failed or was not confirmed, and no channel is left. */
  readonly isLost: boolean;
}

export interface DeliveryPass extends DeliveryDeps {
  readonly passes: DeliveryPoints;
  readonly holder: string;
  /** In the order of attempts. */
  readonly channels: readonly Channel[];
  readonly send: Send;
}

/** The graph interface can send with a phone number id, or with a business account id that leads to one. */
export function channelsOf({
  messages,
  graph,
}: {
  readonly messages: object | undefined;
  readonly graph: Pick<GraphSettings, 'phoneNumberId' | 'businessAccountId'> | undefined;
}): Channel[] {
  const canSend: Readonly<Record<Channel, boolean>> = {
    messages: messages !== undefined,
    graph: graph?.phoneNumberId !== undefined || graph?.businessAccountId !== undefined,
  };
  return CHANNELS.filter((channel) => canSend[channel]);
}

export function openPass(deps: DeliveryDeps): DeliveryPass {
  return {
    ...deps,
    passes: deps.deliveryPasses ?? (() => undefined),
    holder: randomUUID(),
    channels: channelsOf(deps),
    send: openSender(deps),
  };
}

/** Undefined for an address that is not in the settings. */
export function recipientAt(
  { recipients }: AlertSettings,
  channel: Channel,
  address: string,
): AlertRecipient | undefined {
  return recipients.find(({ addresses }) => addresses.get(channel) === address);
}

export function nextAddress(
  { alerts, channels }: Pick<DeliveryPass, 'alerts' | 'channels'>,
  { channel, recipient }: Address,
): Address | undefined {
  const addresses = recipientAt(alerts, channel, recipient)?.addresses;
  for (const next of CHANNELS.slice(CHANNELS.indexOf(channel) + 1)) {
    const address = addresses?.get(next);
    if (address !== undefined && channels.includes(next)) return { channel: next, recipient: address };
  }
  return undefined;
}

/** In UTF-16 units. */
export const LENGTH_MAX: Readonly<Record<Channel, number>> = { messages: BODY_LENGTH_MAX, graph: TEXT_LENGTH_MAX };

export type Accepted = Extract<MessageOutcome, { readonly kind: 'accepted' }>;

/** Sends once. Throws `ApiError`: with outcome `unknown`, the message may have been sent. */
type Send = (
  message: Pick<Message, 'channel' | 'recipient' | 'text' | 'reference'>,
  picture: string | undefined,
) => Promise<Accepted>;

const UNSENT = 'The message was not sent:';

/** Without a phone number id in the settings, looks up the sender once. */
function openSender({ messages, graph, statusCallback }: DeliveryDeps): Send {
  let from = graph?.phoneNumberId;
  return async ({ channel, recipient: to, text: body, reference }, picture) => {
    if (channel === 'messages') {
      if (!messages) throw new InvariantError(`${UNSENT} the messaging interface is not configured. Set MESSAGES_URL.`);
      if (!isMessagingAddress(to)) throw unusableAddress('<channel>:+<number>');
      const channel = channelOfAddress(messages.from);
      if (channelOfAddress(to) !== channel) {
        throw unusableAddress(`${channel}:+<number> as in MESSAGES_FROM, found ${channelOfAddress(to)}:`);
      }
      const sent = await sendMessage(messages, {
        to,
        body,
        statusCallback,
        mediaUrl: picture,
        mediaIsChecked: true,
      });
      return { kind: 'accepted', ...sent };
    }
    if (!graph) throw new InvariantError(`${UNSENT} the graph interface is not configured. Set GRAPH_URL.`);
    if (!isPhoneNumber(`+${to}`)) throw unusableAddress('digits only, with the country code');
    from ??= await senderOf(graph);
    const sent = await sendText(graph, { from, to, body, reference: referenceWord(reference) });
    return { kind: 'accepted', ...sent, status: undefined };
  };
}

/** A failed look-up of the sender means that no message was sent (requirement A6). */
async function senderOf(graph: GraphConnection): Promise<PhoneNumberId> {
  if (graph.businessAccountId === undefined) throw new InvariantError(`${UNSENT} GRAPH_PHONE_NUMBER_ID is not set.`);
  try {
    return await resolveSender(graph, graph.businessAccountId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.message, { ...error, outcome: 'not_processed', cause: error });
  }
}

export const UNUSABLE_ADDRESS = 'UNUSABLE_ADDRESS';

function unusableAddress(expected: string): ApiError {
  return new ApiError(`Invalid recipient address: expected ${expected}.`, {
    status: UNUSABLE_ADDRESS,
    outcome: 'not_processed',
    transient: false,
    nextStep: 'Correct it under alerts.recipients.',
  });
}
