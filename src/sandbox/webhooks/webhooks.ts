import { randomUUID } from 'node:crypto';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../domain/ports.ts';
import type { MessageStore, ReceivedMessage } from '../message-store.ts';
import type { Fate } from '../phones.ts';
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
  /** Taken when the status is 200 to 299. `text` is the first of the answer's body. */
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

const TEXT_CHARACTERS_MAX = 500;

const TIMEOUT_MS = 5_000;

/** Sends a webhook once, to exactly its address and no other that it is sent on to. Never throws. */
export function postWebhook({ url, headers, body }: Webhook, timeoutMs = TIMEOUT_MS): Promise<WebhookAnswer> {
  return exchange(
    url,
    { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
    body,
    timeoutMs,
  );
}

/** Asks the receiver for its consent, as area A does before it sends webhooks: the challenge has to come back. */
function challengeReceiver(url: string, verifyToken: string, challenge: string): Promise<WebhookAnswer> {
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': verifyToken,
    'hub.challenge': challenge,
  });
  return exchange(`${url}?${query}`, { method: 'GET' }, '', TIMEOUT_MS);
}

/** What the server says of its health. Never throws. */
export function askHealth(url: string): Promise<WebhookAnswer> {
  return exchange(`${url}/health`, { method: 'GET' }, '', TIMEOUT_MS);
}

/** Whether an address is this machine's own: what is embedded in another command speaks to nobody else. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** One request on a connection of its own, which is gone with the answer. */
function exchange(url: string, options: RequestOptions, body: string, timeoutMs: number): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ kind: 'unreachable', reason: reasonOf(error, timeoutMs) });
    if (!URL.canParse(url)) return failed(new Error(`"${url}" is no address`));
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
  // An address with two families fails once for each, without a message; the code says what both say.
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}

export interface SentWebhook extends Webhook {
  readonly answer: WebhookAnswer;
}

/** A status that somebody makes up, in any order. */
export interface MadeUpStatus {
  readonly sid: string;
  readonly status: string;
  readonly errorCode?: number;
}

interface WebhookDeps {
  readonly clock: Clock;
  readonly store: MessageStore;
  readonly speaker: Speaker;
  /** Where webhooks go that name no address of their own, without a trailing slash. */
  readonly url: string | undefined;
  readonly timeoutMs: number | undefined;
}

const SENT_KEPT_MAX = 10_000;

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks({ clock, store, speaker, url, timeoutMs }: WebhookDeps) {
  const sent: SentWebhook[] = [];
  const planned: Webhook[] = [];
  let sending: Promise<void> = Promise.resolve();
  let closing = false;
  let givenUp = false;

  const post = async (webhook: Webhook): Promise<WebhookAnswer> => {
    const answer = await postWebhook(webhook, timeoutMs);
    sent.push({ ...webhook, answer });
    if (sent.length > SENT_KEPT_MAX) sent.shift();
    return answer;
  };
  /** Sends what is planned, one after the other, and does not wait for it. */
  const release = (): void => {
    const batch = planned.splice(0);
    if (batch.length === 0) return;
    sending = sending.then(async () => {
      for (const webhook of batch) {
        if (givenUp) return;
        const answer = await post(webhook);
        givenUp = closing && answer.kind === 'unreachable';
      }
    });
  };
  const baseOf = (named: string | undefined): string => {
    const base = named ?? url;
    if (base === undefined) throw new RangeError('The sandbox was given no address for webhooks.');
    return base.replace(/\/+$/, '');
  };
  /** Resolves when everything planned so far was answered, or given up. */
  const settled = (): Promise<void> => {
    release();
    return sending;
  };
  return {
    /** The last 10,000, oldest first. */
    sent: sent as readonly SentWebhook[],
    release,
    settled,
    /** Plans the reports of a message; nothing is sent before they are released. */
    reportFate(message: ReceivedMessage, { statuses, errorCode }: Fate): void {
      const receiver = receiverOf(message, url);
      if (receiver === undefined) return;
      for (const [index, status] of statuses.entries()) {
        const told = { status, errorCode: index === statuses.length - 1 ? errorCode : undefined };
        planned.push(statusWebhook(speaker, message, told, clock.now(), receiver));
      }
    },
    receive: async (reply: PhoneReply, named: string | undefined) =>
      post(inboundWebhook(speaker, reply, clock.now(), receiverBelow(reply.channel, baseOf(named)))),
    /** Sends a status at once and keeps it as the message's own. Throws RangeError for a message that is not there. */
    async report({ sid, status, errorCode }: MadeUpStatus, named: string | undefined) {
      const message = store.find(sid);
      if (!message) throw new RangeError(`The sandbox has no message ${sid}.`);
      const receiver = named === undefined ? receiverOf(message, url) : receiverBelow(message.channel, baseOf(named));
      store.setStatus(sid, status, errorCode);
      if (receiver === undefined) throw new RangeError('The sandbox was given no address for webhooks.');
      return post(statusWebhook(speaker, message, { status, errorCode }, clock.now(), receiver));
    },
    /** Sends each that was sent so far once more, byte for byte and in order. */
    async redeliver() {
      const once = new Map(sent.map(({ answer: _, ...webhook }) => [`${webhook.url} ${webhook.body}`, webhook]));
      const answers: WebhookAnswer[] = [];
      for (const webhook of once.values()) answers.push(await post(webhook));
      return answers;
    },
    /** Whether the receiver of area A gives the challenge back. */
    async subscribe(verifyToken: string, named: string | undefined) {
      const challenge = randomUUID();
      const answer = await challengeReceiver(receiverBelow('graph', baseOf(named)).url, verifyToken, challenge);
      return answer.kind === 'answered' && answer.status === 200 && answer.text === challenge;
    },
    /** As settled; a receiver that does not answer is not tried again. */
    close(): Promise<void> {
      closing = true;
      return settled();
    },
  };
}

/**
 * Who is told of a message's delivery: the address it named, or the one for all. A client may name any address; the
 * sandbox speaks to this machine alone, and to the address that its own user gave it.
 */
function receiverOf({ channel, statusCallback }: ReceivedMessage, url: string | undefined): Receiver | undefined {
  if (statusCallback !== undefined) {
    const isTold = isLoopback(statusCallback) || (url !== undefined && statusCallback.startsWith(`${url}/`));
    return isTold ? { url: statusCallback, signedUrl: statusCallback } : undefined;
  }
  return url === undefined ? undefined : receiverBelow(channel, url);
}
