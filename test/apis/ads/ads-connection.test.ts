import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { createTokenSource } from '../../../src/services/ads/access-token.ts';
import { type AdsConnection, callAds } from '../../../src/services/ads/ads-connection.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { failureOf, testClient } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { fakePauses } from '../../support/fake-time.ts';
import { stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo, MANAGER } from './ads-client.ts';

const POST = { method: 'POST', path: 'customers/1234567890/x:y', customer: CUSTOMER, body: { a: 'schön' } } as const;
const LISTING = { method: 'GET', path: 'customers:listAccessibleCustomers' } as const;

const unauthenticated = (response: ServerResponse, message = 'Invalid credentials.') =>
  response.writeHead(401).end(JSON.stringify({ error: { code: 401, status: 'UNAUTHENTICATED', message } }));

async function headersOf(overrides: Partial<AdsConnection>, request: Parameters<typeof callAds>[1] = POST) {
  const { url, requests } = await stubServer((_, response) => response.end('{}'));
  await callAds(connectTo(url, overrides), request);
  return requests[0]?.headers ?? {};
}

describe('a request', () => {
  it('B9: carries JSON text, its type and its length in bytes, and is not chunked', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await callAds(connectTo(url), POST);
    expect(requests).toMatchObject([{ method: 'POST', path: '/v21/customers/1234567890/x:y', body: '{"a":"schön"}' }]);
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '14' });
    expect(requests[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('B7: a listing is a GET without a body or body headers', async () => {
    const headers = await headersOf({}, LISTING);
    expect(headers).not.toHaveProperty('content-type');
    expect(headers).not.toHaveProperty('content-length');
  });

  it('B10: carries the token and any developer token', async () => {
    expect(await headersOf({ developerToken: 'developer-token-1' })).toMatchObject({
      authorization: 'Bearer access-token-1',
      'developer-token': 'developer-token-1',
    });
    expect(await headersOf({})).not.toHaveProperty('developer-token');
  });

  it.each([
    ['names the manager when an account is reached through one', MANAGER, POST, MANAGER],
    ['names no manager if there is none', undefined, POST, undefined],
    ['names no manager if the account is the manager itself', CUSTOMER, POST, undefined],
    ['names no manager on the listing, which has no account', MANAGER, LISTING, undefined],
  ] as const)('B10: %s', async (_, loginCustomerId, request, expected) => {
    expect((await headersOf({ loginCustomerId }, request))['login-customer-id']).toBe(expected);
  });

  it.each([
    ['uses the manager found by discovery, whatever is configured', MANAGER, customerId('77'), '77'],
    ['goes directly if discovery found the account so, whatever is configured', MANAGER, CUSTOMER, undefined],
    ['uses the manager above the account', undefined, MANAGER, MANAGER],
  ] as const)('B10: an account %s', async (_, loginCustomerId, found, expected) => {
    const logins = new Map();
    logins.set(CUSTOMER, found);
    expect((await headersOf({ loginCustomerId, logins }))['login-customer-id']).toBe(expected);
  });

  it('counts as one operation per attempt if it is for a customer', async () => {
    const { url } = await stubServer((_, response) => unauthenticated(response));
    const ads = connectTo(url, { tokens: { token: async () => 'a', renew: async () => true } });
    await failureOf(callAds(ads, POST));
    await failureOf(callAds(ads, LISTING));
    expect(ads.operations.count).toBe(2);
  });

  it.each(['v9', 'v11', 'v25'])('B17: goes to the version %s of the settings', async (version) => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await callAds(connectTo(url, { version }), LISTING);
    expect(requests[0]?.path).toBe(`/${version}/customers:listAccessibleCustomers`);
  });
});

describe('a refused token', () => {
  it('B11: such as a client secret: the message names the expected kind', async () => {
    const sandbox = await freshSandbox();
    const { clientSecret } = sandbox.credentials;
    const tokens = { token: async () => clientSecret, renew: async () => false };
    const redact = createRedact([clientSecret]);
    const error = await failureOf(callAds(connectTo(sandbox.url, { tokens, redact }), LISTING));
    expect(error).toMatchObject({ httpStatus: 401, status: 'UNAUTHENTICATED', outcome: 'not_processed' });
    expect(error.nextStep).toMatchInlineSnapshot(
      `"Set ADS_ACCESS_TOKEN to an OAuth 2.0 access token, not a client secret or refresh token. Or set ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN to fetch one."`,
    );
    expect(`${error.message}${error.nextStep}`).not.toContain(clientSecret);
    expect(sandbox.requests).toHaveLength(1);
  });

  it('B16: is renewed once, and the request is repeated with the new token', async () => {
    const { url, requests } = await stubServer(({ headers }, response) => {
      if (headers.authorization === 'Bearer new') response.end('{}');
      else unauthenticated(response);
    });
    let current = 'old';
    const renewed: string[] = [];
    const tokens = {
      token: async () => current,
      renew: async (refused: string) => {
        renewed.push(refused);
        current = 'new';
        return true;
      },
    };
    expect((await callAds(connectTo(url, { tokens }), POST)).status).toBe(200);
    expect(renewed).toEqual(['old']);
    expect(requests.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer old', '{"a":"schön"}'],
      ['Bearer new', '{"a":"schön"}'],
    ]);
  });

  it('B16: is not renewed a second time', async () => {
    const { url, requests } = await stubServer((_, response) => unauthenticated(response));
    let renewals = 0;
    const tokens = { token: async () => `token-${renewals}`, renew: async () => ++renewals > 0 };
    const error = await failureOf(callAds(connectTo(url, { tokens }), POST));
    expect(error).toMatchObject({ httpStatus: 401, transient: false });
    expect({ requests: requests.length, renewals }).toEqual({ requests: 2, renewals: 1 });
  });

  it('is not in the error, even if it was fetched and the service repeats it', async () => {
    const { url } = await stubServer(({ path, headers }, response) => {
      if (path === '/token') response.end('{"access_token":"fetched-token-1"}');
      else unauthenticated(response, headers.authorization);
    });
    const secret = {
      clientId: 'client',
      clientSecret: 'secret-1',
      refreshToken: 'refresh-1',
      tokenUrl: `${url}/token`,
    };
    const redact = createRedact([]);
    const deps = { http: testClient(), pauses: fakePauses(), redact };
    const tokens = createTokenSource({ kind: 'refresh_token', ...secret }, deps);
    const error = await failureOf(callAds({ ...connectTo(url, { tokens }), redact }, LISTING));
    expect(error.message).toMatchInlineSnapshot(
      `"The advertising interface answered UNAUTHENTICATED (401): Bearer [redacted]"`,
    );
  });
});
