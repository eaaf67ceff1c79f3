import { describe, expect, it } from 'vitest';
import { type MessagesConnection, sendMessage } from '../../../src/apis/messages/send-message.ts';
import { InvariantError } from '../../../src/domain/errors.ts';
import { createRedact } from '../../../src/http/redact.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { failureOf, testClient } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';

const PASSWORD = 'pass & word+1!';
const MESSAGE = { to: 'whatsapp:+4915112345678', body: 'Budget raised: 10 → 12 €\n100 % & more + "x"' };

function connectTo(url: string): MessagesConnection {
  return {
    ...{ url, accountId: 'AC1', username: 'user', password: PASSWORD, from: 'whatsapp:+15550100001' },
    http: testClient(),
    redact: createRedact([PASSWORD]),
  };
}

async function answered(status: number, body: string | ((request: StubRequest) => string), headers = {}) {
  const { url } = await stubServer((request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : body(request)),
  );
  return sendMessage(connectTo(url), MESSAGE);
}

describe('a message', () => {
  it('C1, C2, C3: is exactly this form, to this path, with Basic authorization', async () => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(201).end());
    await sendMessage(connectTo(url), MESSAGE);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/2010-04-01/Accounts/AC1/Messages.json',
        body:
          'To=whatsapp%3A%2B4915112345678&From=whatsapp%3A%2B15550100001&' +
          'Body=Budget+raised%3A+10+%E2%86%92+12+%E2%82%AC%0A100+%25+%26+more+%2B+%22x%22',
        headers: {
          authorization: `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': '140',
        },
      },
    ]);
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('C1: keeps an odd account id inside its part of the path', async () => {
    const { url, requests } = await stubServer((_, response) => response.end());
    await sendMessage({ ...connectTo(url), accountId: 'a/b?c' }, MESSAGE);
    expect(requests[0]?.path).toBe('/2010-04-01/Accounts/a%2Fb%3Fc/Messages.json');
  });

  it.each(['+4915112345678', 'whatsapp:4915112345678', 'whatsapp:+49 151', 'whatsapp:+0151123456', ''])(
    'C2: is never sent to an address that is none: %j',
    async (to) => {
      const { url, requests } = await stubServer((_, response) => response.end());
      await expect(sendMessage(connectTo(url), { ...MESSAGE, to })).rejects.toThrow(InvariantError);
      expect(requests).toEqual([]);
    },
  );

  it.each([false, true])('C1, C2, C3: reaches the sandbox as it was written (strict: %s)', async (strict) => {
    const sandbox = await freshSandbox({ strict });
    await sendMessage(sandboxConnection(sandbox), { ...MESSAGE, to: sandbox.credentials.messages.to });
    const { from, to } = sandbox.credentials.messages;
    expect(sandbox.messages()).toMatchObject([{ from, to, body: MESSAGE.body }]);
  });
});

function sandboxConnection({ url, credentials }: Awaited<ReturnType<typeof freshSandbox>>): MessagesConnection {
  const { accountId, username, password, from } = credentials.messages;
  return { ...connectTo(url), accountId, username, password, from };
}

describe('a success', () => {
  it.each([
    ['of 201', 201, '{"sid":"SM1","status":"queued"}'],
    ['of 200', 200, '{}'],
    ['of 202 without a body', 202, ''],
    ['of 204', 204, ''],
    ['whose body is a page', 200, '<html>'],
    ['whose body tells of an error', 201, '{"code":21211,"message":"No."}'],
  ])('C5: is decided by the status alone, and its body is kept: %s', async (_, status, body) => {
    expect(await answered(status, body)).toEqual({ response: body });
  });

  it('C5: stays one when its body breaks off', async () => {
    const { url } = await stubServer((_, response) => {
      response.writeHead(201, { 'content-length': 100 }).write('{"sid":');
      setImmediate(() => response.socket?.destroySoon());
    });
    expect(await sendMessage(connectTo(url), MESSAGE)).toEqual({ response: '' });
  });

  it('is kept without the password, and not longer than 16 KiB', async () => {
    expect(await answered(201, `echo ${PASSWORD}`)).toEqual({ response: 'echo [redacted]' });
    expect((await answered(201, 'x'.repeat(100_000))).response).toHaveLength(16 * 1024);
  });
});

describe('a failure', () => {
  const PERMANENT = { outcome: 'not_processed', transient: false };
  const UNCERTAIN = { outcome: 'unknown', transient: true };

  it.each([
    ['a wrong recipient', 400, '{"code":21211,"message":"Invalid."}', { status: '21211', ...PERMANENT }],
    ['a refusal without a code', 400, '<html>', { status: 'HTTP_400', ...PERMANENT }],
    ['wrong credentials', 401, '{"code":20003}', { status: '20003', ...PERMANENT }],
    ['a wrong account', 404, '{"code":20404}', { status: '20404', ...PERMANENT }],
    ['too many requests', 429, '{"code":20429}', { status: '20429', outcome: 'not_processed', transient: true }],
    ['a server error, perhaps after the message left', 500, '{"code":20500}', { status: '20500', ...UNCERTAIN }],
    ['a service that is away', 503, '', { status: 'HTTP_503', ...UNCERTAIN }],
    ['a redirect', 302, '', { status: 'HTTP_302', ...PERMANENT }],
    ['a status nobody knows', 599, '{}', { status: 'HTTP_599', outcome: 'unknown', transient: false }],
  ])('knows whether the message may be out: %s', async (_, httpStatus, body, expected) => {
    expect(await failureOf(answered(httpStatus, body))).toMatchObject({ httpStatus, ...expected });
  });

  it.each<[string, Fault, object, number]>([
    ['its connection was reset before', { kind: 'reset_before' }, UNCERTAIN, 0],
    ['its connection was reset after', { kind: 'reset_after' }, UNCERTAIN, 1],
    ['a gateway answered', { kind: 'html', status: 502 }, UNCERTAIN, 0],
    ['it was refused for now', { kind: 'status', status: 429 }, { outcome: 'not_processed', transient: true }, 0],
  ])('is told once and not tried again here: %s', async (_, fault, expected, received) => {
    const sandbox = await freshSandbox({ fault: () => fault });
    const sending = sendMessage(sandboxConnection(sandbox), { ...MESSAGE, to: sandbox.credentials.messages.to });
    expect(await failureOf(sending)).toMatchObject(expected);
    expect({ requests: sandbox.requests.length, messages: sandbox.messages().length }).toEqual({
      requests: 1,
      messages: received,
    });
  });

  it.each([
    ['in seconds', '30', 30_000],
    ['as a date, which is not taken', 'Fri, 20 Nov 2026 12:00:00 GMT', undefined],
    ['not at all', undefined, undefined],
  ])('carries the pause that was asked for %s', async (_, header, retryAfterMs) => {
    const failing = answered(429, '', header === undefined ? {} : { 'retry-after': header });
    expect((await failureOf(failing)).retryAfterMs).toBe(retryAfterMs);
  });

  it('says what was answered and where to look', async () => {
    const words = async (status: number, body: string) => {
      const { message, nextStep } = await failureOf(answered(status, body));
      return [message, nextStep ?? ''].join('\n');
    };
    expect(await words(401, '{"code":20003,"message":"Authenticate"}')).toMatchInlineSnapshot(`
      "The messaging interface answered HTTP 401: 20003 Authenticate.
      Check MESSAGES_ACCOUNT_ID, MESSAGES_USERNAME and MESSAGES_PASSWORD."
    `);
    expect(await words(404, '')).toMatchInlineSnapshot(`
      "The messaging interface answered HTTP 404.
      Check MESSAGES_URL and MESSAGES_ACCOUNT_ID."
    `);
    expect(await words(400, '{"message":"No."}')).toMatchInlineSnapshot(`
      "The messaging interface answered HTTP 400: No.
      "
    `);
  });

  it('never shows the password or a whole telephone number, though the service repeats all it was sent', async () => {
    const echo = ({ headers, body }: StubRequest) => {
      const numbers = `${MESSAGE.to} is not +15550100001`;
      const message = `${numbers} ${headers.authorization} ${PASSWORD} ${new URLSearchParams({ PASSWORD })}`;
      return JSON.stringify({ code: 20003, message, body });
    };
    const { message } = await failureOf(answered(401, echo));
    expect(message).toMatchInlineSnapshot(
      `"The messaging interface answered HTTP 401: 20003 whatsapp:+49…78 is not +15…01 Basic dXNlcjp[redacted]Q== [redacted] PASSWORD=[redacted]."`,
    );
    expect(message).not.toContain(Buffer.from(`user:${PASSWORD}`).toString('base64').slice(8));
  });
});
