import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AdsCredentials } from '../../../src/domain/connection-settings.ts';
import { createTokenSource } from '../../../src/services/ads/access-token.ts';
import { listAccessibleCustomers } from '../../../src/services/ads/list-accounts.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { failureOf, testClient } from '../../http/test-client.ts';
import { freshSandbox, NOON } from '../../sandbox/sandbox-client.ts';
import { fakeClock, fakePauses } from '../../support/fake-time.ts';
import { EMAIL, keyFile, privateKeyPem } from '../../support/service-account.ts';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { connectTo } from './ads-client.ts';

const redact = createRedact([]);
const sourceOf = (credentials: AdsCredentials, now = NOON) =>
  createTokenSource(credentials, { http: testClient(), pauses: fakePauses(), redact, clock: fakeClock(now) });

/** A sandbox with a service account, and that account's login. */
async function sandboxLogin() {
  const file = join(tempDir(), 'key.json');
  const sandbox = await freshSandbox({ serviceAccountFile: file });
  const key = JSON.parse(readFileSync(file, 'utf8'));
  const { tokenUrl } = sandbox.credentials;
  const credentials = {
    kind: 'service_account',
    key: { file, clientEmail: key.client_email as string, privateKey: key.private_key as string },
    impersonatedEmail: undefined as string | undefined,
    tokenUrl,
  } as const;
  return { sandbox, credentials, file };
}

describe('a service account', () => {
  it('logs in with an assertion that the sandbox verifies, and reads with the token', async () => {
    const { sandbox, credentials, file } = await sandboxLogin();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const tokens = sourceOf(credentials);
    const ads = { ...connectTo(sandbox.url), tokens };
    expect((await listAccessibleCustomers(ads)).customers).toHaveLength(4);
    await listAccessibleCustomers(ads);
    const [first, ...others] = sandbox.requests.filter(({ kind }) => kind === 'token');
    expect(others).toEqual([]);
    const form = new URLSearchParams(first?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [, claims = ''] = form.get('assertion')?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: credentials.key.clientEmail,
      scope: 'https://www.googleapis.com/auth/adwords',
      aud: credentials.tokenUrl,
      iat: Date.parse(NOON) / 1000,
      exp: Date.parse(NOON) / 1000 + 3600,
    });
  });

  it('gets another token after a refusal', async () => {
    const { credentials } = await sandboxLogin();
    const tokens = sourceOf(credentials);
    const first = await tokens.token();
    expect(await tokens.renew(first)).toBe(true);
    expect(await tokens.token()).not.toBe(first);
  });

  it('acts for a user of its domain', async () => {
    const { credentials } = await sandboxLogin();
    await expect(sourceOf({ ...credentials, impersonatedEmail: 'ann@sandbox.example' }).token()).resolves.toBeTruthy();
  });

  it('keeps its key if the sandbox starts again', async () => {
    const { credentials, file } = await sandboxLogin();
    const { tokenUrl } = (await freshSandbox({ serviceAccountFile: file })).credentials;
    await expect(sourceOf({ ...credentials, tokenUrl }).token()).resolves.toBeTruthy();
  });

  it.each<[string, Partial<Awaited<ReturnType<typeof sandboxLogin>>['credentials']>, string, string, string]>([
    [
      'with a key that is revoked',
      { key: { file: '/key.json', clientEmail: 'pacekeeper@sandbox.iam.example', privateKey: privateKeyPem() } },
      NOON,
      'The token endpoint answered HTTP 400: invalid_grant Invalid JWT Signature.',
      'The key may be expired, deleted or disabled. Create a new key for pacekeeper@sandbox.iam.example, and replace /key.json.',
    ],
    [
      'with a deleted account',
      { key: { file: '/key.json', clientEmail: EMAIL, privateKey: privateKeyPem() } },
      NOON,
      'The token endpoint answered HTTP 400: invalid_grant Invalid grant: account not found.',
      `The key may be expired, deleted or disabled. Create a new key for ${EMAIL}, and replace /key.json.`,
    ],
    [
      'with a clock that is an hour late',
      {},
      '2026-11-20T10:50:00Z',
      'The token endpoint answered HTTP 400: invalid_grant Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      'Synchronise the clock of this machine (timedatectl set-ntp true).',
    ],
    [
      'with a clock that is fast',
      {},
      '2026-11-20T12:06:00Z',
      'The token endpoint answered HTTP 400: invalid_grant Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      'Synchronise the clock of this machine (timedatectl set-ntp true).',
    ],
    [
      'for a user of another domain',
      { impersonatedEmail: 'ann@elsewhere.example' },
      NOON,
      'The token endpoint answered HTTP 401: unauthorized_client Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
      'Allow pacekeeper@sandbox.iam.example domain-wide delegation for the scope https://www.googleapis.com/auth/adwords, or remove ads.impersonated_email.',
    ],
  ])('is refused %s', async (_, wrong, now, message, nextStep) => {
    const { credentials } = await sandboxLogin();
    const failure = await failureOf(sourceOf({ ...credentials, ...wrong }, now).token());
    expect(failure).toMatchObject({ message, nextStep, status: 'UNAUTHENTICATED', transient: false });
  });

  it('of another program is refused by a sandbox without one', async () => {
    const { credentials } = await sandboxLogin();
    const { tokenUrl } = (await freshSandbox()).credentials;
    const { message } = await failureOf(sourceOf({ ...credentials, tokenUrl }).token());
    expect(message).toContain('account not found');
  });

  it.each([
    [503, 'busy', true, 'TOKEN_ENDPOINT'],
    [429, '{"error":"rate_limit"}', true, 'UNAUTHENTICATED'],
    [200, '<html>', false, 'TOKEN_ENDPOINT'],
    [200, '{}', false, 'TOKEN_ENDPOINT'],
  ])('sends one request if the endpoint answers %i %s', async (status, body, transient, code) => {
    const { url, requests } = await stubServer((_, response) => void response.writeHead(status).end(body));
    const key = { file: '/key.json', clientEmail: EMAIL, privateKey: privateKeyPem() };
    const credentials = {
      kind: 'service_account',
      key,
      impersonatedEmail: undefined,
      tokenUrl: `${url}/token`,
    } as const;
    expect(await failureOf(sourceOf(credentials).token())).toMatchObject({
      transient,
      status: code,
      httpStatus: status,
    });
    expect(requests).toHaveLength(1);
  });

  it('keeps its assertion out of errors if the endpoint repeats it', async () => {
    const { url, requests } = await stubServer(({ body }, response) => {
      response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', error_description: `You sent ${body}` }));
    });
    const key = { file: '/key.json', clientEmail: EMAIL, privateKey: privateKeyPem() };
    const credentials = {
      kind: 'service_account',
      key,
      impersonatedEmail: undefined,
      tokenUrl: `${url}/token`,
    } as const;
    const { message } = await failureOf(sourceOf(credentials).token());
    expect(message).toContain('You sent');
    const signature = new URLSearchParams(requests[0]?.body).get('assertion')?.split('.')[2] ?? '';
    expect(signature.length).toBeGreaterThan(300);
    expect(message).not.toContain(signature.slice(0, 20));
  });
});

describe('the identity of the machine', () => {
  afterEach(() => vi.unstubAllEnvs());
  const tokenUrl = 'http://127.0.0.1:9/token';

  it('is the account of the virtual machine, asked through our own client', async () => {
    const { url, requests } = await stubServer((_, response) => {
      response.writeHead(200, { 'metadata-flavor': 'Google', 'content-type': 'application/json' });
      response.end('{"access_token":"machine-token","expires_in":3599,"token_type":"Bearer"}');
    });
    vi.stubEnv('GCE_METADATA_HOST', new URL(url).host);
    vi.stubEnv('HOME', tempDir());
    expect(await sourceOf({ kind: 'machine', tokenUrl }).token()).toBe('machine-token');
    expect(requests.map(({ method, path, headers }) => [method, path, headers['metadata-flavor']])).toEqual([
      [
        'GET',
        '/computeMetadata/v1/instance/service-accounts/default/token?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fadwords',
        'Google',
      ],
    ]);
  });

  it('is the file that the environment names', async () => {
    const warned = vi.spyOn(console, 'warn');
    const { sandbox, file } = await sandboxLogin();
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    const machine = createTokenSource(
      { kind: 'machine', tokenUrl: sandbox.credentials.tokenUrl },
      { http: testClient(), pauses: fakePauses(), redact },
    );
    // The library dates the assertion by the real clock, and the sandbox's stands still.
    const { message } = await failureOf(machine.token());
    expect(message).toContain('reasonable timeframe');
    expect(sandbox.requests.map(({ kind }) => kind)).toEqual(['token']);
    expect(warned).not.toHaveBeenCalled();
  });

  it('is the login of gcloud', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{"access_token":"user-token"}'));
    const folder = tempDir();
    vi.stubEnv('CLOUDSDK_CONFIG', folder);
    const login = { type: 'authorized_user', client_id: 'c', client_secret: 's3cret', refresh_token: '1//r' };
    writeFileSync(join(folder, 'application_default_credentials.json'), JSON.stringify(login));
    expect(await sourceOf({ kind: 'machine', tokenUrl: `${url}/token` }).token()).toBe('user-token');
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: '1//r',
    });
  });

  it('is refused with the next step if there is none', async () => {
    vi.stubEnv('HOME', tempDir());
    vi.stubEnv('GCE_METADATA_HOST', '127.0.0.1:9');
    const failure = await failureOf(sourceOf({ kind: 'machine', tokenUrl }).token());
    expect(failure.message).toContain('127.0.0.1:9');
    expect(failure.nextStep).toMatch(/^ads\.machine_identity needs GOOGLE_APPLICATION_CREDENTIALS/);
  });

  it('is refused if the environment names a file that is none', async () => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', keyFile('not JSON, S3Cret'));
    const failure = await failureOf(sourceOf({ kind: 'machine', tokenUrl }).token());
    expect(failure).toMatchObject({ status: 'UNAUTHENTICATED', transient: false });
    expect(failure.message).toMatch(/^The login failed: Unable to read the credential file/);
  });
});
