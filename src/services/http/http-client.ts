import { isIP, type LookupFunction } from 'node:net';
import { createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, request } from 'undici';
import type { ProxySettings } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import { givenUp, proxyRefusal, type ServicePlace, transportFailure } from './classify-failure.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly url: string;
  /** Connects only to these IP addresses. Has no effect behind a proxy, which resolves names itself. */
  readonly addresses?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with a content length, never chunked (requirement B9). */
  readonly body?: string | undefined;
  readonly stop?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names are in lower case. Repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. Read to the end, or call {@link HttpAnswer.discard}. */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

export interface HttpClient {
  /** Returns an answer with any status. Throws `ApiError` if there is no complete answer. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface HttpTimeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyIdleMs: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = { connectMs: 10_000, headersMs: 120_000, bodyIdleMs: 60_000 };

/** Limits every wait to `totalMs`, or to one second if `totalMs` is shorter. */
export function timeoutsWithin(
  totalMs: number,
  chosen: { readonly [Wait in keyof HttpTimeouts]?: number | undefined } = {},
): HttpTimeouts {
  const bound = Math.max(1000, totalMs);
  const within = (wait: keyof HttpTimeouts) => Math.min(chosen[wait] ?? DEFAULT_TIMEOUTS[wait], bound);
  return { connectMs: within('connectMs'), headersMs: within('headersMs'), bodyIdleMs: within('bodyIdleMs') };
}

export interface Network {
  readonly proxy?: ProxySettings | undefined;
  /** In PEM format: all authorities that are trusted. Undefined: those that Node trusts. */
  readonly authorities?: readonly string[] | undefined;
}

/** Never follows redirects, because they could leak tokens. */
export function createHttpClient(
  timeouts: HttpTimeouts = DEFAULT_TIMEOUTS,
  { proxy, authorities }: Network = {},
  stopAll?: AbortSignal,
): HttpClient {
  const connect = { timeout: timeouts.connectMs, ...(authorities && { ca: [...authorities] }) };
  const direct = new Agent({ connect });
  const proxied = proxy && createProxyAgent(connect, proxy);
  return {
    async send({ method, url, headers, body, addresses, stop = stopAll }) {
      const target = new URL(url);
      const address = proxy && proxyFor(target, proxy);
      const service = { host: target.host, proxy: address && new URL(address).host };
      const pinned = addresses && address === undefined ? createPinnedAgent(connect, addresses) : undefined;
      try {
        const answer = await request(url, {
          method,
          dispatcher: pinned ?? (address === undefined ? undefined : proxied) ?? direct,
          headersTimeout: timeouts.headersMs,
          bodyTimeout: timeouts.bodyIdleMs,
          signal: stop ?? null,
          headers: { ...headers, 'accept-encoding': 'gzip' },
          body: body ?? null,
        });
        if (answer.statusCode === 407) {
          answer.body.on('error', () => undefined).destroy();
          throw proxyRefusal(407, service);
        }
        const answerHeaders = Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
        );
        const zipped = answerHeaders['content-encoding'] === 'gzip';
        return {
          status: answer.statusCode,
          headers: answerHeaders,
          body: readBody(answer.body, zipped, timeouts.bodyIdleMs, service, stop),
          discard: () => answer.body.on('error', () => undefined).destroy(),
        };
      } catch (cause) {
        if (cause instanceof ApiError) throw cause;
        throw stop?.aborted ? givenUp(service, cause) : transportFailure(cause, service);
      } finally {
        void pinned?.close();
      }
    },
    close: async () => {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

interface Connecting {
  readonly timeout: number;
  readonly ca?: string[];
}

function proxyFor(target: URL, { http, https, bypass }: ProxySettings): string | undefined {
  return isBypassed(target, bypass) ? undefined : target.protocol === 'https:' ? https : http;
}

function createPinnedAgent(connect: Connecting, addresses: readonly string[]): Dispatcher {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_, { all }, answer) => {
    if (all) answer(null, found);
    else answer(null, found[0]?.address ?? '', found[0]?.family);
  };
  return new Agent({ connect: { ...connect, lookup } });
}

/** Sets every option, because undici reads missing options from the environment. */
function createProxyAgent(connect: Connecting, { http, https }: ProxySettings): Dispatcher {
  return new EnvHttpProxyAgent({
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: '',
    proxyTunnel: false,
    connect,
    proxyTls: connect,
    requestTls: connect,
    // Limit the wait for a silent proxy, because a tunnel is part of connecting.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connect.timeout }),
  });
}

async function* readBody(
  raw: NodeJS.ReadableStream & { destroy(): void },
  zipped: boolean,
  idleMs: number,
  service: ServicePlace,
  stop: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const gunzip = zipped ? createGunzip() : undefined;
  // `pipe` does not pass on errors, so end `gunzip` explicitly.
  if (gunzip) raw.once('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  try {
    yield* refuseDripping(gunzip ?? raw, idleMs);
  } catch (cause) {
    throw stop?.aborted ? givenUp(service, cause) : transportFailure(cause, service);
  } finally {
    raw.destroy();
    gunzip?.destroy();
  }
}

export function jsonBody(value: unknown): {
  readonly type: Readonly<Record<string, string>>;
  readonly text?: string | undefined;
} {
  return value === undefined
    ? { type: {} }
    : { type: { 'content-type': 'application/json' }, text: JSON.stringify(value) };
}

export function basicAuthorization({ username, password }: { readonly username: string; readonly password: string }) {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

export function isSuccess({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 200 && status < 300;
}

export async function readText(answer: HttpAnswer, limitBytes: number): Promise<string> {
  return (await readBytes(answer, limitBytes)).toString('utf8');
}

export async function readBytes(answer: HttpAnswer, limitBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    parts.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= limitBytes) break;
  }
  return Buffer.concat(parts).subarray(0, limitBytes);
}

/** Entries of `bypass` are `example.com`, `.example.com:8080` or `*`. Each host includes its subdomains. */
export function isBypassed({ protocol, hostname, port }: URL, bypass: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const at = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return bypass
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const { host, wanted } = splitEntry(entry);
      return (wanted === undefined || wanted === at) && (name === host || name.endsWith(`.${host}`));
    });
}

/** An IPv6 address needs brackets before a port, because it contains colons. */
function splitEntry(entry: string): { readonly host: string; readonly wanted: string | undefined } {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry);
  const host = match?.[1] ?? match?.[2] ?? entry;
  return { host: host.toLowerCase().replace(/^\*?\./, ''), wanted: match?.[3] };
}

const BYTES_PER_WAIT_MIN = 256;
/** A few slow waits are normal: a proxy can delay data, or this thread can be busy. */
const SLOW_IN_A_ROW = 3;

/** Throws `BODY_TOO_SLOW` for a very slow body, which no idle timeout detects. */
export async function* refuseDripping(
  chunks: AsyncIterable<unknown>,
  idleMs: number,
  nowMs: () => number = () => performance.now(),
): AsyncGenerator<Uint8Array> {
  let waitedMs = 0;
  let bytes = 0;
  let slow = 0;
  let askedMs = nowMs();
  for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
    if (slow === SLOW_IN_A_ROW) throw new DrippingBody();
    waitedMs += nowMs() - askedMs;
    bytes += chunk.byteLength;
    if (waitedMs >= idleMs) {
      slow = bytes < BYTES_PER_WAIT_MIN ? slow + 1 : 0;
      waitedMs = 0;
      bytes = 0;
    }
    yield chunk;
    askedMs = nowMs();
  }
}

class DrippingBody extends Error {
  readonly code = 'BODY_TOO_SLOW';

  constructor() {
    super(`Fewer than ${BYTES_PER_WAIT_MIN} bytes arrived within the time limit, ${SLOW_IN_A_ROW} times in a row.`);
  }
}
