import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { revokeToken } from '../../src/dashboard/server/access-tokens.ts';
import type { RunProgress } from '../../src/storage/records/runs/run-history.ts';
import { statusServer } from './status-server.ts';

const RUN: RunProgress = {
  id: 7n,
  command: 'report',
  state: 'running',
  startedAt: '2026-11-20T12:00:00Z',
  slices: 40,
  slicesRead: 12,
  rowsRead: 3_412_000n,
};

/** The newest run, and the pauses between polls, which a test ends one by one. */
let live: () => Promise<RunProgress | undefined>;
let polls = 0;
const pauses: { readonly milliseconds: number; readonly end: () => void }[] = [];
let onPause = (): void => undefined;

const server = await statusServer({
  source: {
    live: () => {
      polls += 1;
      return live();
    },
  },
  pause: (stop, milliseconds) =>
    new Promise<void>((end) => {
      pauses.push({ milliseconds, end });
      stop.addEventListener('abort', () => end());
      onPause();
    }),
});

/** Resolves when all listeners are told. */
const told = () =>
  new Promise<void>((found) => {
    onPause = found;
    if (pauses.length > 0) found();
  });

async function nextPoll(): Promise<void> {
  await told();
  const [pause] = pauses.splice(0);
  pause?.end();
  await told();
}

async function listen(headers: Readonly<Record<string, string>>) {
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    // The poll ends when nobody listens.
    pauses.splice(0).forEach(({ end }) => void end());
  });
  const answer = await fetch(`${server.address}/live`, { headers, signal: stop.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    answer,
    async until(words: string): Promise<void> {
      while (!text.includes(words)) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`The stream ended without "${words}": ${text}`);
        text += value ?? '';
      }
    },
    text: () => text,
    ended: () =>
      reader?.read().then(
        ({ done }) => done,
        () => true,
      ),
  };
}

describe('/live', () => {
  it.each<[sentence: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['without a login', {}, 401],
    ['with an invalid token', { authorization: 'Bearer pk_wrong' }, 401],
  ])('tells a visitor %s nothing', async (_sentence, headers, status) => {
    server.token();
    expect((await server.send('/live', { headers })).status).toBe(status);
  });

  it('is not there before the first token, and takes no form', async () => {
    expect((await server.send('/live')).status).toBe(404);
    const { status, headers } = await server.send('/live', { method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('tells each listener once per change, from one poll for all, and ends with the run', async () => {
    live = async () => RUN;
    const cookie = await server.session();
    polls = 0;
    const [one, other] = await Promise.all([listen({ cookie }), listen({ cookie })]);
    expect(one.answer.headers.get('content-type')).toBe('text/event-stream');
    await nextPoll();
    expect(polls).toBe(2);
    const first =
      'data: {"run":"7","ended":false,"text":"Run 7 (report) in progress: 12 of 40 slices read, 3,412,000 rows."}\n\n';
    await Promise.all([one.until(first), other.until(first)]);
    await nextPoll();
    live = async () => ({ ...RUN, state: 'done' });
    await nextPoll();
    await one.until('data: {"run":"7","ended":true,"text":"Run 7 (report) ended: done."}\n\n');
    expect(one.text().split('data: ')).toHaveLength(3);
  });

  it('sends a comment every 20 seconds, so that proxies keep the connection', async () => {
    live = async () => undefined;
    const listener = await listen({ cookie: await server.session() });
    for (let poll = 0; poll < 10; poll += 1) {
      await told();
      expect(pauses[0]?.milliseconds).toBe(2000);
      await nextPoll();
    }
    await listener.until('retry: 5000\n\n:\n\n');
  });

  it('goes on if the progress cannot be read', async () => {
    live = () => Promise.reject(new Error('500 pages are already waiting.'));
    const listener = await listen({ cookie: await server.session() });
    await nextPoll();
    expect(server.log).toContain('Reading the progress of a run failed: 500 pages are already waiting.');
    live = async () => RUN;
    await nextPoll();
    await listener.until('Run 7');
  });

  it('ends at the next poll after the token was revoked', async () => {
    live = async () => undefined;
    const listener = await listen({ cookie: await server.session() });
    await listener.until('retry');
    await told();
    revokeToken(server.tokensPath, 'anna');
    live = async () => RUN;
    await nextPoll();
    expect(await listener.ended()).toBe(true);
    expect(listener.text()).not.toContain('Run 7');
  });

  it('keeps nothing for a reader that does not read, and disconnects it after a minute', async () => {
    const cookie = await server.session();
    const { port } = new URL(server.address);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let slices = 0;
    // A few events fill the buffers between the two.
    const command = 'x'.repeat(3_000_000);
    live = async () => ({ ...RUN, command, slices: ++slices + 100 });
    socket.write(`GET /live HTTP/1.1\r\nhost: ${new URL(server.address).host}\r\ncookie: ${cookie}\r\n\r\n`);
    await once(socket, 'readable');
    socket.pause();
    for (let poll = 0; poll < 36; poll += 1) await nextPoll();
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.on('error', () => undefined);
    socket.resume();
    await once(socket, 'close');
    expect(bytes).toBeLessThan(command.length * 12);
  });

  it('admits 500 listeners, of whom one token has at most 50', async () => {
    live = async () => undefined;
    const cookies: string[] = [];
    for (let person = 0; person < 11; person += 1) {
      cookies.push(await server.session({ name: `person${person}`, role: 'viewer' }));
    }
    const statusOf = async (cookie: string) => {
      const request = get(`${server.address}/live`, { headers: { cookie }, agent: false });
      onTestFinished(() => void request.destroy());
      request.on('error', () => undefined);
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      return answer.statusCode;
    };
    const [last = '', ...others] = cookies;
    for (const cookie of others) {
      const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(cookie)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(await statusOf(cookie)).toBe(503);
    }
    expect(server.log).toContain('Refused GET /live with 503: 50 pages of this token already listen.');
    expect(await statusOf(last)).toBe(503);
    expect(server.log.at(-1)).toBe('Refused GET /live with 503: 500 pages already listen.');
  });
});

describe('/live when the server stops', () => {
  it('ends all streams at once', async () => {
    const stopped = await statusServer({ source: { live: async () => RUN } });
    const cookie = await stopped.session();
    const answer = await fetch(`${stopped.address}/live`, { headers: { cookie } });
    await stopped.close();
    await expect(answer.text()).rejects.toThrow();
  });
});

/** The limit of what a visitor of Explore loads, packed. */
const EXPLORE_BYTES_MAX = 190_000;

describe('/explore.js', () => {
  it('is one script that the browser keeps, packed below its limit', async () => {
    const { headers, body } = await server.send('/explore.js?1234');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'private, max-age=31536000, immutable',
      'Accept-Encoding',
    ]);
    expect(body.length).toBeGreaterThan(EXPLORE_BYTES_MAX);
    expect(gzipSync(body, { level: 9 }).length).toBeLessThan(EXPLORE_BYTES_MAX);
    // Its packages read no text as code.
    expect(body).not.toMatch(/\beval\(|new Function\(/);
    const plain = await server.send('/explore.js', { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), plain.body === body]).toEqual([null, true]);
  });
});

describe('/page.js', () => {
  it('is one script that the browser keeps and never guesses the type of', async () => {
    const { status, headers, body } = await server.send('/page.js?1234');
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'nosniff',
    ]);
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(body).not.toMatch(/innerHTML|eval|insertAdjacentHTML/);
    expect((await server.send('/page.js', { method: 'HEAD' })).status).toBe(200);
  });
});
