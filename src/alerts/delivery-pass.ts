import { randomUUID } from 'node:crypto';
import type { Channel, ChannelConnection, ChannelWork, OpenChannel } from '../channels/channel.ts';
import { CHANNEL_NAMES, CHANNELS, type ChannelAreas, type ChannelConnections } from '../channels/channels.ts';
import type { AlertRecipient, AlertSettings } from '../config/alert-settings.ts';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import type { Frozen } from '../domain/frozen.ts';
import type { Clock, Log, Pauses } from '../domain/ports.ts';
import type { Address } from '../storage/records/alerts/outbox-row.ts';
import { type PointOf, pointsOf } from '../storage/records/in-transaction.ts';
import type { RecordStore } from '../storage/records/record-store.ts';
import type { PictureAt } from './pictures.ts';

const COMMITS = ['expire', 'looked-up', 'escalate', 'bundle', 'claim', 'outcome'] as const;

const REQUESTS = ['look-up', 'send'] as const;

export type DeliveryPoint = PointOf<(typeof COMMITS)[number], (typeof REQUESTS)[number]>;

export const DELIVERY_POINTS = pointsOf(COMMITS, REQUESTS);

export type DeliveryPoints = (point: DeliveryPoint) => void;

/** A channel with what it needs to send. */
export interface DeliveryChannel extends Channel, Omit<ChannelWork<ChannelConnection>, 'open'> {
  readonly retry: RetryPolicy;
  /** Undefined if its interface is not configured. */
  readonly opened: OpenChannel | undefined;
}

export interface DeliveryDeps {
  readonly state: RecordStore;
  /** In the order of attempts. Alerts use those that are open. */
  readonly channels: readonly DeliveryChannel[];
  readonly alerts: AlertSettings;
  /** Providers report delivery below this address. If undefined, pacekeeper asks for the status. */
  readonly publicUrl: string | undefined;
  readonly pictureAt?: PictureAt | undefined;
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
  readonly instead: string | undefined;
  /** True if delivery failed or was not confirmed, and no channel is left. */
  readonly isLost: boolean;
}

export interface DeliveryPass extends DeliveryDeps {
  readonly passes: DeliveryPoints;
  readonly holder: string;
  /** Names of the channels that can send, in the order of attempts. */
  readonly usable: readonly string[];
  /** Names of the channels whose provider reports delivery. */
  readonly confirming: readonly string[];
}

/** Names of the channels that can send, in the order of attempts. */
export function usableChannels(areas: { readonly [Name in keyof ChannelAreas]?: unknown }): string[] {
  return CHANNELS.flatMap((channel: Channel) => {
    const area = areas[channel.name as keyof ChannelAreas];
    return area !== undefined && channel.canSend(area) ? [channel.name] : [];
  });
}

/** The connections of an app, with the retry policies of its settings. */
export async function openChannels(
  connections: Partial<ChannelConnections>,
  settings: Readonly<Record<keyof ChannelConnections, { readonly retry: RetryPolicy }>>,
): Promise<DeliveryChannel[]> {
  const usable = usableChannels(connections);
  return Promise.all(
    CHANNELS.map(async (channel: Channel): Promise<DeliveryChannel> => {
      const name = channel.name as keyof ChannelConnections;
      const work = await channel.load();
      const connection = usable.includes(name) ? connections[name] : undefined;
      return { ...channel, ...work, retry: settings[name].retry, opened: connection && work.open(connection) };
    }),
  );
}

export function openPass(deps: DeliveryDeps): DeliveryPass {
  return {
    ...deps,
    passes: deps.deliveryPasses ?? (() => undefined),
    holder: randomUUID(),
    usable: deps.channels.flatMap(({ name, opened }) => (opened === undefined ? [] : [name])),
    confirming: deps.channels.flatMap(({ name, webhook }) => (webhook === undefined ? [] : [name])),
  };
}

/** Undefined for an address that is not in the settings. */
export function recipientAt(
  { recipients }: AlertSettings,
  channel: string,
  address: string,
): AlertRecipient | undefined {
  return recipients.find(({ addresses }) => addresses.get(channel) === address);
}

export function nextAddress(
  { alerts, usable }: Pick<DeliveryPass, 'alerts' | 'usable'>,
  { channel, recipient }: Address,
): Address | undefined {
  const addresses = recipientAt(alerts, channel, recipient)?.addresses;
  for (const next of CHANNEL_NAMES.slice(CHANNEL_NAMES.indexOf(channel) + 1)) {
    const address = addresses?.get(next);
    if (address !== undefined && usable.includes(next)) return { channel: next, recipient: address };
  }
  return undefined;
}
