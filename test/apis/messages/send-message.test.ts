import { describe, expect, it } from 'vitest';
import { BODY_LENGTH_MAX, sendMessage } from '../../../src/channels/messages/send-message.ts';
import { InvariantError } from '../../../src/domain/errors.ts';
import { failureOf } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';
import { connectTo, connectToSandbox, FROM, PASSWORD, SID, TO } from './messages-client.ts';

const MESSAGE = { to: TO, body: 'Budget raised: 10 → 12 €\n100 % & more + "x"' };

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

  it('C1: requests delivery reports only with an address for them', async () => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(201).end());
    const statusCallback = 'https://alerts.example.com/webhooks/messages';
    await sendMessage(connectTo(url), { to: TO, body: 'a', statusCallback });
    expect(requests[0]?.body).toMatch(
      /&Body=a&StatusCallback=https%3A%2F%2Falerts\.example\.com%2Fwebhooks%2Fmessages$/,
    );
  });

  it('C1: keeps an odd account id inside its part of the path', async () => {
    const { url, requests } = await stubServer((_, response) => response.end());
    await sendMessage(connectTo(url, { accountId: 'a/b?c' }), MESSAGE);
    expect(requests[0]?.path).toBe('/2010-04-01/Accounts/a%2Fb%3Fc/Messages.json');
  });

  it.each(['+4915112345678', 'whatsapp:4915112345678', 'whatsapp:+49 151', 'whatsapp:+0151123456', ''])(
    'C2: is never sent to or from an invalid address: %j',
    async (address) => {
      const { url, requests } = await stubServer((_, response) => response.end());
      await expect(sendMessage(connectTo(url), { ...MESSAGE, to: address })).rejects.toThrow(InvariantError);
      await expect(sendMessage(connectTo(url, { from: address }), MESSAGE)).rejects.toThrow(InvariantError);
      expect(requests).toEqual([]);
    },
  );

  it.each([
    ['nothing', '', '21602'],
    ['blanks', ' \n\t', '21602'],
    ['one character too many', 'x'.repeat(BODY_LENGTH_MAX + 1), '21617'],
    ['too many surrogate halves', '🎒'.repeat(BODY_LENGTH_MAX / 2 + 1), '21617'],
  ])('C3: is refused before it is sent when its text is %s', async (_, body, code) => {
    const { url, requests } = await stubServer((_request, response) => response.end());
    const failure = await failureOf(sendMessage(connectTo(url), { to: TO, body }));
    expect(failure).toMatchObject({ status: code, outcome: 'not_processed', transient: false });
    expect(requests).toEqual([]);
  });

  it('C3: of 1,600 UTF-16 units is sent', async () => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(201).end());
    const body = '🎒'.repeat(BODY_LENGTH_MAX / 2);
    await sendMessage(connectTo(url), { to: TO, body });
    expect(new URLSearchParams(requests[0]?.body).get('Body')).toBe(body);
  });

  it.each([false, true])('C1, C2, C3, C5: reaches the sandbox as it was written (strict: %s)', async (strict) => {
    const sandbox = await freshSandbox({ strict });
    const { from, to } = sandbox.credentials.messages;
    const sent = await sendMessage(connectToSandbox(sandbox), { ...MESSAGE, to });
    const kept = sandbox.messages();
    expect(kept).toMatchObject([{ from, to, body: MESSAGE.body }]);
    expect(sent.providerId).toBe(strict ? undefined : kept[0]?.sid);
    expect(sent.response).not.toContain(to.slice(-11));
  });
});

describe('a success', () => {
  it.each([
    ['of 200', 200, '{}'],
    ['of 202 without a body', 202, ''],
    ['of 204', 204, ''],
    ['whose body is a page', 200, '<html>'],
    ['whose body is a list', 200, '[1]'],
    ['whose body reports an error', 201, '{"code":21211,"message":"No."}'],
    ['whose id is invalid', 201, '{"sid":"SM1","status":7}'],
    ['whose id leads elsewhere', 201, `{"sid":"../${SID}","status":"a b"}`],
  ])('C5: is decided by the status alone, and its body is kept: %s', async (_, status, body) => {
    expect(await answered(status, body)).toEqual({ providerId: undefined, status: undefined, response: body });
  });

  it.each(['queued', 'accepted'])("C5: brings the provider's id and word (%s)", async (status) => {
    const response = JSON.stringify({ sid: SID, status, price: null, error_code: null });
    expect(await answered(201, response)).toEqual({ providerId: SID, status, response });
  });

  it('C5: stays one when its body breaks off', async () => {
    const { url } = await stubServer((_, response) => {
      response.writeHead(201, { 'content-length': 100 }).write('{"sid":');
      setImmediate(() => response.socket?.destroySoon());
    });
    expect(await sendMessage(connectTo(url), MESSAGE)).toMatchObject({ providerId: undefined, response: '' });
  });

  it('is kept without the password and whole numbers, up to 16 KiB', async () => {
    const { response } = await answered(201, `echo ${PASSWORD} ${TO} ${FROM}`);
    expect(response).toBe('echo [redacted] whatsapp:+49…78 whatsapp:+15…01');
    expect((await answered(201, 'x'.repeat(100_000))).response).toHaveLength(16 * 1024);
  });

  it.each([
    ['the password', PASSWORD, 'pass'],
    ['a number', TO, '+491'],
    ['an unknown number', '+4930123456789', '+493'],
  ])('is kept without half of a cut value: %s', async (_, hidden, half) => {
    const before = 'x '.repeat(8 * 1024 - half.length).padEnd(16 * 1024 - half.length - 3);
    const { response } = await answered(201, `${before}${hidden} and more`);
    expect(response).toHaveLength(16 * 1024);
    expect(response).not.toContain(half);
  });
});
