import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { callContainer, containerStatus } from '../../../src/services/container/container-status.ts';
import { openSession } from '../../../src/services/container/session.ts';
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
  it('D2: logs in once, until shortly before the token expires', async () => {
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

  it('D2: uses a token that expires within two minutes for three quarters of its life', async () => {
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
  ])('D3: sends the token in the configured header: %s', async (tokenHeader, headers) => {
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

  it('D2: stops after one new login', async () => {
    const { url, requests } = await container((_, response) => json(response, 401, {}));
    const connection = connectTo(url);
    const failure = await failureOf(callContainer(connection, openSession(connection), HEALTH));
    expect(failure).toMatchObject({ status: 'UNAUTHENTICATED', nextStep: expect.stringContaining('token_header') });
    expect(requests).toHaveLength(4);
  });

  it('D2: sends no request without a login, and retries as configured', async () => {
    const { url, requests } = await stubServer((_, response) => response.writeHead(503).end());
    const connection = connectTo(url);
    const failure = await failureOf(containerStatus(connection, openSession(connection)));
    expect(failure).toMatchObject({ outcome: 'not_processed', httpStatus: 503 });
    expect(requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/users/login'));
  });

  it('D2: logs in again after a failed login', async () => {
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
    ['the answer', '{"health":{"gateway_status":"connected"}}', { health: { gateway_status: 'connected' } }],
    ['the text if the answer is not JSON', 'fine', 'fine'],
  ])('is %s', async (_, body, health) => {
    const { url } = await container((_, response) => response.end(body));
    const connection = connectTo(url);
    expect(await containerStatus(connection, openSession(connection))).toMatchObject({
      login: { version: 'v2.35.4', apiStatus: 'stable' },
      health,
    });
  });

  it('keeps numbers as written', async () => {
    const { url } = await container((_, response) => response.end('{"id":12345678901234567890,"version":2.0}'));
    const connection = connectTo(url);
    const { health } = await containerStatus(connection, openSession(connection));
    expect(JSON.stringify(health)).toBe('{"id":12345678901234567890,"version":2.0}');
  });

  it('is requested again if the container is busy', async () => {
    let asked = 0;
    const { url } = await container((request, response) =>
      asked++ === 0 ? json(response, 503, {}) : taken(request, response),
    );
    const connection = connectTo(url);
    await containerStatus(connection, openSession(connection));
    expect(connection.pauses.taken).toEqual([1_000]);
  });
});
