import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createTokenSource, type TokenSource } from '../../../src/services/ads/access-token.ts';
import { listAccessibleCustomers } from '../../../src/services/ads/list-accounts.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { failureOf, testClient } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { type FakePauses, fakePauses } from '../../support/fake-time.ts';
import { type StubRequest, stubServer } from '../../support/stub-server.ts';
import { connectTo } from './ads-client.ts';

const CLIENT = { clientId: 'client-1', clientSecret: 'client secret+1', refreshToken: '1//refresh' };
const redact = createRedact([CLIENT.clientSecret, CLIENT.refreshToken]);

interface Exchange {
  readonly tokens: TokenSource;
  readonly requests: readonly StubRequest[];
  readonly pauses: FakePauses;
}

/** A token endpoint that gives out token-1, token-2, …, unless it answers otherwise. */
async function exchangeAt(
  answer: (response: ServerResponse, number: number) => void = (response, number) =>
    response.end(JSON.stringify({ access_token: `token-${number}`, expires_in: 3600, token_type: 'Bearer' })),
): Promise<Exchange> {
  const { url, requests } = await stubServer((_, response) => answer(response, requests.length));
  const pauses = fakePauses();
  const credentials = { kind: 'refresh_token', ...CLIENT, tokenUrl: `${url}/token` } as const;
  const tokens = createTokenSource(credentials, { http: testClient(), pauses, redact });
  return { tokens, requests, pauses };
}

const answering = (status: number, body: string) =>
  exchangeAt((response) => {
    response.writeHead(status).end(body);
  });

describe('a ready access token', () => {
  it('B16: is used as given, and cannot be renewed', async () => {
    const deps = { http: testClient(), pauses: fakePauses(), redact };
    const tokens = createTokenSource({ kind: 'access_token', accessToken: 'ready-1' }, deps);
    expect(await tokens.token()).toBe('ready-1');
    expect(await tokens.renew('ready-1')).toBe(false);
    expect(await tokens.token()).toBe('ready-1');
  });
});

describe('a fetched token', () => {
  it('B16: is fetched by posting a form with the refresh token', async () => {
    const { tokens, requests } = await exchangeAt();
    expect(await tokens.token()).toBe('token-1');
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=refresh_token&client_id=client-1&client_secret=client+secret%2B1&refresh_token=1%2F%2Frefresh',
      },
    ]);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('B16: is kept until two minutes before it expires, then another is fetched', async () => {
    const { tokens, requests, pauses } = await exchangeAt();
    await tokens.token();
    await pauses.pause(3_479_999);
    expect(await tokens.token()).toBe('token-1');
    await pauses.pause(1);
    expect(await tokens.token()).toBe('token-2');
    expect(requests).toHaveLength(2);
  });

  it.each([
    [120, 90],
    [60, 45],
    [1, 0.75],
    [480, 360],
    [481, 361],
  ])('B16: with a lifetime of %s seconds is used for %s seconds', async (livesSeconds, usedSeconds) => {
    const { tokens, requests, pauses } = await exchangeAt((response, number) =>
      response.end(JSON.stringify({ access_token: `token-${number}`, expires_in: livesSeconds })),
    );
    await tokens.token();
    await pauses.pause(usedSeconds * 1000 - 1);
    expect(await tokens.token()).toBe('token-1');
    await pauses.pause(1);
    expect(await tokens.token()).toBe('token-2');
    expect(requests).toHaveLength(2);
  });

  it('is redacted in every text, as are the newest earlier tokens; older ones are forgotten', async () => {
    const known = createRedact([]);
    const { url } = await stubServer((_, response) =>
      response.end(JSON.stringify({ access_token: `short-lived-${given++}.` })),
    );
    let given = 0;
    const pauses = fakePauses();
    const credentials = { kind: 'refresh_token', ...CLIENT, tokenUrl: url } as const;
    const tokens = createTokenSource(credentials, { http: testClient(), pauses, redact: known });
    for (let hour = 0; hour < 20; hour++) {
      await tokens.token();
      await pauses.pause(3_600_000);
    }
    expect(known('short-lived-0. short-lived-4. short-lived-19.')).toBe('short-lived-0. [redacted] [redacted]');
  });

  it('B16: lives an hour if the answer gives no lifetime', async () => {
    const { tokens, pauses } = await answering(200, '{"access_token":"token-x"}');
    await tokens.token();
    await pauses.pause(3_479_999);
    expect(await tokens.token()).toBe('token-x');
  });

  it('B16: is fetched once for simultaneous callers', async () => {
    const { tokens, requests } = await exchangeAt();
    const asked = await Promise.all([tokens.token(), tokens.token(), tokens.token()]);
    expect(asked).toEqual(['token-1', 'token-1', 'token-1']);
    expect(requests).toHaveLength(1);
  });

  it('B16: is renewed once for all callers refused with it', async () => {
    const { tokens, requests } = await exchangeAt();
    const refused = await tokens.token();
    expect(await Promise.all([tokens.renew(refused), tokens.renew(refused)])).toEqual([true, true]);
    expect(await tokens.renew(refused)).toBe(true);
    expect(await tokens.token()).toBe('token-2');
    expect(requests).toHaveLength(2);
  });

  it('B16: opens the sandbox, unlike a bare refresh token', async () => {
    const sandbox = await freshSandbox();
    const { clientId, clientSecret, refreshToken, tokenUrl } = sandbox.credentials;
    const ads = connectTo(sandbox.url);
    const tokens = createTokenSource({ kind: 'refresh_token', clientId, clientSecret, refreshToken, tokenUrl }, ads);
    await listAccessibleCustomers({ ...ads, tokens });
    expect(sandbox.requests.map(({ kind }) => kind)).toEqual(['token', 'list']);
    const bare = createTokenSource({ kind: 'access_token', accessToken: refreshToken }, ads);
    const error = await failureOf(listAccessibleCustomers({ ...ads, tokens: bare }));
    expect(error.status).toBe('UNAUTHENTICATED');
  });
});

describe('a failed exchange', () => {
  it.each([
    ['a revoked refresh token', 400, '{"error":"invalid_grant"}', 'UNAUTHENTICATED'],
    ['an unknown client', 401, '{"error":"invalid_client"}', 'UNAUTHENTICATED'],
    ['a page of something else', 404, '<html>', 'UNAUTHENTICATED'],
    ['a success without a token', 200, '{"expires_in":3600}', 'TOKEN_ENDPOINT'],
    ['a success with an empty token', 200, '{"access_token":"","expires_in":3600}', 'TOKEN_ENDPOINT'],
    ['a success with a token that injects a header', 200, '{"access_token":"t\\r\\nx-role: admin"}', 'TOKEN_ENDPOINT'],
    ['a success with an HTML page', 200, '<html>', 'TOKEN_ENDPOINT'],
    ['a redirect', 302, '', 'TOKEN_ENDPOINT'],
  ])('B16: is final: %s', async (_, httpStatus, body, status) => {
    const { tokens, requests } = await answering(httpStatus, body);
    expect(await failureOf(tokens.token())).toMatchObject({ httpStatus, status, transient: false });
    expect(requests).toHaveLength(1);
  });

  it('B16: can be repeated by the caller; its own request was surely not sent', async () => {
    const { tokens, requests } = await exchangeAt((response, number) => {
      if (number === 1) response.writeHead(503).end();
      else if (number === 2) response.destroy();
      else response.end('{"access_token":"late"}');
    });
    const passing = { transient: true, outcome: 'not_processed' };
    expect(await failureOf(tokens.token())).toMatchObject({ httpStatus: 503, status: 'TOKEN_ENDPOINT', ...passing });
    expect(await failureOf(tokens.token())).toMatchObject(passing);
    expect(await tokens.token()).toBe('late');
    expect(requests).toHaveLength(3);
  });

  it.each([
    ['refuses', 400, '', /no token/, /^Check ADS_CLIENT_ID/],
    ['fails', 503, '', /HTTP 503/, undefined],
    ['is a page', 200, '<html>', /an HTML page/, /^Check ADS_TOKEN_URL/],
  ])('B16: blames the credentials only if they are at fault: it %s', async (_, status, body, words, step) => {
    const { tokens } = await answering(status, body);
    const error = await failureOf(tokens.token());
    expect(error.message).toMatch(words);
    if (step) expect(error.nextStep).toMatch(step);
    else expect(error.nextStep).toBeUndefined();
  });

  it("B16: reports the endpoint's words and the next step", async () => {
    const description = 'Token has been expired or revoked.';
    const { tokens } = await answering(400, JSON.stringify({ error: 'invalid_grant', error_description: description }));
    const error = await failureOf(tokens.token());
    expect(error.message).toMatchInlineSnapshot(
      `"The token endpoint answered HTTP 400: invalid_grant Token has been expired or revoked."`,
    );
    expect(error.nextStep).toMatchInlineSnapshot(
      `"Check ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN. Replace a revoked refresh token."`,
    );
  });

  it('repeats a long answer in part', async () => {
    const { tokens } = await answering(400, JSON.stringify({ error: 'no', error_description: 'word '.repeat(10_000) }));
    const { message } = await failureOf(tokens.token());
    expect(message.length).toBeLessThan(600);
    expect(message).toMatch(/word…\.$/);
  });

  it('never shows a secret, even if the endpoint repeats the request', async () => {
    const { url, requests } = await stubServer(({ body }, response) => {
      const words = `${body} ${CLIENT.clientSecret} ${CLIENT.refreshToken}`;
      response.writeHead(400).end(JSON.stringify({ error: 'invalid_request', error_description: words }));
    });
    const credentials = { kind: 'refresh_token', ...CLIENT, tokenUrl: url } as const;
    const deps = { http: testClient(), pauses: fakePauses(), redact };
    const { message } = await failureOf(createTokenSource(credentials, deps).token());
    expect(requests[0]?.body).toContain('client+secret%2B1');
    expect(message).toMatchInlineSnapshot(
      `"The token endpoint answered HTTP 400: invalid_request grant_type=refresh_token&client_id=client-1&client_secret=[redacted]&refresh_token=[redacted] [redacted] [redacted]."`,
    );
  });
});
