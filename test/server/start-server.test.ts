import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BATCH_BYTES_MAX } from '../../src/channels/graph/receive-webhooks.ts';
import { FORM_BYTES_MAX } from '../../src/dashboard/server/route.ts';
import { startServer } from '../../src/dashboard/server/start-server.ts';
import { toldLog } from '../support/told-log.ts';
import { GRAPH_MESSAGE, graphBody, INBOUND, METADATA, SECRETS, webhookWorld } from './webhook-client.ts';

const GRAPH_HEADERS = `x-hub-signature-256: sha256=${'0'.repeat(64)}\r\n`;
const FORM_HEADERS = `content-type: application/x-www-form-urlencoded\r\nx-twilio-signature: ${'A'.repeat(27)}=\r\n`;

describe('the webhook server', () => {
  it('shows routes and waiting events at /health, but no secret', async () => {
    const { send, graph } = await webhookWorld({ secrets: { ...SECRETS, GRAPH_VERIFY_TOKEN: undefined } });
    await graph(graphBody(GRAPH_MESSAGE));
    const { status, body } = await send('/health');
    expect([status, JSON.parse(body)]).toEqual([
      200,
      {
        ok: true,
        webhooks: { graph: 'on', graph_verification: 'off: GRAPH_VERIFY_TOKEN is not set', messages: 'on' },
        waiting: 1,
      },
    ]);
    for (const secret of Object.values(SECRETS)) expect(body).not.toContain(secret);
  });

  it('reports an unreadable inbox at /health', async () => {
    const countWaiting = () => {
      throw new Error('disk I/O error');
    };
    const { send } = await webhookWorld({ countWaiting });
    const { status, body } = await send('/health');
    expect([status, JSON.parse(body)]).toMatchObject([503, { ok: false, waiting: null }]);
  });

  it.each<[sentence: string, path: string, method: string, status: number, allow: string | null]>([
    ['nothing at the root', '/', 'GET', 404, null],
    ['nothing below a webhook', '/webhooks/graph/x', 'POST', 404, null],
    ['no GET of messages', '/webhooks/messages', 'GET', 405, 'POST'],
    ['no DELETE of a webhook', '/webhooks/graph', 'DELETE', 405, 'GET, POST'],
    ['no POST of /health', '/health', 'POST', 405, 'GET'],
    ['no malformed address', '/%zz', 'GET', 400, null],
  ])('offers %s', async (_sentence, path, method, status, allow) => {
    const { send, log } = await webhookWorld();
    expect(await send(`${path}?token=secret-of-somebody`, { method })).toMatchObject({ status, allow });
    expect(log).toHaveLength(1);
    expect(log.join()).not.toContain('secret-of-somebody');
  });

  it('answers 404 for a route without its secret, signed or not', async () => {
    const off = {};
    const { graph, messages, send, inbox } = await webhookWorld({ secrets: off });
    const challenge = await send('/webhooks/graph?hub.mode=subscribe&hub.verify_token=undefined&hub.challenge=1');
    const answers = [await graph(graphBody(GRAPH_MESSAGE)), await messages(INBOUND), challenge];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await inbox.countWaiting()).toBe(0);
  });

  it('refuses 10 MB: by the declared length, or while reading', async () => {
    const { raw, inbox, log } = await webhookWorld();
    const chunkOf = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
    for (const [path, max, headers] of [
      ['/webhooks/graph', BATCH_BYTES_MAX, GRAPH_HEADERS],
      ['/webhooks/messages', FORM_BYTES_MAX, FORM_HEADERS],
    ] as const) {
      const head = `POST ${path} HTTP/1.1\r\nhost: h\r\n${headers}`;
      expect(await raw(`${head}content-length: 10000000\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
      expect(await raw(`${head}transfer-encoding: chunked\r\n\r\n${chunkOf(max + 1)}`)).toMatch(/^HTTP\/1\.1 413 /);
      const line = `Refused POST ${path} with 413: the body has more than ${max} bytes.`;
      expect(log.slice(-2)).toEqual([line, line]);
    }
    expect(await inbox.countWaiting()).toBe(0);
  });

  it('keeps all events of area A in a body of 3 MB', async () => {
    const { graph, inbox } = await webhookWorld();
    const about = { status: 'delivered', timestamp: '1800000000', recipient_id: '4915112345678' };
    const statuses = Array.from({ length: 20_000 }, (_, index) => ({
      ...about,
      id: `wamid.${'x'.repeat(60)}${index}`,
    }));
    const body = graphBody({ messaging_product: 'whatsapp', metadata: METADATA, statuses });
    expect(body.length).toBeGreaterThan(3_000_000);
    expect((await graph(body)).status).toBe(200);
    expect(await inbox.countWaiting()).toBe(20_000);
  });

  it.each<[sentence: string, bytes: string]>([
    ['a stalled body', `POST /webhooks/graph HTTP/1.1\r\nhost: h\r\n${GRAPH_HEADERS}content-length: 100\r\n\r\nhalf`],
    ['stalled headers', 'POST /webhooks/graph HTTP/1.1\r\nhost: h\r\n'],
  ])('answers 408 for %s after the timeout', async (_sentence, bytes) => {
    const { raw, graph, log } = await webhookWorld({ requestTimeoutMs: 100 });
    expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 408 /);
    expect(log).toEqual(['Refused a request with 408: the request took too long.']);
    expect((await graph(graphBody(GRAPH_MESSAGE))).status).toBe(200);
  });

  it('refuses non-HTTP requests and endless headers', async () => {
    const { raw, log } = await webhookWorld();
    expect(await raw('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(`GET /health HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    expect(log).toHaveLength(2);
  });

  it('answers 503 if an event cannot be stored, so that the provider delivers it again', async () => {
    let full = true;
    const kept: unknown[] = [];
    const keep = async (events: readonly unknown[]) => {
      if (full) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
      kept.push(...events);
    };
    const { graph, messages, log } = await webhookWorld({ keep });
    expect([(await graph(graphBody(GRAPH_MESSAGE))).status, (await messages(INBOUND)).status]).toEqual([503, 503]);
    expect(log).toEqual([
      'Refused POST /webhooks/graph with 503: handling the request failed: SQLITE_FULL.',
      'Refused POST /webhooks/messages with 503: handling the request failed: SQLITE_FULL.',
    ]);
    full = false;
    expect((await graph(graphBody(GRAPH_MESSAGE))).status).toBe(200);
    expect(kept).toHaveLength(1);
  });

  it('keeps serving after a sender disconnects mid-request', async () => {
    const { address, graph } = await webhookWorld();
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST /webhooks/graph HTTP/1.1\r\nhost: h\r\ncontent-length: 100\r\n\r\nhalf');
    socket.resetAndDestroy();
    expect((await graph(graphBody(GRAPH_MESSAGE))).status).toBe(200);
  });

  it.each<[sentence: string, host: string, words: RegExp, next: string]>([
    [
      'is in use',
      '127.0.0.1',
      /^Listening on 127\.0\.0\.1:\d+ failed: found a port in use, expected a free port/,
      'SERVE_PORT',
    ],
    [
      'is not on this machine',
      '203.0.113.7',
      /^Listening on 203\.0\.113\.7:\d+ failed: found an unknown address, expected an address of this machine/,
      'SERVE_HOST',
    ],
  ])('says what to do when its address %s', async (_sentence, host, words, next) => {
    const { address } = await webhookWorld();
    const port = Number(new URL(address).port);
    const options = { host, port, publicUrl: undefined, secrets: SECRETS, countWaiting: async () => 0 };
    const log = toldLog();
    await expect(startServer({ ...options, log, keep: async () => undefined })).rejects.toMatchObject({
      message: expect.stringMatching(words),
      nextStep: expect.stringContaining(next),
    });
  });
});
