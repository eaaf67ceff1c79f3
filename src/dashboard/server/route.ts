import type { FastifyReply, FastifyRequest } from 'fastify';
import { loggedPath } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import type { Keep } from '../../storage/inbox/keep-together.ts';

export interface WebhookSecrets {
  readonly graphApp: string | undefined;
  readonly graphVerify: string | undefined;
  readonly messages: string | undefined;
}

/** Without a secret, a route is off, because the route cannot verify senders. */
export function webhooksOn({ graphApp, graphVerify, messages }: WebhookSecrets): Readonly<Record<string, string>> {
  return {
    graph: graphApp === undefined ? 'off: GRAPH_APP_SECRET is not set' : 'on',
    graph_verification: graphVerify === undefined ? 'off: GRAPH_VERIFY_TOKEN is not set' : 'on',
    messages: messages === undefined ? 'off: MESSAGES_PASSWORD is not set' : 'on',
  };
}

/** The message is sent to the client, so the message must not quote the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly statusCode: number;

  constructor(statusCode: number, reason: string) {
    super(reason);
    this.statusCode = statusCode;
  }
}

/** Logs no query, header or body. */
export function refuse(reply: FastifyReply, log: Log, { statusCode, message }: Refusal): FastifyReply {
  const { method, url } = reply.request;
  const [path = ''] = url.split('?');
  // Closes the connection instead of waiting for the rest of the body.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  log.warn(`Refused ${method} ${loggedPath(path)} with ${statusCode}: ${message}.`);
  return reply.code(statusCode).send({ error: message });
}

/** `isWhole` is false if part of the form cannot be decoded. */
export function readForm(body: Uint8Array): { readonly fields: URLSearchParams; readonly isWhole: boolean } {
  const text = Buffer.from(body).toString('utf8');
  return { fields: new URLSearchParams(text), isWhole: text.split('&').every(isDecodable) };
}

/** The sender is not verified yet, so the form must not be parsed. */
export function hasMoreFields(body: Buffer, max: number): boolean {
  let fields = 1;
  for (let at = body.indexOf('&'); at !== -1 && fields <= max; at = body.indexOf('&', at + 1)) fields += 1;
  return fields > max;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part.replaceAll('+', ' '));
    return true;
  } catch {
    return false;
  }
}

/** Browsers send `Sec-Fetch-Site` only on secure connections, but `Origin` with every form. */
export function isFromOurPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  const from = hostOf(origin);
  return from !== undefined && [request.host, publicUrl === undefined ? undefined : hostOf(publicUrl)].includes(from);
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

export const FORM_BYTES_MAX = 64 * 1024;

/** The graph interface sends batches of up to 3 MB. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

export interface RouteDeps {
  readonly keep: Keep;
  readonly secrets: WebhookSecrets;
  /** Returns the public address without path and query. */
  baseUrl(): string;
}

export async function countIfKnown(count: () => Promise<number>): Promise<number | undefined> {
  try {
    return await count();
  } catch {
    return undefined;
  }
}

export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

export function partsOf({ url }: FastifyRequest): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

export const HEADERS: Readonly<Record<string, string>> = {
  // Pages run only the script of this server. Other sites cannot embed our pages in frames.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  // Hides our addresses from other sites. Forms on our pages still send their `Origin`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'Cookie, Authorization',
};
