import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/domain/errors.ts';
import { lackedByPassword, logIn, parseExpiry } from '../../../src/services/container/session.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo, json, loginOf, PASSWORD } from './container-client.ts';

describe('a login', () => {
  it("D1: is a POST with Basic authorization and returns a token, its expiry and the container's version", async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, loginOf('token-1')));
    const container = connectTo(url);
    expect(await logIn(container)).toEqual({
      token: 'token-1',
      expiresAtMs: Date.UTC(2021, 8, 14, 15, 29, 26),
      version: 'v2.35.4',
      apiStatus: 'stable',
    });
    expect(requests).toMatchObject([{ method: 'POST', path: '/v1/users/login', body: '' }]);
    expect(requests[0]?.headers).not.toHaveProperty('content-type');
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`);
    expect(container.redact('token-1')).toBe('[redacted]');
  });

  it('D1: reports the version without secrets and in bounded length', async () => {
    const login = loginOf('token-1');
    const meta = { version: 'v2 of token-1', api_status: `${PASSWORD} ${'is stable '.repeat(1000)}` };
    const { url } = await stubServer((_, response) => json(response, 200, { ...login, meta }));
    const { version, apiStatus } = await logIn(connectTo(url));
    expect(version).toBe('v2 of [redacted]');
    expect(apiStatus).toMatch(/^\[redacted\] is stable .{0,90}…$/);
  });

  it('D1: with a very long refusal has a message of bounded length', async () => {
    const mistake = { code: 1, title: 'lorem ipsum '.repeat(200), details: 'dolor '.repeat(200) };
    const errors = Array.from({ length: 50 }, () => mistake);
    const { url } = await stubServer((_, response) => json(response, 400, { errors }));
    const failure = await failureOf(logIn(connectTo(url)));
    expect(failure.message.length).toBeLessThan(11_000);
    expect(failure.message).toMatch(/; and 30 more errors\.$/);
    expect(failure.details).toHaveLength(20);
    expect(failure).toMatchObject({ status: '1', outcome: 'not_processed' });
  });

  it('D1: takes the token of the first user, and redacts the tokens of all users', async () => {
    const users = ['token-1', 'token-2'].flatMap((token) => loginOf(token).users);
    const { url } = await stubServer((_, response) => json(response, 200, { ...loginOf(''), users }));
    const container = connectTo(url);
    expect(await logIn(container)).toMatchObject({ token: 'token-1' });
    expect(container.redact('token-1 and token-2')).toBe('[redacted] and [redacted]');
  });

  it('D1: needs no meta', async () => {
    const { url } = await stubServer((_, response) => json(response, 200, { users: loginOf('token-1').users }));
    expect(await logIn(connectTo(url))).toMatchObject({ token: 'token-1', version: undefined, apiStatus: undefined });
  });

  it.each([
    ['with a space', '2021-09-14 15:29:26+00:00', '2021-09-14T15:29:26.000Z'],
    ['with a T', '2021-09-14T15:29:26+00:00', '2021-09-14T15:29:26.000Z'],
    ['with a Z', '2021-09-14T15:29:26Z', '2021-09-14T15:29:26.000Z'],
    ['without an offset', '2021-09-14 15:29:26', '2021-09-14T15:29:26.000Z'],
    ['with parts of a second', '2021-09-14 15:29:26.5+00:00', '2021-09-14T15:29:26.500Z'],
    ['with another offset', '2021-09-14 15:29:26+0200', '2021-09-14T13:29:26.000Z'],
  ])('D2: ends at an instant %s', (_, text, instant) => {
    expect(new Date(parseExpiry(text) ?? 0).toISOString()).toBe(instant);
  });

  it.each([
    '',
    'tomorrow',
    '2021-02-30 15:29:26+00:00',
    '2021-09-14',
    '14.09.2021 15:29:26',
    '2021-13-14 15:29:26+00:00',
    '1631633366',
  ])('D2: does not end at %j', (text) => {
    expect(parseExpiry(text)).toBeUndefined();
  });

  it.each<[string, number, unknown, object]>([
    [
      'with a wrong password',
      401,
      { errors: [{ code: 1005, title: 'Access denied', details: 'Invalid credentials.' }] },
      {
        status: 'UNAUTHENTICATED',
        message: 'The container answered HTTP 401: 1005 Access denied: Invalid credentials.',
        nextStep: 'Check CONTAINER_USERNAME and CONTAINER_PASSWORD.',
        transient: false,
      },
    ],
    [
      'for the first time without a new password',
      400,
      { errors: [{ code: 1008, title: 'Required parameter is missing', details: 'new_password' }] },
      { status: '1008', nextStep: expect.stringContaining('--new-password-from'), transient: false },
    ],
    ['at another address', 404, '<html>', { status: 'HTTP_404', nextStep: expect.stringContaining('CONTAINER_URL') }],
    ['at a busy container', 429, {}, { status: 'HTTP_429', transient: true, outcome: 'not_processed' }],
    ['at a broken container', 500, '', { message: 'The container answered HTTP 500.', transient: true }],
    ['with an answer without a login', 200, { users: [] }, { status: 'MALFORMED' }],
    ['with an invalid expiry', 200, loginOf('t', 'never'), { status: 'MALFORMED' }],
    ['with a page', 200, '<html>', { status: 'MALFORMED' }],
    ['with a token that injects a header', 200, loginOf('t\r\nX-Role: admin'), { status: 'MALFORMED' }],
    ['with a token that no header can carry', 200, loginOf('tökén'), { status: 'MALFORMED' }],
    ['with a token of spaces', 200, loginOf('   '), { status: 'MALFORMED' }],
    [
      'with a redirect, which gets no password',
      307,
      '',
      { status: 'HTTP_307', nextStep: expect.stringContaining('CONTAINER_URL') },
    ],
  ])('D2: fails %s', async (_, status, body, failure) => {
    const { url } = await stubServer((_, response) =>
      typeof body === 'string' ? response.writeHead(status).end(body) : json(response, status, body),
    );
    expect(await failureOf(logIn(connectTo(url)))).toMatchObject(failure);
  });

  it.each([
    ['seconds', { 'retry-after': '1.5' }, 1500],
    ['a date', { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:01:00 GMT' }, 60_000],
    ['a limited time', { 'retry-after': '99999999999' }, 86_400_000],
  ])('waits as requested by a busy container: %s', async (_, headers, retryAfterMs) => {
    const { url } = await stubServer((_, response) => response.writeHead(429, headers).end());
    expect(await failureOf(logIn(connectTo(url)))).toMatchObject({ retryAfterMs });
  });

  it('never shows the password that the container echoes', async () => {
    const { url } = await stubServer(({ headers }, response) =>
      json(response, 401, { errors: [{ code: 1, title: PASSWORD, details: headers.authorization }] }),
    );
    const failure = await failureOf(logIn(connectTo(url)));
    expect(failure.message).toMatch(/^The container answered HTTP 401: 1 \[redacted\]: Basic \[redacted\]\.$/);
    expect(JSON.stringify(failure)).not.toContain(PASSWORD);
  });
});

describe('a new password', () => {
  it('is sent with the first login and redacted in every text', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, loginOf('token-1')));
    const container = connectTo(url);
    await logIn(container, 'N3w-password');
    expect(requests[0]?.body).toBe('{"new_password":"N3w-password"}');
    expect(container.redact('it is N3w-password')).toBe('it is [redacted]');
  });

  it.each([
    ['is valid', 'N3w-password', []],
    ['is valid at the minimum length', 'Aa1!aaaa', []],
    ['is valid at the maximum length', `Aa1!${'a'.repeat(60)}`, []],
    ['is too short', 'Aa1!aaa', ['8 to 64 characters']],
    ['is too long', `Aa1!${'a'.repeat(61)}`, ['8 to 64 characters']],
    ['has no digit', 'Password!', ['a digit']],
    ['has no capital', 'passw0rd!', ['a capital letter']],
    ['has no small letter', 'PASSW0RD!', ['a small letter']],
    ['has no special character', 'Passw0rds', ['a special character']],
    ['has only a space as a special character', 'Passw0rd s', ['a special character']],
    ['is empty', '', ['8 to 64 characters', 'a digit', 'a capital letter', 'a small letter', 'a special character']],
  ])('%s', (_, password, lacked) => {
    expect(lackedByPassword(password)).toEqual(lacked);
  });

  it('is never sent if the container would refuse it', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, loginOf('token-1')));
    await expect(logIn(connectTo(url), 'password')).rejects.toThrow(InvariantError);
    expect(requests).toEqual([]);
  });
});
