import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  it('D1: says until when the token is valid, and does not show it', async () => {
    const { run } = await container();
    expect((await run(['login'])).stdout).toBe(
      'Logged in as admin; the token is valid until 2030-09-14 15:29 UTC. Container version: v2.35.4. Status: stable.\n',
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
    expect(stdout).toContain('The new password is set. Write it to CONTAINER_PASSWORD.');
    expect(requests.map(({ body }) => body)).toEqual([JSON.stringify({ new_password: NEW })]);
  });

  it.each([
    ['is too weak', 'password', {}, 'The new password in NEW_PASSWORD lacks a digit, a capital letter and a special'],
    ['is the old one', OLD, {}, 'The new password in NEW_PASSWORD is the same as CONTAINER_PASSWORD.'],
  ])('sends nothing when the new password %s', async (_, password, more, words) => {
    const { run, requests } = await container();
    const { code, stderr } = await run(['login', '--new-password-from', 'NEW_PASSWORD'], {
      NEW_PASSWORD: password,
      ...more,
    });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(words);
  });

  it('never repeats a password given instead of its name', async () => {
    const { run, requests } = await container();
    const { code, stderr } = await run(['login', '--new-password-from', NEW]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(
      'New password not found: the given name is neither an environment name nor a readable file.',
    );
  });

  it('D2: says why it failed and what to do', async () => {
    const { run } = await container({ status: 401, body: { errors: [{ code: 1005, title: 'Access denied' }] } });
    expect(await run(['login'])).toMatchObject({
      code: 2,
      stderr:
        'error: The container answered HTTP 401: 1005 Access denied.\n' +
        'next step: Check CONTAINER_USERNAME and CONTAINER_PASSWORD.\n',
    });
  });
});

it('D3: container status uses the token and shows the answer without it', async () => {
  const { run, requests } = await container();
  const { stdout } = await run(['status']);
  expect(stdout).toContain('\nHealth: gateway_status connected, echo [redacted]\n');
  expect(requests[1]).toMatchObject({ path: '/v1/health', headers: { authorization: 'Bearer token-of-the-session' } });
});

it('D1, D2, D3: the embedded sandbox works as a container', async () => {
  const { code, stdout } = await runInProcess(['container', 'status', '--format', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    api_status: 'stable',
    health: { health: { gateway_status: 'connected' } },
  });
});

it.each<[sentence: string, health: string]>([
  ['a deeply nested answer', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`],
  ['an endless page', 'a'.repeat(500_000)],
  ['50,000 values', JSON.stringify(Array.from({ length: 50_000 }, (_, index) => index))],
])('prints a readable part of %s', async (_sentence, health) => {
  const { run } = await container(undefined, health);
  const { code, stdout, stderr } = await run(['status']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.length).toBeLessThan(2500);
  expect((await run(['status', '--format', 'json'])).code).toBe(0);
});

describe('the token of container status', () => {
  const FAR = '2030-09-14 15:29:26+00:00';
  const served = async (offersHealth = true, expires = FAR) => {
    const refused: string[] = [];
    let logins = 0;
    const { url, requests } = await stubServer(({ path, headers }, response) => {
      if (path.endsWith('/login')) {
        const users = [{ token: `token-of-the-session${++logins}`, expires_after: expires }];
        response.writeHead(200).end(JSON.stringify({ users, meta: LOGIN.meta }));
      } else if (!offersHealth) response.writeHead(404).end('{}');
      else
        response
          .writeHead(refused.includes(String(headers.authorization)) ? 401 : 200)
          .end(JSON.stringify({ echo: headers.authorization }));
    });
    const folder = tempDir();
    const file = join(folder, 'data', 'container-token.json');
    const run = async (password = OLD) => {
      const env = { CONTAINER_URL: url, CONTAINER_USERNAME: 'admin', CONTAINER_PASSWORD: password };
      const all = { ...env, PACEKEEPER_TARGET: 'live' };
      const result = await runInProcess(['container', 'status'], { folder, env: all });
      expect(result.stdout + result.stderr).not.toContain('token-of-the-session');
      return result;
    };
    return { run, file, folder, refused, logins: () => logins, requests };
  };

  it('D2: is kept for the next command, for its owner only, without the password', async () => {
    const { run, file, folder, logins } = await served();
    mkdirSync(join(folder, 'data'));
    expect([(await run()).code, (await run()).code]).toEqual([0, 0]);
    expect(logins()).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(OLD);
    // A digest without salt would be the same for the same password, and quick to guess.
    const first = JSON.parse(text);
    rmSync(file);
    await run();
    expect(JSON.parse(readFileSync(file, 'utf8')).of).not.toBe(first.of);
    await run('An0ther-secret');
    expect(logins()).toBe(3);
  });

  it('D2: is renewed once if it is refused', async () => {
    const { run, folder, refused, logins } = await served();
    mkdirSync(join(folder, 'data'));
    await run();
    refused.push('Bearer token-of-the-session1');
    expect((await run()).code).toBe(0);
    expect((await run()).code).toBe(0);
    expect(logins()).toBe(2);
  });

  it('D2: is not used shortly before its end', async () => {
    const soon = new Date(Date.now() + 100_000).toISOString().slice(0, 19).replace('T', ' ');
    const { run, folder, logins } = await served(true, `${soon}+00:00`);
    mkdirSync(join(folder, 'data'));
    expect([(await run()).code, (await run()).code]).toEqual([0, 0]);
    expect(logins()).toBe(2);
  });

  it('D2: is not needed: without a data folder, or with a damaged file, each command logs in', async () => {
    const { run, file, folder, logins } = await served();
    expect([(await run()).code, (await run()).code]).toEqual([0, 0]);
    expect(logins()).toBe(2);
    mkdirSync(join(folder, 'data'));
    writeFileSync(file, '{"of":');
    expect((await run()).code).toBe(0);
    expect(logins()).toBe(3);
  });

  it('D3: a container without a health report is no failure', async () => {
    const { run } = await served(false);
    const { code, stdout } = await run();
    expect([code, stdout]).toEqual([0, expect.stringContaining('Health: not offered\n')]);
  });
});
