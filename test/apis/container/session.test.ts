import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { callContainer, containerStatus } from '../../../src/apis/container/container-status.ts';
import { openSession } from '../../../src/apis/container/session.ts';
import { failureOf } from '../../http/test-client.ts';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';
import { connectTo, json, loginOf } from './container-client.ts';

const HEALTH = { method: 'GET', path: 'health' } as const;

/** A container that counts its logins and answers other requests as told. */
function container(answer: (request: StubRequest, response: ServerResponse) => void) {
  let logins = 0;
  return stubServer((request, response) => {
    if (request.path === '/v1/users/login') json(response, 200, loginOf(`token-${++logins}`));
    else answer(request, response);
  });
}

const taken = (_: StubRequest, response: ServerResponse) =>
  json(response, 200, { health: { gateway_status: 'connected' } });
const wayOf = ({ method, path, headers }: StubRequest) => `${method} ${path} ${headers.authorization}`;

describe('a session', () => {
  it('D2: logs in once, until shortly before the token ends', async () => {
    const { url, requests } = await container(taken);
    const connection = connectTo(url);
    const session = openSession(connection);
    const logins = () => requests.filter(({ path }) => path.endsWith('/login')).length;
    expect(requests).toEqual([]);
    await Promise.all([1, 2, 3].map(() => callContainer(connection, session, HEALTH)));
    expect(logins()).toBe(1);
    connection.clock.set('2021-09-14T15:27:25Z');
    await callContainer(connection, session, HEALTH);
    expect(logins()).toBe(1);
    connection.clock.set('2021-09-14T15:27:27Z');
    await callContainer(connection, session, HEALTH);
    expect(logins()).toBe(2);
    expect(wayOf(requests.at(-1) as StubRequest)).toBe('GET /v1/health Bearer token-2');
  });

  it('D2: of a token that is to end within two minutes is used for three quarters of them', async () => {
    let logins = 0;
    const { url } = await stubServer((request, response) =>
      request.path === '/v1/users/login'
        ? json(response, 200, loginOf(`token-${++logins}`, '2021-09-14T12:01:40Z'))
        : taken(request, response),
    );
    const connection = connectTo(url);
    const session = openSession(connection);
    await callContainer(connection, session, HEALTH);
    connection.clock.set('2021-09-14T12:01:14Z');
    await callContainer(connection, session, HEALTH);
    expect(logins).toBe(1);
    connection.clock.set('2021-09-14T12:01:15Z');
    await callContainer(connection, session, HEALTH);
    expect(logins).toBe(2);
  });

  it.each([
    ['Authorization', { authorization: 'Bearer token-1' }],
    ['authorization', { authorization: 'Bearer token-1' }],
    ['X-Api-Token', { 'x-api-token': 'token-1' }],
  ])('D3: shows the token by the header that is configured: %s', async (tokenHeader, headers) => {
    const { url, requests } = await container(taken);
    const connection = connectTo(url, { tokenHeader });
    await callContainer(connection, openSession(connection), {
      method: 'POST',
      path: 'users',
      body: { username: 'x' },
    });
    expect(requests[1]).toMatchObject({ method: 'POST', path: '/v1/users', body: '{"username":"x"}', headers });
    if (tokenHeader.startsWith('X-')) expect(requests[1]?.headers).not.toHaveProperty('authorization');
  });

  it('D2: logs in once more after a 401', async () => {
    const { url, requests } = await container((request, response) =>
      request.headers.authorization === 'Bearer token-2' ? taken(request, response) : json(response, 401, {}),
    );
    const connection = connectTo(url);
    await callContainer(connection, openSession(connection), HEALTH);
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/users/login',
      '/v1/health',
      '/v1/users/login',
      '/v1/health',
    ]);
  });

  it('D2: does not log in for ever', async () => {
    const { url, requests } = await container((_, response) => json(response, 401, {}));
    const connection = connectTo(url);
    const failure = await failureOf(callContainer(connection, openSession(connection), HEALTH));
    expect(failure).toMatchObject({ status: 'UNAUTHENTICATED', nextStep: expect.stringContaining('token_header') });
    expect(requests).toHaveLength(4);
  });

  it('D2: that cannot log in has made no request, and is tried as often as the settings say', async () => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(503).end());
    const connection = connectTo(url);
    const failure = await failureOf(containerStatus(connection, openSession(connection)));
    expect(failure).toMatchObject({ outcome: 'not_processed', httpStatus: 503 });
    expect(requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/users/login'));
  });

  it('D2: logs in anew after a login that failed', async () => {
    let up = false;
    const { url } = await stubServer((request, response) => {
      if (!up) response.writeHead(401).end();
      else if (request.path.endsWith('/login')) json(response, 200, loginOf('token-1'));
      else taken(request, response);
    });
    const connection = connectTo(url);
    const session = openSession(connection);
    await failureOf(callContainer(connection, session, HEALTH));
    up = true;
    await callContainer(connection, session, HEALTH);
  });
});

describe('the status of a container', () => {
  it.each([
    ['what it says', '{"health":{"gateway_status":"connected"}}', { health: { gateway_status: 'connected' } }],
    ['its text where that is no JSON', 'fine', 'fine'],
  ])('is %s', async (_, body, health) => {
    const { url } = await container((_, response) => response.end(body));
    const connection = connectTo(url);
    expect(await containerStatus(connection, openSession(connection))).toMatchObject({
      login: { version: 'v2.35.4', apiStatus: 'stable' },
      health,
    });
  });

  it('has the numbers that the container wrote', async () => {
    const { url } = await container((_, response) => response.end('{"id":12345678901234567890,"version":2.0}'));
    const connection = connectTo(url);
    const { health } = await containerStatus(connection, openSession(connection));
    expect(JSON.stringify(health)).toBe('{"id":12345678901234567890,"version":2.0}');
  });

  it('is asked for again when the container is busy', async () => {
    let asked = 0;
    const { url } = await container((request, response) =>
      asked++ === 0 ? json(response, 503, {}) : taken(request, response),
    );
    const connection = connectTo(url);
    await containerStatus(connection, openSession(connection));
    expect(connection.pauses.taken).toEqual([1_000]);
  });
});
