import { describe, expect, it } from 'vitest';
import { sendMessage } from '../../../src/channels/messages/send-message.ts';
import { explainFailure } from '../../../src/domain/errors.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { failureOf, testClient } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';
import { connectTo, connectToSandbox, FROM, PASSWORD, TO } from './messages-client.ts';

const PERMANENT = { outcome: 'not_processed', transient: false };
const LATER = { outcome: 'not_processed', transient: true };
const UNCERTAIN = { outcome: 'unknown', transient: true };

async function refused(status: number, body: string | ((request: StubRequest) => string), headers = {}) {
  const { url } = await stubServer((request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : body(request)),
  );
  return failureOf(sendMessage(connectTo(url), { to: TO, body: 'a' }));
}

describe('the outcome of the message', () => {
  it.each([
    ['a wrong recipient', 400, '{"code":21211,"message":"Invalid."}', { status: '21211', ...PERMANENT }],
    ['a recipient who opted out', 400, '{"code":21610}', { status: '21610', ...PERMANENT }],
    ['an unknown code', 400, '{"code":21999}', { status: '21999', ...PERMANENT }],
    ['a page', 400, '<html>', { status: 'HTTP_400', outcome: 'unknown', transient: false }],
    ['nothing', 400, '', { status: 'HTTP_400', ...PERMANENT }],
    ['an invalid code', 400, '{"code":"x","message":7}', { status: 'HTTP_400', ...PERMANENT }],
    ['wrong credentials', 401, '{"code":20003}', { status: '20003', ...PERMANENT }],
    ['a wrong account', 404, '{"code":20404}', { status: '20404', ...PERMANENT }],
    ['too many requests', 429, '{"code":20429}', { status: '20429', ...LATER }],
    ['too many requests, reported as a failure', 429, '{"code":20500}', { status: '20500', ...LATER }],
    ['too many messages in the queue', 400, '{"code":21611}', { status: '21611', ...LATER }],
    ['a channel that is too slow', 400, '{"code":63018}', { status: '63018', ...LATER }],
    ['a server error, perhaps after the message left', 500, '{"code":20500}', { status: '20500', ...UNCERTAIN }],
    ['the same under another status', 400, '{"code":20500}', { status: '20500', ...UNCERTAIN }],
    ['an unavailable service', 503, '', { status: 'HTTP_503', ...UNCERTAIN }],
    ['a request that came too slowly', 408, '', { status: 'HTTP_408', ...UNCERTAIN }],
    ['a redirect', 302, '', { status: 'HTTP_302', ...PERMANENT }],
    ['an unknown status', 599, '{}', { status: 'HTTP_599', outcome: 'unknown', transient: false }],
  ])('is known: %s', async (_, httpStatus, body, expected) => {
    expect(await refused(httpStatus, body)).toMatchObject({ httpStatus, ...expected });
  });

  it.each<[string, Fault, object, number]>([
    ['its connection was reset before', { kind: 'reset_before' }, UNCERTAIN, 0],
    ['its connection was reset after', { kind: 'reset_after' }, UNCERTAIN, 1],
    ['a gateway answered', { kind: 'html', status: 502 }, UNCERTAIN, 0],
    ['it was refused for now', { kind: 'status', status: 429 }, LATER, 0],
  ])('is reported once and not retried here: %s', async (_, fault, expected, received) => {
    const sandbox = await freshSandbox({ fault: () => fault });
    const sending = sendMessage(connectToSandbox(sandbox), { to: sandbox.credentials.messages.to, body: 'a' });
    expect(await failureOf(sending)).toMatchObject(expected);
    expect({ requests: sandbox.requests.length, messages: sandbox.messages().length }).toEqual({
      requests: 1,
      messages: received,
    });
  });

  it('is known if the connection was refused', async () => {
    const refusing = sendMessage(connectTo('http://127.0.0.1:1'), { to: TO, body: 'a' });
    expect(await failureOf(refusing)).toMatchObject({ status: 'ECONNREFUSED', ...LATER });
  });

  it('is unknown after a timeout: the message was written', async () => {
    const { url, requests } = await stubServer(() => undefined);
    const http = testClient({ connectMs: 1000, headersMs: 50, bodyIdleMs: 50 });
    const failure = await failureOf(sendMessage(connectTo(url, { http }), { to: TO, body: 'a' }));
    expect(failure).toMatchObject({ status: 'UND_ERR_HEADERS_TIMEOUT', ...UNCERTAIN });
    expect(requests).toHaveLength(1);
  });

  it('is known if the body of a refusal breaks off', async () => {
    const { url } = await stubServer((_, response) => {
      response.writeHead(400, { 'content-length': 100 }).write('{"code":');
      setImmediate(() => response.socket?.destroySoon());
    });
    const failure = await failureOf(sendMessage(connectTo(url), { to: TO, body: 'a' }));
    expect(failure).toMatchObject({ httpStatus: 400, ...PERMANENT });
  });
});

it('carries the requested pause', async () => {
  expect(await refused(429, '', { 'retry-after': '30' })).toMatchObject({ retryAfterMs: 30_000 });
  expect(await refused(429, '')).toMatchObject({ retryAfterMs: undefined });
  const dates = { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' };
  expect(await refused(429, '', dates)).toMatchObject({ retryAfterMs: 60_000 });
});

describe('the words of a refusal', () => {
  const wordsOf = async (status: number, body: string) => explainFailure(await refused(status, body));

  it('contain the answer, its meaning and the next step', async () => {
    expect(await wordsOf(401, '{"code":20003,"message":"Authenticate"}')).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 401: 20003 Authenticate. Invalid credentials. Check MESSAGES_ACCOUNT_ID, MESSAGES_USERNAME and MESSAGES_PASSWORD."`,
    );
    expect(await wordsOf(400, '{"code":21610,"message":"Unsubscribed recipient"}')).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 400: 21610 Unsubscribed recipient. The recipient has opted out of messages from this sender. Ask the recipient to write START to the sender."`,
    );
    expect(await wordsOf(429, '{"code":20429}')).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 429: 20429. Too many requests at once; this one was not processed."`,
    );
    expect(await wordsOf(400, '{"code":21999,"message":"Odd.\\n\\tVery odd."}')).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 400: 21999 Odd. Very odd. Look up 21999 in the provider's list of error codes."`,
    );
    expect(await wordsOf(404, '')).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 404. Check MESSAGES_URL and MESSAGES_ACCOUNT_ID."`,
    );
    expect(await wordsOf(400, '{"message":"No."}')).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 400: No."`,
    );
  });

  it('are one line of bounded length', async () => {
    expect((await wordsOf(400, JSON.stringify({ message: 'word\n'.repeat(10_000) }))).length).toBeLessThan(600);
  });

  it('never show the password or a whole phone number, even if the service repeats the request', async () => {
    const echo = ({ headers, body }: StubRequest) => {
      const numbers = `${TO} is not +15550100001 nor 15550100001 nor ${encodeURIComponent(FROM)} nor +1 (555) 010-0001`;
      const message = `${numbers} ${headers.authorization} ${PASSWORD} ${new URLSearchParams({ PASSWORD })}`;
      return JSON.stringify({ code: 20003, message, body });
    };
    const { message } = await refused(401, echo);
    expect(message).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 401: 20003 whatsapp:+49…78 is not +15…01 nor 15…01 nor whatsapp%3A%2B15…01 nor +15…01 Basic [redacted] [redacted] PASSWORD=[redacted]. Invalid credentials."`,
    );
    expect(message).not.toContain(Buffer.from(`user:${PASSWORD}`).toString('base64').slice(8));
  });
});
