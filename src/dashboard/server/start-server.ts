import { STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import rateLimit from '@fastify/rate-limit';
import { type FastifyError, type FastifyInstance, fastify } from 'fastify';
import type { WebhookDeps } from '../../channels/channel.ts';
import { CHANNELS, webhookPath } from '../../channels/channels.ts';
import { InputError } from '../../domain/errors.ts';
import { HEALTH_PATH, linkFrom, PAGES } from '../../domain/pages.ts';
import type { Log } from '../../domain/ports.ts';
import { Refusal } from '../../services/http/received-request.ts';
import type { Keep } from '../../storage/inbox/keep-together.ts';
import type { ExploreSource } from '../explore/explore-source.ts';
import { messagePage } from '../status/message-page.ts';
import type { PageSource, RenderedPage, ScheduleHealth } from '../status/page-source.ts';
import type { TokenStore } from './access-tokens.ts';
import type { RunAct } from './act-route.ts';
import { type AgentSource, agentRoute } from './agent-route.ts';
import { createFormProofs } from './form-proof.ts';
import { linkRoute } from './link-route.ts';
import type { LiveDeps } from './live-route.ts';
import { createLogIn } from './log-in.ts';
import { createMetrics } from './metrics.ts';
import { pageRoutes } from './page-routes.ts';
import { pictureRoute } from './picture-route.ts';
import { countIfKnown, FORM_BYTES_MAX, knownPath, refuse, sendPage, webhooksOn } from './route.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Without a trailing slash. Default: the server's own address. */
  readonly publicUrl: string | undefined;
  /** The secrets of webhooks by their variables. */
  readonly secrets: WebhookDeps['secrets'];
  readonly folder?: string;
  /** Stores the events before the server answers. If storing fails, the provider delivers again. */
  readonly keep: Keep;
  countWaiting(): Promise<number>;
  readonly log: Log;
  /** True if the server trusts the `X-Forwarded-*` headers of the nearest proxy. */
  readonly trustProxy?: boolean;
  readonly pages?: PageOptions | undefined;
  readonly schedule?: (() => Promise<ScheduleHealth>) | undefined;
  readonly requestTimeoutMs?: number;
}

export interface PageOptions {
  readonly source: PageSource;
  readonly tokens: TokenStore;
  nowMs(): number;
  /** Signs addresses of pictures. Undefined if pictures are off. */
  readonly pictureKey?: string | undefined;
  readonly runAct: RunAct;
  /** Undefined if the program that runs queries is not built. */
  readonly explore?: ExploreSource | undefined;
  /** Reads the rows of links. Undefined if links are off. */
  readonly linkRows?: ExploreSource | undefined;
  /** Undefined in a test without agents. */
  readonly agents?: AgentSource | undefined;
  readonly pause: LiveDeps['pause'];
  /** True if the server shows the page with every component. */
  readonly hasKit?: boolean | undefined;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Throws `InputError` if the server cannot listen. */
export async function startServer(options: ServerOptions) {
  const { log, secrets, keep, publicUrl, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const server = fastify({
    bodyLimit: FORM_BYTES_MAX,
    exposeHeadRoutes: false,
    // A percent-encoded name of a file can be so long.
    routerOptions: { maxParamLength: 3 * 255 },
    // Trusts only the nearest proxy, because anybody can write earlier values of the header.
    trustProxy: options.trustProxy === true ? (_address, hop) => hop === 0 : false,
    requestTimeout: requestTimeoutMs,
    http: { connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 5), headersTimeout: requestTimeoutMs },
    keepAliveTimeout: requestTimeoutMs,
    clientErrorHandler: (error: SocketError, socket) => answerUnreadable(error, socket, log),
    frameworkErrors: (_error, _request, reply) => refuse(reply, log, new Refusal(400, 'the address is malformed')),
  });
  let address = '';
  readBodiesRaw(server);
  dropStalledReaders(server, requestTimeoutMs);
  answerErrors(server, options);
  for (const { name, webhook, load } of CHANNELS) {
    const { receiveWebhooks } = await load();
    const own = Object.fromEntries(Object.values(webhook?.parts ?? {}).map((secret) => [secret, secrets[secret]]));
    receiveWebhooks?.(server, {
      path: webhookPath(name),
      keep,
      secrets: own,
      baseUrl: () => publicUrl ?? address,
    });
  }
  healthRoute(server, options);
  if (options.pages) await offerPages(server, options, options.pages, () => address);
  await listen(server, options);
  address = ownAddress(server);
  return {
    address,
    close: (): Promise<void> => server.close(),
  };
}

/** Signatures cover the raw bytes, so bodies are not parsed. */
function readBodiesRaw(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Disconnects a reader that takes nothing of an answer for this time. `/live` limits its readers itself. */
function dropStalledReaders(server: FastifyInstance, timeMs: number): void {
  server.addHook('onSend', async (_request, { raw }, payload) => {
    raw.setTimeout(timeMs, () => raw.destroy());
    return payload;
  });
}

async function offerPages(
  server: FastifyInstance,
  options: ServerOptions,
  pages: PageOptions,
  ownAddress: () => string,
): Promise<void> {
  const { log, publicUrl, countWaiting } = options;
  const { source, tokens, nowMs, pictureKey, runAct, explore, linkRows, agents, pause, hasKit } = pages;
  await server.register(rateLimit, { global: false });
  const logIn = createLogIn(server, { tokens, nowMs, publicUrl, right: 'look' });
  const metrics = createMetrics(countWaiting);
  metrics.countAnswers(server);
  if (pictureKey !== undefined) pictureRoute(server, { source, nowMs, key: pictureKey, log });
  if (linkRows !== undefined) linkRoute(server, { source, rows: linkRows, nowMs, log });
  if (agents !== undefined) agentRoute(server, { agents, tokens, log, publicUrl, ownAddress, nowMs });
  const proofs = createFormProofs(tokens.spent, nowMs);
  await server.register((scope) => {
    oneEachTurn(scope);
    return pageRoutes(scope, { source, logIn, log, metrics, publicUrl, proofs, runAct, explore, pause, hasKit });
  });
}

/** Each turn of the event loop begins one page. So health checks and webhooks do not wait for a crowd of viewers. */
function oneEachTurn(pages: FastifyInstance): void {
  const waiting: (() => void)[] = [];
  const begin = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(begin);
  };
  pages.addHook('onRequest', (_request, _reply, done) => {
    waiting.push(done);
    if (waiting.length === 1) setImmediate(begin);
  });
}

/** A stopped schedule is not a reason to restart the server, so the server still reports healthy. */
function healthRoute(server: FastifyInstance, options: ServerOptions): void {
  server.get(HEALTH_PATH, async (_request, reply) => {
    const { secrets, folder, countWaiting } = options;
    const waiting = (await countIfKnown(countWaiting)) ?? null;
    const ok = waiting !== null;
    const schedule = options.schedule === undefined ? {} : { schedule: await options.schedule() };
    return reply.code(ok ? 200 : 503).send({ ok, folder, webhooks: webhooksOn(secrets), waiting, ...schedule });
  });
}

const METHODS = ['GET', 'HEAD', 'POST'] as const;

/** It says nothing that a stranger may not know. */
function noSuchPage(path: string): RenderedPage {
  const link = { href: linkFrom(path, PAGES.overview.path), words: PAGES.overview.title };
  const sentences = ['This address has no page. It may be mistyped, or from another version.'];
  return messagePage({ status: 404, path, title: 'No such page', sentences, link, isKnown: false });
}

function answerErrors(server: FastifyInstance, { log }: ServerOptions): void {
  server.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?');
    const url = knownPath(path);
    const allowed = METHODS.filter((method) => url !== undefined && server.hasRoute({ method, url })).join(', ');
    const isBrowser = request.method === 'GET' && request.headers.accept?.includes('text/html');
    if (allowed === '' && isBrowser) return sendPage(reply, noSuchPage(path));
    if (allowed === '') return refuse(reply, log, new Refusal(404, 'no such path'));
    reply.header('allow', allowed);
    return refuse(reply, log, new Refusal(405, `expected ${allowed}`));
  });
  server.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // A request that was too slow already has an answer.
    if (request.raw.socket.writableEnded) return reply.hijack();
    if (error instanceof Refusal) return refuse(reply, log, error);
    if (error.statusCode === 413) {
      return refuse(reply, log, new Refusal(413, `the body has more than ${request.routeOptions.bodyLimit} bytes`));
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return refuse(reply, log, new Refusal(error.statusCode, 'the request cannot be read'));
    }
    return refuse(reply, log, new Refusal(503, `handling the request failed: ${error.code ?? error.name}`));
  });
}

const ADDRESS_MISTAKES: readonly string[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];
const HOST_STEP = 'Set SERVE_HOST to 127.0.0.1, or to 0.0.0.0 for all addresses of this machine.';
const PORT_STEP = 'Set SERVE_PORT to another port, or to 0 for any free one.';

async function listen(server: FastifyInstance, { host, port }: ServerOptions): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    await server.close();
    const { code, message } = cause as NodeJS.ErrnoException;
    const isAddress = code !== undefined && ADDRESS_MISTAKES.includes(code);
    const [reason, expected, nextStep] = isAddress
      ? ['an unknown address', 'an address of this machine', HOST_STEP]
      : [code === 'EADDRINUSE' ? 'a port in use' : message, 'a free port', PORT_STEP];
    throw new InputError(`Listening on ${host}:${port} failed: found ${reason}, expected ${expected}.`, {
      nextStep,
      cause,
    });
  }
}

function ownAddress(server: FastifyInstance): string {
  const { address, family, port } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

type SocketError = Error & { readonly code?: string };

const REASONS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too long'],
};

function answerUnreadable({ code = '' }: SocketError, socket: Socket, log: Log): void {
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, reason] = REASONS[code] ?? [400, 'the request is not HTTP'];
  log.warn(`Refused a request with ${status}: ${reason}.`);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: reason });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy());
}
