import { createGunzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { transportFailure } from './classify-failure.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with its content length, never chunked (requirement B9). */
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; a repeated header's values joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed bytes as they arrive. Read it to the end or call {@link HttpAnswer.discard}. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives the connection up without reading the rest. */
  discard(): void;
}

export interface HttpClient {
  /** Any status is an answer. Throws `ApiError` when there is none, or when the body breaks off while it is read. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Milliseconds to connect, until the headers arrive, and between two pieces of the body. */
export interface HttpTimeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyIdleMs: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = { connectMs: 10_000, headersMs: 120_000, bodyIdleMs: 60_000 };

/** The usual waits, cut to what the retries may take in all: a service that hangs cannot outlast them. */
export function timeoutsWithin(totalMs: number): HttpTimeouts {
  const bound = Math.max(1000, totalMs);
  const { connectMs, headersMs, bodyIdleMs } = DEFAULT_TIMEOUTS;
  return {
    connectMs: Math.min(connectMs, bound),
    headersMs: Math.min(headersMs, bound),
    bodyIdleMs: Math.min(bodyIdleMs, bound),
  };
}

/** Connections are kept and reused; gzip is asked for and undone; redirects are not followed, they would carry tokens away. */
export function createHttpClient(timeouts: HttpTimeouts = DEFAULT_TIMEOUTS): HttpClient {
  const agent = new Agent({
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyIdleMs,
  });
  return {
    async send({ method, url, headers, body }) {
      const service = new URL(url).host;
      try {
        const answer = await request(url, {
          method,
          dispatcher: agent,
          headers: { ...headers, 'accept-encoding': 'gzip' },
          ...(body === undefined ? {} : { body }),
        });
        const flat = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
        const answerHeaders = Object.fromEntries(flat);
        const zipped = answerHeaders['content-encoding'] === 'gzip';
        return {
          status: answer.statusCode,
          headers: answerHeaders,
          body: readBody(answer.body, zipped, service),
          discard: () => answer.body.on('error', () => undefined).destroy(),
        };
      } catch (cause) {
        throw transportFailure(cause, service);
      }
    },
    close: () => agent.destroy(),
  };
}

async function* readBody(
  raw: NodeJS.ReadableStream & { destroy(): void },
  zipped: boolean,
  service: string,
): AsyncGenerator<Uint8Array> {
  const gunzip = zipped ? createGunzip() : undefined;
  // A broken connection reaches the reader only through the last stream of the chain.
  if (gunzip) raw.once('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  try {
    for await (const chunk of gunzip ?? raw) yield chunk as Uint8Array;
  } catch (cause) {
    throw transportFailure(cause, service);
  } finally {
    raw.destroy();
    gunzip?.destroy();
  }
}

/** The body as text, at most `limitBytes` of it; for error pages and small answers. */
export async function readText(answer: HttpAnswer, limitBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    parts.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= limitBytes) break;
  }
  return Buffer.concat(parts).subarray(0, limitBytes).toString('utf8');
}
