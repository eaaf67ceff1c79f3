import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebhookDeps } from '../../channels/channel.ts';
import { CHANNEL_NAMES, CHANNELS, webhookPath } from '../../channels/channels.ts';
import { declaredPath } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import type { Refusal } from '../../services/http/received-request.ts';
import type { Download, FileFormat, RenderedPage } from '../status/page-source.ts';

/** Without its secret, a part of a webhook is off, because the sender cannot be verified. */
export function webhooksOn(secrets: WebhookDeps['secrets']): Readonly<Record<string, string>> {
  const parts = CHANNELS.flatMap(({ webhook }) => Object.entries(webhook?.parts ?? {})).toSorted();
  const state = (secret: string) => (secrets[secret] === undefined ? `off: ${secret} is not set` : 'on');
  return Object.fromEntries(parts.map(([part, secret]) => [part, state(secret)]));
}

const WEBHOOK_PATHS = CHANNEL_NAMES.map(webhookPath);

/** Safe to log, because the result contains no text from the visitor. */
export function knownPath(path: string): string | undefined {
  return WEBHOOK_PATHS.includes(path) ? path : declaredPath(path);
}

/** Logs no query, header or body. */
export function refuse(reply: FastifyReply, log: Log, { statusCode, message }: Refusal): FastifyReply {
  const { method, url } = reply.request;
  const [path = ''] = url.split('?');
  // Closes the connection instead of waiting for the rest of the body.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  log.warn(`Refused ${method} ${knownPath(path) ?? '(unknown path)'} with ${statusCode}: ${message}.`);
  return reply.code(statusCode).send({ error: message });
}

/** Browsers send `Sec-Fetch-Site` only on secure connections, but `Origin` with every form. */
export function isFromOurPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  const from = hostOf(origin);
  return from !== undefined && [request.host, publicUrl === undefined ? undefined : hostOf(publicUrl)].includes(from);
}

export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

export const FORM_BYTES_MAX = 64 * 1024;

export async function countIfKnown(count: () => Promise<number>): Promise<number | undefined> {
  try {
    return await count();
  } catch {
    return undefined;
  }
}

export function partsOf({ url }: FastifyRequest): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** Aborted when the visitor leaves. */
export function goneWith({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

export function sendPage(reply: FastifyReply, { status, html }: RenderedPage): FastifyReply {
  return reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(html);
}

const FILE_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export function sendFile(
  reply: FastifyReply,
  { name, format, content }: Omit<Download, 'content'> & { readonly content: Download['content'] | Readable },
): FastifyReply {
  const headers = { ...HEADERS, 'content-disposition': `attachment; filename="${name}.${format}"` };
  return reply
    .headers(headers)
    .type(FILE_TYPES[format])
    .send(content instanceof Uint8Array ? Buffer.from(content) : content);
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
