import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const TOKEN = 'EAAG-user-token';
const PAGE_TOKEN = 'EAAG-page-token';
const NUMBER = {
  id: '7',
  verified_name: 'Acme\u001b[2J',
  display_phone_number: '+1 555-010-0001',
  quality_rating: 'GREEN',
};
const GRANTED = [{ permission: 'pages_show_list', status: 'granted' }];
const IDS = { GRAPH_BUSINESS_ACCOUNT_ID: '5', GRAPH_USER_ID: '6' };

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** A service that answers by the last part of the path. */
async function service(answers: Readonly<Record<string, unknown>>) {
  const answer = ({ path, method }: StubRequest, response: ServerResponse) => {
    const name = new URL(path, 'http://x').pathname.split('/').at(-1) ?? '';
    const body = answers[`${method} ${name}`] ?? answers[name];
    if (body === undefined) json(response, 400, errorOf(2500, `Unknown path components: /${name}`));
    else json(response, 'error' in (body as object) ? 400 : 200, body);
  };
  const { url, requests } = await stubServer(answer);
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = IDS) => {
    const live = { PACEKEEPER_TARGET: 'live', GRAPH_URL: url, GRAPH_ACCESS_TOKEN: TOKEN };
    const result = await runInProcess(['graph', ...args], { env: { ...live, ...env } });
    expect(result.stdout + result.stderr).not.toMatch(/EAAG/);
    return result;
  };
  return { requests, run };
}

const errorOf = (code: number, message: string) => ({
  error: { message, type: 'OAuthException', code, fbtrace_id: 'AbC' },
});

describe('graph send', () => {
  it('A1: sends from the configured number, and masks the recipient', async () => {
    const { run, requests } = await service({ messages: { messages: [{ id: 'wamid.1' }] } });
    const { code, stdout } = await run(['send', '4915112345678', 'Hello'], { GRAPH_PHONE_NUMBER_ID: '7' });
    expect(code).toBe(0);
    expect(stdout).toBe('The service accepted the text to +49…78 from 7 as wamid.1. Delivery is not confirmed yet.\n');
    expect(requests).toMatchObject([{ path: '/v23.0/7/messages' }]);
  });

  it('A6: finds the sender of the account, also with JSON output', async () => {
    const { run, requests } = await service({ phone_numbers: { data: [NUMBER] }, messages: {} });
    const { stdout } = await run(['send', '4915112345678', 'Hello', '--format', 'json']);
    expect(JSON.parse(stdout)).toEqual({ to: '+49…78', from: '7', provider_id: null });
    expect(requests.map(({ path }) => path)).toEqual(['/v23.0/5/phone_numbers', '/v23.0/7/messages']);
  });

  it.each([
    ['a number with a plus', ['send', '+4915112345678', 'x'], IDS, /digits only/],
    ['an empty text', ['send', '4915112345678', ' '], IDS, /Invalid text: found no text/],
    ['a text past the limit', ['send', '4915112345678', 'x'.repeat(4097)], IDS, /found 4,097 characters/],
    ['no sender', ['send', '4915112345678', 'x'], {}, /Neither GRAPH_PHONE_NUMBER_ID nor/],
    ['no user', ['permissions'], {}, /GRAPH_USER_ID is not set, so no permissions can be listed/],
    ['no account', ['phone-numbers'], {}, /GRAPH_BUSINESS_ACCOUNT_ID is not set/],
    ['an invalid version', ['permissions'], { ...IDS, GRAPH_VERSION: '23' }, /Found "23" for GRAPH_VERSION/],
  ])('A1, A9: sends no request for %s', async (_, args, env, words) => {
    const { run, requests } = await service({});
    const { code, stderr } = await run(args, env);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(words);
  });

  it('A7: explains a refusal by the service, and quotes no phone number', async () => {
    const { run } = await service({ messages: errorOf(131047, 'Re-engagement message to 4915112345678') });
    const { code, stderr } = await run(['send', '4915112345678', 'x'], { GRAPH_PHONE_NUMBER_ID: '7' });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'error: The graph interface answered OAuthException 131047: Re-engagement message to 49…78. ' +
        'The recipient has not written for 24 hours, so free text is not allowed.\n' +
        'next step: Set graph.templates. Until then, ask the recipient to write to this sender, or use another channel.\n',
    );
  });

  it('A10: never shows a token that the service echoes', async () => {
    const { run, requests } = await service({
      permissions: errorOf(190, `Bad token ${TOKEN} at ?access_token=${TOKEN}`),
    });
    const folder = tempDir();
    expect((await run(['permissions', '--data-dir', folder])).code).toBe(1);
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });
});

describe('the graph lists', () => {
  it('A2: list the numbers, for people and for programs', async () => {
    const { run } = await service({ phone_numbers: { data: [NUMBER, { id: '8' }] } });
    expect((await run(['phone-numbers'])).stdout).toMatchInlineSnapshot(`
      "  Id  Number           Name      Quality
        7   +1 555-010-0001  Acme·[2J  GREEN
        8
      "
    `);
    expect(JSON.parse((await run(['phone-numbers', '--format', 'json'])).stdout)[0]).toMatchObject({
      id: '7',
      display_phone_number: '+1 555-010-0001',
      quality_rating: 'GREEN',
    });
  });

  it('A3: list the pages, and show only whether each has a token', async () => {
    const page = {
      id: '1',
      name: 'Shop',
      category: 'Retail',
      tasks: ['MANAGE', 'MESSAGING'],
      access_token: PAGE_TOKEN,
    };
    const { run } = await service({ accounts: { data: [page, { id: '2', name: `Named ${PAGE_TOKEN}` }] } });
    expect((await run(['page-tokens'])).stdout).toMatchInlineSnapshot(`
      "  Id  Name              Category  Tasks              Token
        1   Shop              Retail    MANAGE, MESSAGING  held
        2   Named [redacted]                               none
      "
    `);
    const rows = JSON.parse((await run(['page-tokens', '--format', 'json'])).stdout);
    expect(rows[0]).toEqual({ id: '1', name: 'Shop', category: 'Retail', tasks: page.tasks, token: 'held' });
  });

  it('A4: list the permissions', async () => {
    const { run } = await service({ permissions: { data: GRANTED } });
    expect((await run(['permissions'])).stdout).toBe('  Permission       Status\n  pages_show_list  granted\n');
    expect(JSON.parse((await run(['permissions', '--format', 'json'])).stdout)).toEqual(GRANTED);
  });
});

describe('graph diagnose-pages', () => {
  const nothing = { accounts: { data: [] }, 'DELETE permissions': { success: true } };

  it('A5: explains the cause in steps, and revokes nothing unless asked', async () => {
    const { run, requests } = await service({ ...nothing, permissions: { data: GRANTED } });
    const { code, stdout } = await run(['diagnose-pages']);
    expect({ code, stdout }).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stdout": "No page found, although pages_show_list is granted.
      1. Revoke the permissions. Run pacekeeper graph diagnose-pages --revoke.
      2. If the app's business features are active for the page, deactivate them in the account's
         integrations settings.
      3. Grant the permissions, including pages_show_list. Set GRAPH_ACCESS_TOKEN to the new token.
      4. Run pacekeeper graph diagnose-pages again.
      ",
      }
    `);
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('A5: does the first step when asked', async () => {
    const { run, requests } = await service({ ...nothing, permissions: { data: GRANTED } });
    const { stdout } = await run(['diagnose-pages', '--revoke', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'granted_without_pages',
      revoked: true,
      steps: [expect.stringMatching(/deactivate them/), expect.stringMatching(/^Grant/), expect.stringMatching(/^Run/)],
    });
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'DELETE']);
  });

  it('A5: revokes nothing if that is not the remedy, and reports it', async () => {
    const { run, requests } = await service({ ...nothing, permissions: { data: [] } });
    const { stdout } = await run(['diagnose-pages', '--revoke']);
    expect(stdout).toContain('Nothing was revoked: the permission is not granted.');
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('A4: graph revoke revokes the permissions', async () => {
    const { run, requests } = await service(nothing);
    expect((await run(['revoke'])).stdout).toMatch(/^The permissions were revoked\./);
    expect(requests).toMatchObject([{ method: 'DELETE', path: '/v23.0/6/permissions' }]);
  });
});

it('A1, A2, A3, A4: the embedded sandbox supports all graph commands', async () => {
  const folder = tempDir();
  const run = async (...args: string[]) =>
    (await runInProcess(['graph', ...args, '--format', 'json'], { folder })).stdout;
  expect(JSON.parse(await run('send', '15550100002', 'Hello'))).toMatchObject({ to: '+15…02' });
  expect(JSON.parse(await run('phone-numbers'))).toHaveLength(2);
  expect(JSON.parse(await run('diagnose-pages', '--revoke'))).toMatchObject({ revoked: true });
  const refused = await runInProcess(['graph', 'permissions'], { folder });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('190/458')]);
});

it('graph without its settings names the missing ones', async () => {
  const env = { PACEKEEPER_TARGET: 'live', ADS_URL: 'http://127.0.0.1:9', ADS_ACCESS_TOKEN: 'x' };
  const { code, stderr } = await runInProcess(['graph', 'revoke'], { env });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'error: The graph interface is not configured, so no permissions can be revoked.\n' +
      'next step: Set GRAPH_URL and GRAPH_ACCESS_TOKEN; docs/configuration.md lists them.\n',
  );
});
