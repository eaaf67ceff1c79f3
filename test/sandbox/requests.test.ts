import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxCredentials } from '../../src/sandbox/credentials.ts';
import { fakeClock } from '../support/fake-time.ts';
import {
  answerOf,
  EUR,
  freshSandbox,
  mutate,
  NOON,
  ownBudget,
  post,
  rawPost,
  search,
  setAmount,
} from './sandbox-client.ts';

const { messages: MESSAGES, graph: GRAPH, container: CONTAINER } = sandboxCredentials('');
const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

const QUERY = 'SELECT campaign.id FROM campaign';

describe('every request', () => {
  it('B9: answers 411 with HTML for a POST without a content length', async () => {
    const sandbox = await freshSandbox();
    for (const path of [`/v11/customers/${EUR}/campaignBudgets:mutate`, '/token']) {
      const answer = await rawPost(sandbox.url + path, {});
      expect(answer).toMatchObject({ status: 411, type: expect.stringContaining('text/html') });
      expect(answer.text).toContain('Content-length');
    }
  });

  it.each<[sentence: string, path: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['A: a message', `/v15.0/${GRAPH.phoneNumberId}/messages`, { authorization: `Bearer ${GRAPH.accessToken}` }, 400],
    [
      'C: a message',
      `/2010-04-01/Accounts/${MESSAGES.accountId}/Messages.json`,
      basic(MESSAGES.accountId, MESSAGES.password),
      400,
    ],
    ['D: a login', '/v1/users/login', basic(CONTAINER.username, CONTAINER.password), 200],
    ['an unknown path', '/v11/customers/1:else', {}, 404],
  ])(
    '411 applies only to area B: %s without a body and a content length counts as without a body',
    async (_, path, headers, status) => {
      for (const strict of [false, true]) {
        const sandbox = await freshSandbox({ strict });
        expect((await rawPost(sandbox.url + path, headers)).status).toBe(status);
      }
    },
  );

  it('reads a body without a length, up to the size limit', async () => {
    const sandbox = await freshSandbox();
    const path = `${sandbox.url}/2010-04-01/Accounts/${MESSAGES.accountId}/Messages.json`;
    const chunked = (bytes: number) =>
      fetch(path, {
        method: 'POST',
        body: Readable.from([Buffer.alloc(bytes, 'a')]),
        duplex: 'half',
        headers: {
          ...basic(MESSAGES.accountId, MESSAGES.password),
          'content-type': 'application/x-www-form-urlencoded',
        },
      } as RequestInit);
    expect((await chunked(10)).status).toBe(400);
    expect((await chunked(11 * 1024 * 1024)).status).toBe(413);
  });

  it('B9: 411 takes precedence over 401, and 401 over 400', async () => {
    const sandbox = await freshSandbox();
    const url = `/v11/customers/${EUR}/campaignBudgets:mutate`;
    expect((await rawPost(sandbox.url + url, { authorization: 'Bearer wrong' })).status).toBe(411);
    expect((await post(sandbox, url, 'no json', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post(sandbox, url, 'no json')).status).toBe(400);
  });

  it.each([
    ['a form-encoded body', 'a=b', 'application/x-www-form-urlencoded'],
    ['text that is not JSON', '{operations:[]}', 'application/json'],
    ['JSON that is not an object', '"text"', 'application/json'],
    ['an array', '[]', 'application/json'],
  ])('B9: answers 400 INVALID_ARGUMENT for %s', async (_, body, type) => {
    const sandbox = await freshSandbox();
    const answer = await post(sandbox, `/v11/customers/${EUR}/campaignBudgets:mutate`, body, { 'content-type': type });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT', message: expect.any(String) });
  });

  it('B11: answers 401 for a client secret as bearer and names the expected token', async () => {
    const sandbox = await freshSandbox();
    const { clientSecret } = sandbox.credentials;
    const answer = await post(
      sandbox,
      `/v11/customers/${EUR}/googleAds:searchStream`,
      { query: QUERY },
      { authorization: `Bearer ${clientSecret}` },
    );
    expect(answer.status).toBe(401);
    expect(answer.json[0].error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
    expect(answer.json[0].error.message).toContain('OAuth 2.0 access token; found the client secret');
    expect(answer.json[0].error.message).toContain('sandbox-access-token');
  });

  it('B11: answers 401 without authorization', async () => {
    const sandbox = await freshSandbox();
    const answer = await answerOf(await fetch(`${sandbox.url}/v11/customers:listAccessibleCustomers`));
    expect(answer.status).toBe(401);
  });

  it('answers 413 for a body above 10 MiB', async () => {
    const sandbox = await freshSandbox();
    const url = `${sandbox.url}/v11/customers/${EUR}/googleAds:searchStream`;
    // The answer comes without waiting for a body, so none has to be sent.
    expect((await rawPost(url, { 'content-length': String(11 * 1024 * 1024) })).status).toBe(413);
    expect(sandbox.requests.at(-1)?.body).toBe('');
  });
});

describe('paths', () => {
  it.each(['v0', 'v01', 'v999', 'v11.0'])(
    'B12: answers 404 for a POST of the impossible version %s',
    async (version) => {
      const sandbox = await freshSandbox();
      expect(
        (await post(sandbox, `/${version}/customers/${EUR}/googleAds:searchStream`, { query: QUERY })).status,
      ).toBe(404);
    },
  );

  it.each([
    ...['v0', 'v00', 'v01', 'v999', 'V11', '11'].map((version) => `/${version}/customers:listAccessibleCustomers`),
    '/v11/customers:listEverything',
    '/v11.0/customers:listAccessibleCustomers',
    '/',
    '/%E0%A4%A',
  ])('B12: answers GET %s with 404 in the shape of 7.3', async (path) => {
    const sandbox = await freshSandbox();
    const answer = await answerOf(await fetch(sandbox.url + path));
    expect(answer.status).toBe(404);
    expect(answer.json.error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
  });

  it.each(['(4081725530)', '408-172-5530', 'abc', ''])(
    'B8: refuses the customer id "%s" in a path with 400',
    async (id) => {
      const sandbox = await freshSandbox();
      const answer = await search(sandbox, encodeURIComponent(id), QUERY);
      expect(answer.status).toBe(400);
      expect(answer.json[0].error.message).toContain('digits without dashes or parentheses');
    },
  );

  it('B8: answers 403 for an unknown customer', async () => {
    const sandbox = await freshSandbox();
    const answer = await search(sandbox, '1234567890', QUERY);
    expect(answer.json).toHaveLength(1);
    expect(answer.json[0].error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
  });

  it('B7: lists accessible customers as resource names, in any version v<major>', async () => {
    const sandbox = await freshSandbox();
    const headers = { authorization: `Bearer ${sandbox.credentials.accessToken}` };
    for (const version of ['v9', 'v11', 'v26']) {
      const url = `${sandbox.url}/${version}/customers:listAccessibleCustomers`;
      const answer = await answerOf(await fetch(url, { headers }));
      expect(answer.status).toBe(200);
      expect(answer.json.resourceNames).toEqual(
        sandbox.market.accounts.map(({ customerId }) => `customers/${customerId}`),
      );
    }
  });
});

describe('the token endpoint', () => {
  const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

  it('B16: returns a token for the refresh token, valid for an hour', async () => {
    const clock = fakeClock(NOON);
    const sandbox = await freshSandbox({ clock });
    const { clientId, clientSecret, refreshToken, tokenUrl } = sandbox.credentials;
    const fields = {
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
    };
    const issued = await answerOf(await fetch(tokenUrl, form(fields)));
    expect(issued.json).toEqual({ access_token: expect.any(String), expires_in: 3600, token_type: 'Bearer' });
    const headers = { authorization: `Bearer ${issued.json.access_token}` };
    const url = `${sandbox.url}/v11/customers:listAccessibleCustomers`;
    expect((await fetch(url, { headers })).status).toBe(200);
    clock.set('2026-11-20T13:00:00Z');
    expect((await fetch(url, { headers })).status).toBe(401);
  });

  it('B16: refuses wrong credentials with invalid_grant', async () => {
    const sandbox = await freshSandbox();
    const answer = await answerOf(await fetch(sandbox.credentials.tokenUrl, form({ grant_type: 'refresh_token' })));
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe('invalid_grant');
  });
});

describe('the sandbox’s memory', () => {
  it('records received requests by kind', async () => {
    const sandbox = await freshSandbox();
    await search(sandbox, EUR, QUERY);
    await mutate(sandbox, EUR, { operations: [], validateOnly: true });
    await fetch(`${sandbox.url}/elsewhere`);
    expect(sandbox.requests).toMatchObject([
      { kind: 'stream', method: 'POST', customerId: EUR, query: QUERY },
      { kind: 'mutate', customerId: EUR, validateOnly: true, body: '{"operations":[],"validateOnly":true}' },
      { kind: 'other', method: 'GET', path: '/elsewhere' },
    ]);
  });

  it('keeps budgets and messages across a restart with the same state file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const stateFile = join(folder, 'inner', 'sandbox.sqlite');
    const first = await freshSandbox({ stateFile });
    const budget = ownBudget(first, EUR);
    await mutate(first, EUR, { operations: [setAmount(EUR, budget.budgetId, '47000000')] });
    const { accountId, username, password, to, from } = first.credentials.messages;
    await fetch(`${first.url}/2010-04-01/Accounts/${accountId}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: new URLSearchParams({ To: to, From: from, Body: 'kept' }),
    });
    await first.close();
    const second = await freshSandbox({ stateFile });
    expect(second.messages()).toMatchObject([{ body: 'kept', mediaUrl: undefined }]);
    expect(second.budgetAmount(EUR, budget.budgetId)).toBe(47_000_000n);
    expect(second.market.accounts[0]?.budgets).toEqual(first.market.accounts[0]?.budgets);
    expect(() => second.budgetAmount(EUR, '1')).toThrow(RangeError);
  });

  it('reports a port in use', async () => {
    const sandbox = await freshSandbox();
    const port = Number(new URL(sandbox.url).port);
    await expect(freshSandbox({ port })).rejects.toThrow(`127.0.0.1:${port} failed: found a port in use`);
  });

  it('reports a state file that is not a database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const stateFile = join(folder, 'notes.txt');
    writeFileSync(
      stateFile,
      'not a database, but longer than a header of one hundred bytes would have to be'.repeat(9),
    );
    await expect(freshSandbox({ stateFile })).rejects.toThrow(`${stateFile} failed`);
  });
});
