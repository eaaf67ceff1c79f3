import { InvariantError } from '../domain/errors.ts';
import { oneOf } from '../domain/wording.ts';
import { alertmanager } from './alertmanager/channel.ts';
import type { Channel } from './channel.ts';
import { discord } from './discord/channel.ts';
import { email } from './email/channel.ts';
import { googleChat } from './google_chat/channel.ts';
import { graph } from './graph/channel.ts';
import { messages } from './messages/channel.ts';
import { ntfy } from './ntfy/channel.ts';
import { pagerduty } from './pagerduty/channel.ts';
import { slack } from './slack/channel.ts';
import { teams } from './teams/channel.ts';
import { webhook } from './webhook/channel.ts';

/**
 * In the order of attempts: an alert that one channel does not deliver goes to the next. Phones are first, because people
 * notice them soonest. PagerDuty is last: it wakes somebody if nothing else has worked.
 */
export const CHANNELS = [
  messages,
  graph,
  ntfy,
  email,
  slack,
  teams,
  googleChat,
  discord,
  webhook,
  alertmanager,
  pagerduty,
] as const;

type One = (typeof CHANNELS)[number];
type Named<Name> = Extract<One, { readonly name: Name }>;

/** For each channel: its declared settings, those of a configured interface, and the open interface. */
export type ChannelSettings = { readonly [Name in One['name']]: Parameters<Named<Name>['areaOf']>[0] };
export type ChannelAreas = { readonly [Name in One['name']]: ReturnType<Named<Name>['areaOf']> };
export type ChannelConnections = { readonly [Name in One['name']]: ReturnType<Named<Name>['connect']> | undefined };

export const CHANNEL_NAMES: readonly string[] = CHANNELS.map(({ name }) => name);

/** Text such as `MESSAGES_URL, GRAPH_URL or EMAIL_URL`. */
export const FIRST_VARIABLES = oneOf(CHANNELS.map(({ firstVariable }) => firstVariable));

const BY_NAME: ReadonlyMap<string, Channel> = new Map(CHANNELS.map((channel) => [channel.name, channel as Channel]));

/** Undefined for a channel that this version does not have. Tables can name one, because a later version may have it. */
export function channelNamed(name: string): Channel | undefined {
  return BY_NAME.get(name);
}

/** Guards the tables, which have no list of channels. */
export function knownChannel(name: string): string {
  if (BY_NAME.has(name)) return name;
  throw new InvariantError(`Unknown channel: found ${name}, expected one of ${CHANNEL_NAMES.join(', ')}.`);
}

export function unusableChannel(name: string): string {
  return channelNamed(name)?.unusable ?? `This version of pacekeeper has no channel ${name}.`;
}

/** Text such as `whatsapp:+49…67`. Shows nothing of an address whose channel is not known. */
export function maskAddress(name: string, address: string): string {
  return channelNamed(name)?.mask(address) ?? '(hidden)';
}

/** `value` makes one for each channel. */
export function byChannel<Value>(value: (channel: Channel) => Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(CHANNELS.map((channel) => [channel.name, value(channel as Channel)]));
}

export function webhookPath(name: string): string {
  return `/webhooks/${name}`;
}

/** The settings below each channel's name, as declared. */
export const CHANNEL_SETTINGS = byChannel(({ settings }) => settings) as {
  readonly [Name in One['name']]: Named<Name>['settings'];
};

export const RECIPIENT_ADDRESSES = byChannel(({ recipientAddress }) => recipientAddress) as {
  readonly [Name in One['name']]: Named<Name>['recipientAddress'];
};
