import { STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import { type FastifyError, type FastifyInstance, fastify } from 'fastify';
import { InputError } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';
import { declaredPath, HEALTH_PATH } from '../html/pages.ts';
import type { Keep } from '../inbox/keep-together.ts';
import type { PageSource, ScheduleHealth } from '../pages/status/page-source.ts';
import { graphRoutes } from './graph-routes.ts';
import { createLogIn } from './log-in.ts';
import { messagesRoute } from './messages-route.ts';
import { createMetrics } from './metrics.ts';
import { pageRoutes } from './page-routes.ts';
import { FORM_BYTES_MAX, Refusal, type RouteDeps, refuse, type WebhookSecrets, webhooksOn } from './route.ts';

export interface ServerOptions {
  /** An address of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The address at which the providers reach us, without a trailing slash; undefined when it is the one listened on. */
  readonly publicUrl: string | undefined;
  readonly secrets: WebhookSecrets;
  /** What tells the folder that is served from others; absent where nobody asks. */
  readonly folder?: string;
  /** Called before a webhook is answered. What it throws becomes 503, and the provider delivers again. */
  readonly keep: Keep;
  /** How many events wait to be handled; throws when that cannot be told. */
  countWaiting(): number;
  readonly log: Log;
  /** A proxy stands in front: its `X-Forwarded-*` headers are believed, and nobody else's. */
  readonly trustProxy?: boolean;
  /** The status page and `/metrics`; absent for neither. */
  readonly pages?: PageOptions | undefined;
  /** What the scheduler last said of itself; absent where nobody looks. */
  readonly schedule?: (() => Promise<ScheduleHealth>) | undefined;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestTimeoutMs?: number;
}

export interface PageOptions {
  readonly source: PageSource;
  /** The file of those who may look. */
  readonly tokensPath: string;
  /** The time, milliseconds. */
  nowMs(): number;
}

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Receives webhooks: proves where each comes from, keeps what it says, and only then answers. Nobody acts on anything here.
 * Throws `InputError` when the address cannot be listened on.
 */
export async function startServer(options: ServerOptions) {
  const { log, secrets, keep, publicUrl, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const server = fastify({
    bodyLimit: FORM_BYTES_MAX,
    exposeHeadRoutes: false,
    // The one proxy that we know of is who speaks to us; what stands before it in a header anybody may have written.
    trustProxy: options.trustProxy === true ? (_address, hop) => hop === 0 : false,
    requestTimeout: requestTimeoutMs,
    // How often Node looks for requests that take too long.
    http: { connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 5), headersTimeout: requestTimeoutMs },
    keepAliveTimeout: requestTimeoutMs,
    clientErrorHandler: (error: SocketError, socket) => answerUnreadable(error, socket, log),
    frameworkErrors: (_error, _request, reply) => refuse(reply, log, new Refusal(400, 'the address is malformed')),
  });
  let address = '';
  const deps: RouteDeps = { keep, secrets, baseUrl: () => publicUrl ?? address };
  readBodiesRaw(server);
  answerErrors(server, options);
  graphRoutes(server, deps);
  messagesRoute(server, deps);
  healthRoute(server, options);
  if (options.pages) await offerPages(server, options, options.pages);
  await listen(server, options);
  address = addressOf(server);
  return {
    /** `http://127.0.0.1:4020`. */
    address,
    /** Answers what has arrived and takes nothing more. */
    close: (): Promise<void> => server.close(),
  };
}

/** A signature is of the bytes as they came, whatever the sender calls them. */
function readBodiesRaw(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Its cookies are nothing to webhooks: they are read for pages alone. */
async function offerPages(server: FastifyInstance, options: ServerOptions, pages: PageOptions): Promise<void> {
  const { log, publicUrl, countWaiting } = options;
  const { source, tokensPath, nowMs } = pages;
  await server.register(rateLimit, { global: false });
  const logIn = createLogIn(server, { tokensPath, nowMs, publicUrl });
  const metrics = createMetrics(countWaiting);
  metrics.countAnswers(server);
  await server.register((scope) => pageRoutes(scope, { source, logIn, log, metrics, publicUrl }));
}

/**
 * `GET /health`: whether this process can do its work. The scheduler is told of and is no part of that: it would not run again
 * for it, if this process were ended.
 */
function healthRoute(server: FastifyInstance, options: ServerOptions): void {
  server.get(HEALTH_PATH, async (_request, reply) => {
    const { secrets, folder } = options;
    const waiting = waitingOrNull(options);
    const ok = waiting !== null;
    const schedule = options.schedule === undefined ? {} : { schedule: await options.schedule() };
    return reply.code(ok ? 200 : 503).send({ ok, folder, webhooks: webhooksOn(secrets), waiting, ...schedule });
  });
}

function waitingOrNull({ countWaiting }: ServerOptions): number | null {
  try {
    return countWaiting();
  } catch {
    return null;
  }
}

const METHODS = ['GET', 'HEAD', 'POST'] as const;

function answerErrors(server: FastifyInstance, { log }: ServerOptions): void {
  server.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?');
    const url = declaredPath(path);
    const allowed = METHODS.filter((method) => url !== undefined && server.hasRoute({ method, url })).join(', ');
    if (allowed === '') return refuse(reply, log, new Refusal(404, 'there is nothing at this path'));
    reply.header('allow', allowed);
    return refuse(reply, log, new Refusal(405, `expected ${allowed}`));
  });
  server.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // It took too long and was told so.
    if (request.raw.socket.writableEnded) return reply.hijack();
    if (error instanceof Refusal) return refuse(reply, log, error);
    if (error.statusCode === 413) {
      return refuse(reply, log, new Refusal(413, `the body has more than ${request.routeOptions.bodyLimit} bytes`));
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return refuse(reply, log, new Refusal(error.statusCode, 'the request cannot be read'));
    }
    return refuse(reply, log, new Refusal(503, `it could not be kept: ${error.code ?? error.name}`));
  });
}

const ADDRESS_MISTAKES: readonly string[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];
const HOST_STEP = 'Set SERVE_HOST to 127.0.0.1, or to 0.0.0.0 for every address of this machine.';
const PORT_STEP = 'Name another port with SERVE_PORT, or 0 for any free one.';

async function listen(server: FastifyInstance, { host, port }: ServerOptions): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    await server.close();
    const { code, message } = cause as NodeJS.ErrnoException;
    const isAddress = code !== undefined && ADDRESS_MISTAKES.includes(code);
    const [reason, expected, nextStep] = isAddress
      ? ['this machine has no such address', 'an address of this machine', HOST_STEP]
      : [code === 'EADDRINUSE' ? 'the port is in use' : message, 'a free port', PORT_STEP];
    throw new InputError(`Listening on ${host}:${port} failed; found that ${reason}, expected ${expected}.`, {
      nextStep,
      cause,
    });
  }
}

function addressOf(server: FastifyInstance): string {
  const { address, family, port } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** What Node says of a request that it gave up reading. */
type SocketError = Error & { readonly code?: string };

const REASONS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'it took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'its headers are too long'],
};

/** Answers a request that never became whole, and ends its connection. */
function answerUnreadable({ code = '' }: SocketError, socket: Socket, log: Log): void {
  // Who went away waits for no answer.
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, reason] = REASONS[code] ?? [400, 'it is not HTTP'];
  log.warn(`Refused a request with ${status}: ${reason}.`);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: reason });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy());
}
