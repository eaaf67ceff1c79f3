import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const OLD = 'F1rst-secret';
const NEW = 'N3w-password';
const LOGIN = {
  users: [{ token: 'token-of-the-session', expires_after: '2030-09-14 15:29:26+00:00' }],
  meta: { version: 'v2.35.4', api_status: 'stable' },
};
const HEALTH = { health: { gateway_status: 'connected' }, echo: 'token-of-the-session' };

async function container(
  login: { readonly status: number; readonly body: unknown } = { status: 200, body: LOGIN },
  health = JSON.stringify(HEALTH),
) {
  const { url, requests } = await stubServer(({ path }, response) =>
    path.endsWith('/login') ? response.writeHead(login.status).end(JSON.stringify(login.body)) : response.end(health),
  );
  const folder = tempDir();
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const env = { CONTAINER_URL: url, CONTAINER_USERNAME: 'admin', CONTAINER_PASSWORD: OLD, PACEKEEPER_TARGET: 'live' };
    const result = await runInProcess(['container', ...args], { folder, env: { ...env, ...more } });
    expect(result.stdout + result.stderr).not.toMatch(/token-of-the-session|F1rst|N3w-password/);
    return result;
  };
  return { folder, requests, run };
}

describe('container login', () => {
  it('D1: says until when the token holds, and does not show it', async () => {
    const { run } = await container();
    expect((await run(['login'])).stdout).toBe(
      'Logged in as admin; the token holds until 2030-09-14T15:29:26Z. The container has the version v2.35.4. It says: stable.\n',
    );
    expect(JSON.parse((await run(['login', '--format', 'json'])).stdout)).toEqual({
      expires_at: '2030-09-14T15:29:26Z',
      version: 'v2.35.4',
      api_status: 'stable',
      password_changed: false,
    });
  });

  it.each([
    ['the environment', 'NEW_PASSWORD'],
    ['a file', 'new.txt'],
  ])('sets the new password from %s', async (_, name) => {
    const { folder, run, requests } = await container();
    writeFileSync(join(folder, 'new.txt'), `${NEW}\n`);
    const { code, stdout } = await run(['login', '--new-password-from', name], { NEW_PASSWORD: NEW });
    expect(code).toBe(0);
    expect(stdout).toContain('The new password is set: put it into CONTAINER_PASSWORD.');
    expect(requests.map(({ body }) => body)).toEqual([JSON.stringify({ new_password: NEW })]);
  });

  it.each([
    ['is too weak', 'password', {}, 'The new password in NEW_PASSWORD lacks a digit, a capital letter and a special'],
    ['is the old one', OLD, {}, 'The new password in NEW_PASSWORD is the one that CONTAINER_PASSWORD holds already.'],
  ])('sends nothing when the new password %s', async (_, password, more, words) => {
    const { run, requests } = await container();
    const { code, stderr } = await run(['login', '--new-password-from', 'NEW_PASSWORD'], {
      NEW_PASSWORD: password,
      ...more,
    });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(words);
  });

  it('repeats no password that stands where its place should be named', async () => {
    const { run, requests } = await container();
    const { code, stderr } = await run(['login', '--new-password-from', NEW]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('There is no environment name and no readable file that is what was named.');
  });

  it('D2: that fails says why and what to do', async () => {
    const { run } = await container({ status: 401, body: { errors: [{ code: 1005, title: 'Access denied' }] } });
    expect(await run(['login'])).toMatchObject({
      code: 1,
      stderr:
        'error: The container answered HTTP 401: 1005 Access denied.\n' +
        'next step: Check CONTAINER_USERNAME and CONTAINER_PASSWORD.\n',
    });
  });
});

it('D3: container status asks with the token and shows what the container says, without the token', async () => {
  const { run, requests } = await container();
  const { stdout } = await run(['status']);
  expect(stdout).toContain('\nHealth: gateway_status connected, echo [redacted]\n');
  expect(requests[1]).toMatchObject({ path: '/v1/health', headers: { authorization: 'Bearer token-of-the-session' } });
});

it('D1, D2, D3: the embedded sandbox is such a container', async () => {
  const { code, stdout } = await runInProcess(['container', 'status', '--format', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    api_status: 'stable',
    health: { health: { gateway_status: 'connected' } },
  });
});

it.each<[sentence: string, health: string]>([
  ['nested deeper than anything can be shown', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`],
  ['a page without end', 'a'.repeat(500_000)],
  ['more words than anybody reads', JSON.stringify(Array.from({ length: 50_000 }, (_, index) => index))],
])('tells a person no more than can be read of %s', async (_sentence, health) => {
  const { run } = await container(undefined, health);
  const { code, stdout, stderr } = await run(['status']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.length).toBeLessThan(2500);
  expect((await run(['status', '--format', 'json'])).code).toBe(0);
});
