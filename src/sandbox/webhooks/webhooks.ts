import { randomUUID } from 'node:crypto';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../domain/ports.ts';
import type { MessageStore, ReceivedMessage } from '../message-store.ts';
import type { Fate } from '../phones.ts';
import { PHONE_CHANNELS } from '../phones.ts';
import {
  inboundWebhook,
  type PhoneReply,
  type Receiver,
  receiverBelow,
  type Speaker,
  statusWebhook,
  type Webhook,
} from './compose-webhook.ts';

export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

const TEXT_CHARACTERS_MAX = 500;

const TIMEOUT_MS = 5_000;

/** Does not follow redirects. Never throws. */
export function postWebhook({ url, headers, body }: Webhook, timeoutMs = TIMEOUT_MS): Promise<WebhookAnswer> {
  return exchange(
    url,
    { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
    body,
    timeoutMs,
  );
}

/** The public graph interface sends webhooks only to receivers that return the challenge. */
function challengeReceiver(url: string, verifyToken: string, challenge: string): Promise<WebhookAnswer> {
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': verifyToken,
    'hub.challenge': challenge,
  });
  return exchange(`${url}?${query}`, { method: 'GET' }, '', TIMEOUT_MS);
}

const UNFETCHED: Fate = { statuses: ['sent', 'undelivered'], errorCode: 63019 };

const MEDIA_TYPES =
  /^(image\/(jpeg|png|webp)|audio\/(ogg|amr|3gpp|aac|mpeg)|video\/mp4|application\/pdf|text\/(x-)?vcard)(;|$)/;

function isAttached(type: string | undefined): boolean {
  return type !== undefined && MEDIA_TYPES.test(type);
}

/** Returns the content type, or undefined if the request fails. */
async function fetchMedia(url: string, timeoutMs = TIMEOUT_MS): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    await answer.arrayBuffer();
    return answer.ok ? (answer.headers.get('content-type') ?? '') : undefined;
  } catch {
    return undefined;
  }
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

function exchange(url: string, options: RequestOptions, body: string, timeoutMs: number): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ kind: 'unreachable', reason: reasonOf(error, timeoutMs) });
    if (!URL.canParse(url)) return failed(new Error(`invalid address "${url}"`));
    const address = new URL(url);
    const send = address.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = send(address, { ...options, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, TEXT_CHARACTERS_MAX);
      });
      response.on('error', failed);
      response.on('end', () => resolve({ kind: 'answered', status: response.statusCode ?? 0, text }));
    });
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}

function reasonOf(error: Error, timeoutMs: number): string {
  if (error.name === 'AbortError') return `no answer within ${timeoutMs} ms`;
  // If both IPv4 and IPv6 fail, the error has no message, only a code.
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}

export interface SentWebhook extends Webhook {
  readonly answer: WebhookAnswer;
}

interface WebhookDeps {
  readonly clock: Clock;
  readonly store: MessageStore;
  readonly speaker: Speaker;
  readonly url: string | undefined;
  readonly timeoutMs: number | undefined;
}

const SENT_KEPT_MAX = 10_000;

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks({ clock, store, speaker, url, timeoutMs }: WebhookDeps) {
  const sent: SentWebhook[] = [];
  const planned: (() => Promise<void>)[] = [];
  let sending: Promise<void> = Promise.resolve();
  let closing = false;
  let givenUp = false;

  const post = async (webhook: Webhook): Promise<WebhookAnswer> => {
    const answer = await postWebhook(webhook, timeoutMs);
    sent.push({ ...webhook, answer });
    if (sent.length > SENT_KEPT_MAX) sent.shift();
    return answer;
  };
  /** Starts sending the planned webhooks one after the other, without waiting. */
  const release = (): void => {
    const batch = planned.splice(0);
    if (batch.length === 0) return;
    sending = sending.then(async () => {
      for (const work of batch) await work();
    });
  };
  const fetches = (mediaUrl: string | undefined): mediaUrl is string =>
    mediaUrl !== undefined && mayCall(mediaUrl, url);
  const tell = async (message: ReceivedMessage, { statuses, errorCode }: Fate): Promise<void> => {
    const receiver = receiverOf(message, url);
    for (const [index, status] of receiver === undefined ? [] : statuses.entries()) {
      if (givenUp || receiver === undefined) return;
      const told = { status, errorCode: index === statuses.length - 1 ? errorCode : undefined };
      const answer = await post(statusWebhook(speaker, message, told, clock.now(), receiver));
      givenUp = closing && answer.kind === 'unreachable';
    }
  };
  /** The public service also fetches media only after accepting the message. */
  const tellAfterFetch = async (message: ReceivedMessage, mediaUrl: string, fate: Fate): Promise<void> => {
    const type = await fetchMedia(mediaUrl, timeoutMs);
    const end = type === undefined ? UNFETCHED : fate;
    store.setMedia(message.sid, isAttached(type));
    store.setStatus(message.sid, end.statuses.at(-1) ?? 'queued', end.errorCode);
    await tell(message, end);
  };
  const baseOf = (named: string | undefined): string => {
    const base = named ?? url;
    if (base === undefined) throw new RangeError('No webhook address is set for the sandbox.');
    return base.replace(/\/+$/, '');
  };
  const settled = (): Promise<void> => {
    release();
    return sending;
  };
  return {
    sent: sent as readonly SentWebhook[],
    release,
    settled,
    /** The reports are sent later, by `release`. */
    reportFate(message: ReceivedMessage, fate: Fate): void {
      const { mediaUrl } = message;
      planned.push(() => (fetches(mediaUrl) ? tellAfterFetch(message, mediaUrl, fate) : tell(message, fate)));
    },
    fetches,
    receive: async (reply: PhoneReply, named: string | undefined) =>
      post(inboundWebhook(speaker, reply, clock.now(), receiverBelow(reply.channel, baseOf(named)))),
    async subscribe(verifyToken: string, named: string | undefined) {
      const challenge = randomUUID();
      const answer = await challengeReceiver(receiverBelow('graph', baseOf(named)).url, verifyToken, challenge);
      return answer.kind === 'answered' && answer.status === 200 && answer.text === challenge;
    },
    close(): Promise<void> {
      closing = true;
      return settled();
    },
  };
}

/** Clients can name any address, but the sandbox calls only this machine and the configured webhook address. */
function mayCall(address: string, url: string | undefined): boolean {
  return isLoopback(address) || (url !== undefined && address.startsWith(`${url}/`));
}

function receiverOf({ channel, statusCallback }: ReceivedMessage, url: string | undefined): Receiver | undefined {
  if (statusCallback !== undefined) {
    return mayCall(statusCallback, url) ? { url: statusCallback, signedUrl: statusCallback } : undefined;
  }
  // Only phones report delivery.
  const phone = PHONE_CHANNELS.find((one) => one === channel);
  return url === undefined || phone === undefined ? undefined : receiverBelow(phone, url);
}
