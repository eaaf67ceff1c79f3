import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type HttpAnswer, readText, timeoutsWithin } from '../../src/services/http/http-client.ts';
import { byEffort, sample } from '../support/effort.ts';
import { stubServer } from '../support/stub-server.ts';
import { failureOf, testClient } from './test-client.ts';

const TEXT = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ index, text: `schön ${index * 7919}` })));
const GZIP = { 'content-encoding': 'gzip' };
const TINY = { connectMs: 1_000, headersMs: 40, bodyIdleMs: 40 };

type Respond = (response: ServerResponse) => void;

async function get(respond: Respond, timeouts?: typeof TINY): Promise<HttpAnswer> {
  const { url } = await stubServer((_, response) => respond(response));
  return testClient(timeouts).send({ method: 'GET', url: `${url}/path?a=1`, headers: {} });
}

const getText = async (respond: Respond, timeouts?: typeof TINY) => readText(await get(respond, timeouts), 1e9);

/** Begins a body and closes the connection once what was written has left. */
function breakOff(headers: Readonly<Record<string, string | number>>, start: string | Uint8Array): Respond {
  return (response) => {
    response.writeHead(200, { ...headers }).write(start);
    setImmediate(() => response.socket?.destroySoon());
  };
}

describe('a request', () => {
  it('connects to the given addresses without resolving the name again', async () => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(204).end());
    const named = url.replace('127.0.0.1', 'media.invalid');
    const http = testClient();
    const answer = await http.send({ method: 'HEAD', url: named, headers: {}, addresses: ['127.0.0.1'] });
    answer.discard();
    expect([answer.status, requests[0]?.method, requests[0]?.headers.host]).toEqual([204, 'HEAD', new URL(named).host]);
    expect(await failureOf(http.send({ method: 'HEAD', url: named, headers: {} }))).toMatchObject({
      outcome: 'not_processed',
    });
  });

  it('B9: arrives unchanged, with a content length and never chunked', async () => {
    const { url, requests } = await stubServer((_, response) => response.end());
    const headers = { 'content-type': 'application/json', 'x-a': '1' };
    await testClient().send({ method: 'POST', url: `${url}/v21/a:b?c=d`, headers, body: '{"a":"schön"}' });
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v21/a:b?c=d',
        body: '{"a":"schön"}',
        headers: { ...headers, 'content-length': '14', 'accept-encoding': 'gzip' },
      },
    ]);
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('B9: an empty body has a content length, too', async () => {
    const { url, requests } = await stubServer((_, response) => response.end());
    await testClient().send({ method: 'POST', url, headers: {}, body: '' });
    expect(requests[0]?.headers['content-length']).toBe('0');
  });
});

describe('an answer', () => {
  it.each(sample([200, 204, 302, 404, 500]))('of any status is an answer: %i', async (status) => {
    const answer = await get((response) => response.writeHead(status).end());
    expect(answer.status).toBe(status);
    expect(await readText(answer, 100)).toBe('');
  });

  it('with a redirect is not followed: that would leak tokens', async () => {
    const elsewhere = await stubServer((_, response) => response.end());
    const answer = await get((response) => response.writeHead(307, { location: elsewhere.url }).end());
    expect(answer).toMatchObject({ status: 307, headers: { location: elsewhere.url } });
    expect(elsewhere.requests).toEqual([]);
  });

  it('has lower-case header names, repeated ones joined', async () => {
    const { headers } = await get((response) => response.writeHead(200, { 'Request-Id': 'r1', Via: ['a', 'b'] }).end());
    expect(headers).toMatchObject({ 'request-id': 'r1', via: 'a, b' });
  });

  it('is decompressed if needed', async () => {
    expect(await getText((response) => response.writeHead(200, GZIP).end(gzipSync(TEXT)))).toBe(TEXT);
  });

  it('arrives unchanged if not compressed', async () => {
    expect(await getText((response) => response.end(TEXT))).toBe(TEXT);
  });

  it('is read as text up to a limit', async () => {
    let whole: Promise<boolean> | undefined;
    const answer = await get((response) => {
      whole = closed(response);
      response.write('x'.repeat(100_000));
    });
    expect(await readText(answer, 10)).toBe('xxxxxxxxxx');
    expect(await whole).toBe(false);
  });
});

describe('an answer that breaks off', () => {
  const zipped = gzipSync(TEXT);
  const broken = { name: 'ApiError', outcome: 'unknown', transient: true };

  it.each(
    sample<[string, string, Respond]>([
      ['is shorter than announced', 'UND_ERR_SOCKET', breakOff({ 'content-length': 100 }, 'abc')],
      ['lacks its last chunk', 'UND_ERR_SOCKET', breakOff({}, 'abc')],
      ['is compressed and loses its connection', 'UND_ERR_SOCKET', breakOff(GZIP, zipped.subarray(0, 20_000))],
      ['never began', 'ECONNRESET', (response) => void response.socket?.resetAndDestroy()],
      ['was closed before it began', 'UND_ERR_SOCKET', (response) => void response.socket?.destroySoon()],
      [
        'is not HTTP in the middle',
        'HPE_INVALID',
        (response) => {
          response.writeHead(200).write('abc');
          setImmediate(() => response.socket?.write('no size\r\n'));
        },
      ],
      ['is not HTTP at all', 'HPE_INVALID', (response) => void response.socket?.write('SSH-2.0\r\n')],
      ['is compressed and damaged', 'Z_DATA_ERROR', (response) => void response.writeHead(200, GZIP).end('not gzip')],
    ]),
  )('%s: %s', async (_, status, respond) => {
    expect(await failureOf(getText(respond))).toMatchObject({ ...broken, status });
  });

  it.each(sample([0, 1, 9, 10, 11, 1000, zipped.length >> 1, zipped.length - 9, zipped.length - 8, zipped.length - 1]))(
    'is compressed and ends cleanly after %i bytes: that is an error, not an end',
    async (length) => {
      const respond: Respond = (response) => response.writeHead(200, GZIP).end(zipped.subarray(0, length));
      expect(await failureOf(getText(respond))).toMatchObject({ ...broken, status: 'Z_BUF_ERROR' });
    },
  );

  it('yields its data before the failure', async () => {
    const answer = await get(breakOff({ 'content-length': 100 }, 'abc'));
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
    })();
    expect((await failureOf(reading)).message).toContain('the connection was closed early (UND_ERR_SOCKET)');
    expect(text).toBe('abc');
  });
});

describe('waiting', () => {
  it('for headers ends after the time limit', async () => {
    const error = await failureOf(get(() => undefined, TINY));
    expect(error).toMatchObject({ status: 'UND_ERR_HEADERS_TIMEOUT', outcome: 'unknown', transient: true });
  });

  it.each(
    sample([
      ['', {}],
      [' of a compressed one', GZIP],
    ]),
  )('for the next piece of a body%s ends after the time allowed', async (_, headers) => {
    const start = 'content-encoding' in headers ? gzipSync(TEXT).subarray(0, 5_000) : 'abc';
    const error = await failureOf(getText((response) => response.writeHead(200, headers).write(start), TINY));
    expect(error).toMatchObject({ status: 'UND_ERR_BODY_TIMEOUT', outcome: 'unknown', transient: true });
  });
});

describe('an answer that arrives byte by byte', () => {
  /** One byte after the other for as long as somebody reads, each in a packet of its own. */
  const dripping: Respond = (response) => {
    response.writeHead(200);
    const more = () => {
      if (!response.destroyed) response.write('x', () => setImmediate(more));
    };
    more();
  };

  it('is aborted, even if no single wait was too long', async () => {
    const error = await failureOf(getText(dripping, { ...TINY, bodyIdleMs: 1 }));
    expect(error).toMatchObject({ status: 'BODY_TOO_SLOW', outcome: 'unknown', transient: true });
  });

  it('is accepted if it arrives in time', async () => {
    const respond: Respond = (response) => {
      response.writeHead(200, { 'content-length': 3 });
      for (const byte of 'abc') response.write(byte);
    };
    expect(await getText(respond)).toBe('abc');
  });
});

describe('no connection', () => {
  it('proves that nothing was processed', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const error = await failureOf(testClient().send({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} }));
    expect(error).toMatchObject({ status: 'ECONNREFUSED', outcome: 'not_processed', transient: true });
  });

  it('is made for an invalid header, and its value is not in the error', async () => {
    const { url, requests } = await stubServer((_, response) => response.end());
    const sending = testClient().send({ method: 'GET', url, headers: { authorization: 'Bearer to\nken' } });
    const error = await failureOf(sending);
    expect(error).toMatchObject({ status: 'UND_ERR_INVALID_ARG', outcome: 'not_processed', transient: false });
    expect(error.message).not.toContain('ken');
    expect(requests).toEqual([]);
  });
});

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const ZIPPED_CHUNK = gzipSync(randomBytes(64 * 1024));
/** More than all buffers on the way hold. */
const CHUNKS = byEffort({ quick: 600, thorough: 1_500 });

/** Sends the chunk again and again, as fast as it is taken. Compressed members may follow one another. */
function pour(response: ServerResponse, chunk = CHUNK): { readonly sent: () => number } {
  let sent = 0;
  const more = () => {
    let taken = true;
    while (taken && sent < CHUNKS && !response.destroyed) {
      taken = response.write(chunk);
      sent++;
    }
    if (sent === CHUNKS && !response.writableEnded) response.end();
  };
  response.on('drain', more);
  more();
  return { sent: () => sent };
}

/** Lets everything that can happen happen: until the number has stood still for many turns of the event loop. */
async function settled(number: () => number): Promise<number> {
  let last = number();
  let still = 0;
  while (still < 500) {
    await new Promise((next) => setImmediate(next));
    still = number() === last ? still + 1 : 0;
    last = number();
  }
  return last;
}

/** Whether the connection closed only after the whole answer had left. */
function closed(response: ServerResponse): Promise<boolean> {
  return once(response, 'close').then(() => response.writableFinished);
}

describe('a reader that stops', () => {
  it.each(
    sample([
      ['', {}, CHUNK],
      [' by way of decompression', GZIP, ZIPPED_CHUNK],
    ]),
  )('B14: holds the service up%s, and then reads on to the end', async (_, headers, chunk) => {
    let sent = () => 0;
    const answer = await get((response) => {
      sent = pour(response.writeHead(200, headers), chunk).sent;
    });
    const reading = answer.body[Symbol.asyncIterator]();
    await reading.next();
    expect(await settled(() => sent())).toBeLessThan(CHUNKS / 2);
    while (!(await reading.next()).done);
    expect(sent()).toBe(CHUNKS);
  });

  it.each(
    sample([
      ['', {}, Buffer.from(TEXT)],
      [' of a compressed one', GZIP, gzipSync(TEXT)],
    ]),
  )('before the end%s closes the connection', async (_, headers, start) => {
    let whole: Promise<boolean> | undefined;
    const answer = await get((response) => {
      whole = closed(response);
      response.writeHead(200, headers).write(start);
    });
    for await (const chunk of answer.body) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
    expect(await whole).toBe(false);
  });

  it('before the beginning discards the answer, which closes the connection', async () => {
    let whole: Promise<boolean> | undefined;
    const answer = await get((response) => {
      whole = closed(response);
      pour(response);
    });
    answer.discard();
    expect(await whole).toBe(false);
  });

  it('leaves the client fit for the next request', async () => {
    const { url } = await stubServer((request, response) => {
      if (request.path === '/small') response.end('small');
      else pour(response);
    });
    const http = testClient();
    for (let round = 0; round < 3; round++) {
      (await http.send({ method: 'GET', url: `${url}/large`, headers: {} })).discard();
      const answer = await http.send({ method: 'GET', url: `${url}/small`, headers: {} });
      expect(await readText(answer, 100)).toBe('small');
    }
  });
});

describe('timeouts', () => {
  it.each(
    sample([
      ['the defaults', 300_000, {}, [10_000, 120_000, 60_000]],
      ['the chosen values', 300_000, { connectMs: 5, bodyIdleMs: 90_000 }, [5, 120_000, 90_000]],
      ['no more than the retry budget', 20_000, { headersMs: 25_000 }, [10_000, 20_000, 20_000]],
      ['at least one second', 0, { connectMs: 5 }, [5, 1_000, 1_000]],
    ]),
  )('is %s', (_, totalMs, chosen, [connectMs, headersMs, bodyIdleMs]) => {
    expect(timeoutsWithin(totalMs, chosen)).toEqual({ connectMs, headersMs, bodyIdleMs });
  });
});
