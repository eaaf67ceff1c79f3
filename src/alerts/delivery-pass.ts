import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { GraphConnection } from '../apis/graph/call-graph.ts';
import { resolveSender } from '../apis/graph/phone-numbers.ts';
import { sendText, TEXT_LENGTH_MAX } from '../apis/graph/send-text.ts';
import type { MessagesConnection } from '../apis/messages/messages-connection.ts';
import { BODY_LENGTH_MAX, sendMessage } from '../apis/messages/send-message.ts';
import type { AlertRecipient, AlertSettings } from '../config/alert-settings.ts';
import type { GraphSettings } from '../config/live-areas.ts';
import { CHANNELS, type Channel, referenceWord } from '../domain/channel.ts';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import { ApiError, InvariantError } from '../domain/errors.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { PhoneNumberId } from '../domain/ids.ts';
import { isMessagingAddress, isPhoneNumber } from '../domain/messaging-address.ts';
import type { Clock, Log, Pauses } from '../domain/ports.ts';
import type { Message } from '../store/alerts/message-table.ts';
import { commitAtPoints } from '../store/sqlite/in-transaction.ts';
import type { StateFile } from '../store/sqlite/open-state.ts';
import type { StateSchema } from '../store/state-schema.ts';

/** The commits of a delivery, each with a place before it and one after it. */
const COMMITS = [
  /** Leases of processes that have ended. */
  'expire',
  /** What looking for a message has told. */
  'looked-up',
  /** What did not arrive goes on to the next channel. */
  'escalate',
  /** What waits becomes one message per recipient. */
  'bundle',
  /** The lease, immediately before the request. */
  'claim',
  /** What the request came to. */
  'outcome',
] as const;

/** The requests of a delivery. */
const REQUESTS = ['look-up', 'send'] as const;

type DeliveryCommit = (typeof COMMITS)[number];
export type DeliveryRequest = (typeof REQUESTS)[number];

/** A place of a delivery where a process may end. */
export type DeliveryPoint =
  | `${DeliveryCommit}:${'before' | 'after'}-commit`
  | `${DeliveryRequest}:${'before-send' | 'after-answer'}`;

/** Every edge of a delivery: before and after each commit, each request and each answer. */
export const DELIVERY_POINTS: readonly DeliveryPoint[] = [
  ...COMMITS.flatMap((name) => [`${name}:before-commit`, `${name}:after-commit`] as const),
  ...REQUESTS.flatMap((name) => [`${name}:before-send`, `${name}:after-answer`] as const),
];

/** Told at each place that is passed. A test throws where it wants the process to end. */
export type DeliveryPoints = (point: DeliveryPoint) => void;

export interface DeliveryDeps {
  readonly state: StateFile;
  /** What waits for a channel that is absent goes by the other. */
  readonly messages: MessagesConnection | undefined;
  readonly graph: GraphConnection | undefined;
  readonly alerts: AlertSettings;
  /** Where area C reports delivery to; it is asked for it when undefined. */
  readonly statusCallback: string | undefined;
  readonly retry: Readonly<Record<Channel, RetryPolicy>>;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  /** Why no budget is changed now: each message begins with it. Looks into the database. */
  readonly frozen: () => Promise<Frozen | undefined>;
  /** Told at each place of the delivery that is passed; nobody listens but tests. */
  readonly deliveryPasses?: DeliveryPoints;
}

/** What a delivery has to say of one message, or of something that is lost to a recipient. */
export interface Delivery {
  readonly channel: Channel;
  readonly recipient: string;
  readonly text: string;
  /** `pending`: surely not sent, tried again next time. `unknown`: may be out. */
  readonly state: 'accepted' | 'pending' | 'failed' | 'unknown';
  readonly error: string | undefined;
}

/** What came of it for the recipient. */
export interface CountedDelivery extends Delivery {
  /** How many alerts it tells. */
  readonly alerts: number;
  /** Of how many of them it says only how many there are. */
  readonly counted: number;
  /** The channel that tells it in this one's place; undefined where none does, or none has to. */
  readonly instead: Channel | undefined;
  /** It did not arrive, or may not have, and no channel is left. */
  readonly isLost: boolean;
}

/** One delivery of what waits, by one process. */
export interface DeliveryPass extends DeliveryDeps {
  readonly passes: DeliveryPoints;
  /** Who holds the leases of this pass: nobody else calls itself so. */
  readonly holder: string;
  /** The channels that messages can leave by, in the order in which they are tried. */
  readonly channels: readonly Channel[];
  readonly send: Send;
}

/** The channels that messages can leave by, in the order in which they are tried: area A wants a sender to be named. */
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

/** One transaction of a delivery, with the crash points at both sides of its commit. */
export function commit<Result>(
  { state, passes }: Pick<DeliveryPass, 'state' | 'passes'>,
  name: DeliveryCommit,
  work: (trx: Transaction<StateSchema>) => Promise<Result>,
): Promise<Result> {
  return commitAtPoints<DeliveryCommit, Result>(state, passes, name, work);
}

/** Whose address it is; undefined for one that the settings do not name, such as that of somebody who has asked. */
export function recipientAt(
  { recipients }: AlertSettings,
  channel: Channel,
  address: string,
): AlertRecipient | undefined {
  return recipients.find(({ addresses }) => addresses.get(channel) === address);
}

/** Where else the recipient can be told, by the next channel that messages can leave by. */
export function nextAddress(
  { alerts, channels }: Pick<DeliveryPass, 'alerts' | 'channels'>,
  { channel, recipient }: { readonly channel: Channel; readonly recipient: string },
): { readonly channel: Channel; readonly recipient: string } | undefined {
  const addresses = recipientAt(alerts, channel, recipient)?.addresses;
  for (const next of CHANNELS.slice(CHANNELS.indexOf(channel) + 1)) {
    const address = addresses?.get(next);
    if (address !== undefined && channels.includes(next)) return { channel: next, recipient: address };
  }
  return undefined;
}

/** UTF-16 units of a message's text, by channel. */
export const LENGTH_MAX: Readonly<Record<Channel, number>> = { messages: BODY_LENGTH_MAX, graph: TEXT_LENGTH_MAX };

/** What an interface has said to a message that it took. */
export interface Accepted {
  readonly providerId: string | undefined;
  readonly status: string | undefined;
  readonly response: string;
}

/** Sends one message, once. Throws `ApiError`; an `outcome` of `unknown` means that the message may be out. */
type Send = (message: Pick<Message, 'channel' | 'recipient' | 'text' | 'reference'>) => Promise<Accepted>;

/** A message leaves by its channel. The sender of area A is asked for once, where the settings name its account alone. */
function openSender({ messages, graph, statusCallback }: DeliveryDeps): Send {
  let from = graph?.phoneNumberId;
  return async ({ channel, recipient: to, text: body, reference }) => {
    if (channel === 'messages') {
      if (!messages) throw new InvariantError('A message for an interface that is not configured.');
      if (!isMessagingAddress(to)) throw unusableAddress('<channel>:+<number>');
      return sendMessage(messages, { to, body, ...(statusCallback === undefined ? {} : { statusCallback }) });
    }
    if (!graph) throw new InvariantError('A message for an interface that is not configured.');
    if (!isPhoneNumber(`+${to}`)) throw unusableAddress('a number in international form, digits alone');
    from ??= await senderOf(graph);
    return { ...(await sendText(graph, { from, to, body, reference: referenceWord(reference) })), status: undefined };
  };
}

/** Nothing was sent when the sender cannot be told, whatever became of the question (requirement A6). */
async function senderOf(graph: GraphConnection): Promise<PhoneNumberId> {
  if (graph.businessAccountId === undefined) throw new InvariantError('A message without a sender.');
  try {
    return await resolveSender(graph, graph.businessAccountId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.message, { ...error, outcome: 'not_processed', cause: error });
  }
}

/** The status of a refusal of our own. */
export const UNUSABLE_ADDRESS = 'UNUSABLE_ADDRESS';

function unusableAddress(expected: string): ApiError {
  return new ApiError(`The recipient's address cannot be used, expected ${expected}.`, {
    status: UNUSABLE_ADDRESS,
    outcome: 'not_processed',
    transient: false,
    nextStep: 'Mend it under alerts.recipients.',
  });
}
