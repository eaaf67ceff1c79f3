import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../domain/ports.ts';
import { loggedPath } from '../html/pages.ts';
import type { Keep } from '../inbox/keep-together.ts';

/** What proves where a webhook comes from. */
export interface WebhookSecrets {
  readonly graphApp: string | undefined;
  readonly graphVerify: string | undefined;
  readonly messages: string | undefined;
}

/** A route without its secret is off: nobody could tell who speaks there. */
export function webhooksOn({ graphApp, graphVerify, messages }: WebhookSecrets): Readonly<Record<string, string>> {
  return {
    graph: graphApp === undefined ? 'off: GRAPH_APP_SECRET is not set' : 'on',
    graph_verification: graphVerify === undefined ? 'off: GRAPH_VERIFY_TOKEN is not set' : 'on',
    messages: messages === undefined ? 'off: MESSAGES_PASSWORD is not set' : 'on',
  };
}

/** Why a request is not taken. The reason is logged and answered: it holds nothing of what was sent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly statusCode: number;

  constructor(statusCode: number, reason: string) {
    super(reason);
    this.statusCode = statusCode;
  }
}

/** Answers with the reason, and leaves a line in the log without anything of the query, the headers or the body. */
export function refuse(reply: FastifyReply, log: Log, { statusCode, message }: Refusal): FastifyReply {
  const { method, url } = reply.request;
  const [path = ''] = url.split('?');
  // The rest of the body is not waited for.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  log.warn(`Refused ${method} ${loggedPath(path)} with ${statusCode}: ${message}.`);
  return reply.code(statusCode).send({ error: message });
}

/**
 * Reads a form's bytes. What cannot be decoded stands as it was sent, and `isWhole` says so: a signature is made of what
 * the sender meant, and is checked before anything is done with the form.
 */
export function readForm(body: Uint8Array): { readonly fields: URLSearchParams; readonly isWhole: boolean } {
  const text = Buffer.from(body).toString('utf8');
  return { fields: new URLSearchParams(text), isWhole: text.split('&').every(isDecodable) };
}

/** Whether a form has more than `max` fields, found without reading them: who sends it has proven nothing yet. */
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

/**
 * Whether a form was sent by a page of ours, as the browser says. Browsers tell it by `Sec-Fetch-Site` where the connection is
 * safe, and by `Origin` with every form; who tells neither is no browser, and has no form of ours.
 */
export function isFromOurPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  const from = hostOf(origin);
  return from !== undefined && [request.host, publicUrl === undefined ? undefined : hostOf(publicUrl)].includes(from);
}

/** Host and port; undefined for what is no address, such as `null`. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** A form tells of one message: this is several times what the longest text takes. */
export const FORM_BYTES_MAX = 64 * 1024;

/** Area A puts what happened in a while into one body of up to 3 MB. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** What a route works with. */
export interface RouteDeps {
  readonly keep: Keep;
  readonly secrets: WebhookSecrets;
  /** The address that was signed, without path and query. */
  baseUrl(): string;
}

/** The body's bytes; none where none was sent. */
export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
