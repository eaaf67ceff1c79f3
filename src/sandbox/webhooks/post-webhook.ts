import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Webhook } from './compose-webhook.ts';

/** What became of a webhook. */
export type WebhookAnswer =
  /** Taken when the status is 200 to 299. `text` is the first of the answer's body. */
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

const TEXT_CHARACTERS_MAX = 500;

/** How long a receiver has to answer. */
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
export function challengeReceiver(url: string, verifyToken: string, challenge: string): Promise<WebhookAnswer> {
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
