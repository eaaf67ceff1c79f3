import { beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeClock } from '../support/fake-time.ts';
import { answerOf, freshSandbox, openSandbox } from './sandbox-client.ts';

const LOGIN_AT = '2021-09-07T15:29:26.700Z';

async function call(sandbox: Sandbox, method: string, path: string, authorization: string, body?: unknown) {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answerOf(response);
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const login = (sandbox: Sandbox, password = sandbox.credentials.container.password, body?: unknown) =>
  call(sandbox, 'POST', '/v1/users/login', basic('admin', password), body);

describe('area D', () => {
  const clock = fakeClock(LOGIN_AT);
  let sandbox: Sandbox;
  let bearer: string;
  beforeAll(async () => {
    sandbox = await openSandbox({ clock });
    bearer = `Bearer ${(await login(sandbox)).json.users[0].token}`;
    return () => sandbox.close();
  });

  it('D1: a login returns a token, its expiry and facts about the container', async () => {
    expect(await login(sandbox)).toMatchObject({
      status: 200,
      json: {
        users: [{ token: expect.any(String), expires_after: '2021-09-14 15:29:26+00:00' }],
        meta: { version: expect.stringMatching(/^v\d/), api_status: 'stable' },
      },
    });
  });

  it('D3: creates a user with the token, and only once', async () => {
    const user = { username: 'anna', password: 'Anna-Passw0rd!' };
    const created = await call(sandbox, 'POST', '/v1/users', bearer, user);
    expect(created).toMatchObject({ status: 201, json: { users: [{ username: 'anna' }] } });
    const again = await call(sandbox, 'POST', '/v1/users', bearer, user);
    expect(again).toMatchObject({ status: 500, json: { errors: [{ code: 1014 }] } });
    expect((await call(sandbox, 'POST', '/v1/users/login', basic('anna', user.password))).status).toBe(200);
  });

  it.each<[sentence: string, body: unknown]>([
    ['without a name', { password: 'Anna-Passw0rd!' }],
    ['with a colon in its name', { username: 'an:na', password: 'Anna-Passw0rd!' }],
    ['with a weak password', { username: 'berta', password: 'password' }],
    ['without a body', undefined],
  ])('D3: refuses a user %s', async (_, body) => {
    expect(await call(sandbox, 'POST', '/v1/users', bearer, body)).toMatchObject({
      status: 400,
      json: { errors: [{}] },
    });
  });

  it.each([
    ['a wrong password', () => login(sandbox, 'wrong')],
    ['an unknown user', () => call(sandbox, 'POST', '/v1/users/login', basic('nobody', 'x'))],
    ['a bearer instead of a name', () => call(sandbox, 'POST', '/v1/users/login', 'Bearer x')],
    ['an invalid token', () => call(sandbox, 'GET', '/v1/health', 'Bearer sandbox-container-1')],
    ['a name instead of a token', () => call(sandbox, 'GET', '/v1/health', basic('admin', 'x'))],
  ])('D2: answers 401 for %s', async (_, ask) => {
    expect(await ask()).toMatchObject({ status: 401, json: { errors: [{ code: 1005 }] } });
  });

  it('D2: the token works until the stated second', async () => {
    clock.set('2021-09-14T15:29:25.999Z');
    const health = await call(sandbox, 'GET', '/v1/health', bearer);
    expect(health).toMatchObject({ status: 200, json: { health: { gateway_status: 'connected' } } });
    clock.set('2021-09-14T15:29:26Z');
    expect((await call(sandbox, 'GET', '/v1/health', bearer)).status).toBe(401);
  });
});

describe('a container before the first login', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ freshContainer: true });
    return () => sandbox.close();
  });

  it.each<[sentence: string, body: unknown]>([
    ['no new password', undefined],
    ['7 characters', { new_password: 'Abc-123' }],
    ['65 characters', { new_password: `Aa1-${'x'.repeat(61)}` }],
    ['no digit', { new_password: 'Abcdefg-' }],
    ['no upper case letter', { new_password: 'abcdefg-1' }],
    ['no lower case letter', { new_password: 'ABCDEFG-1' }],
    ['no special character', { new_password: 'Abcdefg1' }],
  ])('D1: refuses the first login with %s', async (_, body) => {
    expect(await login(sandbox, 'secret', body)).toMatchObject({ status: 400, json: { errors: [{}] } });
  });

  it('D1: the first login changes the password for good', async () => {
    const { password } = sandbox.credentials.container;
    expect((await login(sandbox)).status).toBe(401);
    expect((await login(sandbox, 'secret', { new_password: password })).status).toBe(200);
    expect((await login(sandbox)).status).toBe(200);
    expect((await login(sandbox, 'secret')).status).toBe(401);
  });
});

it('D3: strict mode has only the login', async () => {
  const sandbox = await freshSandbox({ strict: true });
  const answer = await login(sandbox);
  const bearer = `Bearer ${answer.json.users[0].token}`;
  expect(answer.status).toBe(200);
  expect((await call(sandbox, 'GET', '/v1/health', bearer)).status).toBe(404);
  expect((await call(sandbox, 'POST', '/v1/users', bearer, {})).status).toBe(404);
});
