import type { FastifyInstance } from 'fastify';
import type * as z from 'zod';
import type { AlertSeverity, ReportMail } from '../domain/channel.ts';
import type { RetryPolicy } from '../domain/connection-settings.ts';
import { ApiError } from '../domain/errors.ts';
import type { Log, Pauses } from '../domain/ports.ts';
import type { HttpClient } from '../services/http/http-client.ts';
import type { Redact } from '../services/http/redact.ts';

/**
 * All there is to know about a way to reach a person. Each channel is one object in a folder of its own, and a line of
 * `channels.ts`. Every command loads it with the settings. So what needs a network client is behind `load`.
 *
 * `Declared` has its settings, `Area` those of a configured interface. `Connection` is the open interface.
 */
export interface Channel<
  Name extends string = string,
  Declared extends { readonly retry: RetryPolicy } = { readonly retry: RetryPolicy },
  Area = unknown,
  Connection extends ChannelConnection = ChannelConnection,
> {
  /** The key of its settings and of `alerts.recipients.<name>`, the value in tables, the end of its webhook's path. */
  readonly name: Name;
  readonly title: string;
  /** Markdown, before the settings on the configuration page. */
  readonly about: string;
  readonly settings: z.ZodType<Declared>;
  readonly recipientAddress: z.ZodType<string | undefined>;
  /** Settings without which the interface is not configured. `hasRecipients`: `alerts.recipients` is not empty. */
  needed(hasRecipients: boolean): readonly string[];
  /** Names two settings that must differ, if they do not. */
  sameByMistake?(declared: Declared): readonly [one: string, other: string] | undefined;
  areaOf(declared: Declared): Area | undefined;
  /** The settings of its simulated service, if the sandbox has one, whose phones wrote at this time (UTC). */
  rehearse?(sandbox: Rehearsal, phonesWroteAt?: string): Area | undefined;
  /** True if alerts can go through this area. */
  canSend(area: Area): boolean;
  /** Addresses that get all alerts if `alerts.recipients` is empty. */
  recipientsWithout?(area: Area): readonly string[];
  /** The address of a phone that another channel knows. `number` is in the form `+4915…`. */
  addressOfNumber?(number: string): string;
  /** The addresses that its settings name, with the setting, such as `slack.webhooks`. */
  namedIn?(area: Area): { readonly setting: string; readonly names: readonly string[] } | undefined;
  /** Why an alert cannot go out, if the interface is not configured. */
  readonly unusable: string;
  /** For a new settings file: what it is for, and lines that show how it is set. */
  readonly example?: { readonly about: string; readonly lines: readonly string[] };
  /** The same for its templates, in a line below its name. */
  readonly templateExample?: string;
  /** The variable that is set first. */
  readonly firstVariable: string;
  mask(address: string): string;
  /** Undefined for a channel without delivery reports and replies. */
  readonly webhook?: ChannelWebhook<Declared>;
  readonly replies?: ChannelReplies<Connection>;
  /** For which kinds of alerts templates are set, or missing. Undefined without a reply window. */
  templatesOf?(area: Area): { readonly set: readonly string[]; readonly missing: readonly string[] } | undefined;
  connect(area: Area, tools: ConnectionTools, declared: Declared): Connection;
  load(): Promise<ChannelWork<Connection>>;
}

/** Address and credentials of the sandbox. A channel picks those of its service. */
export interface Rehearsal {
  readonly url: string;
  readonly credentials: object;
}

export interface ChannelConnection {
  /** Without secrets: `pacekeeper doctor` shows it. */
  readonly url: string;
  readonly http?: HttpClient;
}

export interface CodeMeaning {
  readonly meaning: string;
  readonly nextStep: string | undefined;
}

export interface ConnectionTools {
  readonly http: HttpClient;
  readonly pauses: Pauses;
  readonly redact: Redact;
  readonly log: Log;
  readonly isLive: boolean;
  /** In PEM format: all authorities that are trusted. Undefined: those that Node trusts. */
  readonly authorities: readonly string[] | undefined;
}

/** The part of a channel that needs the network. */
export interface ChannelWork<Connection> {
  /** The longest text, in UTF-16 units. */
  readonly textLengthMax: number;
  open(connection: Connection): OpenChannel;
  /** Explains a code of a delivery report. */
  explainCode(code: string): CodeMeaning | undefined;
  /** True for a refusal that a change of the settings can end, beside HTTP status 401, 403 and 404. */
  settingsCanFix?(code: number): boolean;
  /** For `pacekeeper doctor`. Costs nothing and changes nothing. */
  readonly check: ChannelCheck<Connection>;
  /** Adds the routes of its webhooks. */
  receiveWebhooks?(server: FastifyInstance, deps: WebhookDeps): void;
}

export interface ChannelCheck<Connection> {
  readonly expected: string;
  readonly withoutIt: string;
  readonly nextStep: string;
  /** True for an interface that most installations do without. */
  readonly isRare?: true;
  /** With a next step if something could not be checked. Throws `ApiError` or `InputError`. */
  ask(connection: Connection): Promise<string | { readonly found: string; readonly nextStep: string }>;
}

/** One alert of a message, for channels that have more than text. */
export interface SaidAlert {
  /** The same for all messages about one condition. */
  readonly key: string;
  readonly kind: string;
  /** Such as `first`, `repeat`, `escalated` or `resolved`. */
  readonly reason: string;
  readonly severity: AlertSeverity;
  readonly customerId: string | undefined;
  /** The name of the account. Outside text. */
  readonly account: string | undefined;
  readonly rule: string | undefined;
  /** Redacted. Several lines. */
  readonly text: string;
  /** The code of a change that awaits a decision. */
  readonly proposalCode?: string | undefined;
  /** When it began, in UTC. */
  readonly since: string;
  /** In UTC. Now for a condition that ended. Otherwise, the next repetition comes before. */
  readonly until: string;
}

/** The month of an account. */
export interface Picture {
  /** Signed, and works for an hour. */
  readonly url: string;
  readonly png: Buffer | undefined;
  /** For people who do not see it. */
  readonly words: string;
}

export type MediaVerdict =
  /** `png`: the picture, for a channel that attaches it. */
  { readonly kind: 'attached'; readonly png?: Buffer } | { readonly kind: 'dropped'; readonly because: string };

export interface OutgoingAlert {
  readonly recipient: string;
  readonly text: string;
  /** The alerts of the text, the most urgent first. */
  readonly alerts: readonly SaidAlert[];
  /** A report, for channels that can show more than text. */
  readonly mail?: ReportMail | undefined;
  /** The public address of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string | undefined;
  /** When the request is sent, in UTC. */
  readonly at: string;
  /** The word that identifies the message at the provider. The text contains it. */
  readonly reference: string;
  readonly picture?: Picture | undefined;
  /** True if the reply window is closed, so only a template arrives. */
  readonly byTemplate?: boolean;
  /** The provider reports delivery to this address. If undefined, pacekeeper asks for the status. */
  readonly statusCallback: string | undefined;
}

/** The provider's answer: id, status word, and its text without secrets and phone numbers. */
export interface SentAlert {
  readonly providerId: string | undefined;
  readonly status: string | undefined;
  readonly response: string;
}

/** For a day after a recipient wrote, free text arrives, and otherwise only templates. */
export interface ReplyWindow {
  /** The code of a free text that came too late. */
  readonly refusal: string;
  /** When all phones wrote, in UTC. Undefined for a live service. */
  readonly openedAt: string | undefined;
  /** The longest text of a template, in UTF-16 units. */
  readonly textLengthMax: number;
}

export interface OpenChannel {
  /** Undefined if free text is sent at any time. */
  readonly window?: ReplyWindow | undefined;
  /** Undefined if the channel sends no pictures. */
  readonly pictures?: {
    /** The longest text that is sent with a picture, in UTF-16 units. Undefined for any text. */
    readonly captionLengthMax?: number;
    /** Codes of messages that were not delivered because of their picture. */
    readonly codes?: readonly string[];
    /** Asks whether the picture can be sent. Throws `ApiError` for an unreachable address. */
    check(url: string): Promise<MediaVerdict>;
  };
  /** Account and sender are recorded with each request, so that a look-up works after a change of the settings. */
  readonly account: string | undefined;
  readonly sender: string | undefined;
  /** Sends once. Throws `ApiError`: with outcome `unknown`, the message may have been sent. */
  send(alert: OutgoingAlert): Promise<SentAlert>;
  /** Undefined if the interface has no list of sent messages. */
  readonly sentMessages?: SentMessages;
  /**
   * True for an interface without a list, if a message in doubt is sent once more. Receivers recognise a repetition by its
   * reference, or people by its first line.
   */
  readonly repeatsInDoubt?: true;
}

export interface SentMessages {
  /** How to correct a sender of another account. */
  readonly accountSetting: string;
  /** `sender` is that of the original request. Undefined if the provider certainly lacks the message. Throws `ApiError`. */
  find(wanted: {
    readonly recipient: string;
    readonly sender: string;
    readonly reference: string;
    readonly sinceMs: number;
  }): Promise<FoundMessage | undefined>;
  fetch(providerId: string): Promise<FoundMessage | undefined>;
}

export interface FoundMessage {
  readonly providerId: string;
  /** The provider's word, such as `queued`. Undefined if malformed. */
  readonly status: string | undefined;
  readonly errorCode: string | undefined;
}

export interface ChannelWebhook<Declared> {
  /** Each part of the webhook in `/health`, with the variable of its secret. Without the secret, the part is off. */
  readonly parts: Readonly<Record<string, string>>;
  /** The secrets by their variables. */
  secretsOf(declared: Declared): Readonly<Record<string, string | undefined>>;
  /** Those of the simulated service. */
  rehearsedSecrets(credentials: object): Readonly<Record<string, string>>;
}

export interface WebhookDeps {
  /** Stores the events before the answer. If storing fails, the provider delivers again. */
  readonly keep: (events: readonly ArrivedEvent[]) => Promise<void>;
  /** The secrets of this channel by their variables. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  readonly path: string;
  /** The public address without path and query. */
  readonly baseUrl: () => string;
}

export interface ArrivedEvent {
  readonly channel: string;
  /** An `other` event is stored unchanged (requirement A11). */
  readonly kind: 'message' | 'status' | 'other';
  /** Repeated deliveries have the same key. */
  readonly dedupeKey: string;
  readonly providerId?: string | undefined;
  /** In the form of the channel's addresses, or another address. */
  readonly sender?: string | undefined;
  /** The provider's word, such as `sent`, `delivered`, `read` or `failed`. */
  readonly status?: string | undefined;
  readonly text?: string | undefined;
  readonly payload: string;
}

export type Json = Readonly<Record<string, unknown>>;

/** How to read what the webhook stored. `payload` is the parsed JSON of the event. */
export interface ChannelReplies<Connection> {
  /** True if the message came on our own kind of address, because anyone can forge the sender of an SMS. */
  isOwnKind?(sender: string, connection: Connection | undefined): boolean;
  /** A valid signature is not enough, because one app signs the messages for all its accounts. */
  isForOthers(payload: Json, connection: Connection | undefined): boolean;
  isForwarded(payload: Json): boolean;
  /** Names the message in the audit trail, which is published. */
  reference(event: Pick<ArrivedEvent, 'dedupeKey' | 'providerId'>): string;
  statusDetails(payload: Json): { readonly reference?: string | undefined; readonly errorCode: string | undefined };
  /** The connection that answers from the address that the person wrote to, if no sender is configured. */
  answering?(connection: Connection, payload: Json): Promise<Connection>;
}

/** Keeps the literal name, and checks that the parts fit together. */
export function defineChannel<
  const Name extends string,
  Declared extends { readonly retry: RetryPolicy },
  Area,
  Connection extends ChannelConnection,
>(channel: Channel<Name, Declared, Area, Connection>): Channel<Name, Declared, Area, Connection> {
  return channel;
}

export function jsonObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** False if one of them is not known. */
export function isAnother(found: unknown, own: string | undefined): boolean {
  return typeof found === 'string' && own !== undefined && found !== own;
}

export function codeText(code: unknown): string | undefined {
  return typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : undefined;
}

export const UNUSABLE_ADDRESS = 'UNUSABLE_ADDRESS';

export function unusableAddress(expected: string): ApiError {
  return new ApiError(`Invalid recipient address: expected ${expected}.`, {
    status: UNUSABLE_ADDRESS,
    outcome: 'not_processed',
    transient: false,
    nextStep: 'Correct it under alerts.recipients.',
  });
}
