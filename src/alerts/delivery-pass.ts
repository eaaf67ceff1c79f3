import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { GraphConnection } from '../apis/graph/call-graph.ts';
import type { MessagesConnection } from '../apis/messages/messages-connection.ts';
import type { AlertRecipient, AlertSettings } from '../config/alert-settings.ts';
import type { GraphSettings } from '../config/live-areas.ts';
import { CHANNELS, type Channel } from '../domain/channel.ts';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { Clock, Log, Pauses } from '../domain/ports.ts';
import { commitAtPoints } from '../store/sqlite/in-transaction.ts';
import type { StateFile } from '../store/sqlite/open-state.ts';
import type { StateSchema } from '../store/state-schema.ts';
import { openSender, type Send } from './send-by-channel.ts';

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
