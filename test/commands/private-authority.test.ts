import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeClock } from '../support/fake-time.ts';
import { forwardProxy } from '../support/forward-proxy.ts';
import { type PrivateAuthority, privateAuthority } from '../support/private-authority.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NOON, writeFolder } from '../support/world.ts';
import { runInProcess } from './run-in-process.ts';

/** The sandbox behind a certificate that no public authority signed. */
async function encryptedSandbox(authority: PrivateAuthority): Promise<Sandbox> {
  const clock = fakeClock(NOON);
  const sandbox = await startSandbox({ stateFile: join(tempDir(), 'sandbox.sqlite'), clock, seed: 1, strict: false });
  const keys = { key: readFileSync(authority.keyFile), cert: readFileSync(authority.certificateFile) };
  const server = createServer(keys, (client) => {
    const service = connect(Number(new URL(sandbox.url).port), '127.0.0.1');
    service.pipe(client).pipe(service);
    for (const socket of [client, service]) socket.on('error', () => undefined);
    client.on('close', () => service.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    await sandbox.close();
    server.close();
  });
  return { ...sandbox, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function liveIn({ url, credentials }: Sandbox) {
  const { messages } = credentials;
  return {
    PACEKEEPER_TARGET: 'live',
    PACEKEEPER_NOW: NOON,
    ADS_URL: url,
    ADS_TOKEN_URL: `${url}/token`,
    ADS_CLIENT_ID: credentials.clientId,
    ADS_CLIENT_SECRET: credentials.clientSecret,
    ADS_REFRESH_TOKEN: credentials.refreshToken,
    MESSAGES_URL: url,
    MESSAGES_ACCOUNT_ID: messages.accountId,
    MESSAGES_USERNAME: messages.username,
    MESSAGES_PASSWORD: messages.password,
    MESSAGES_FROM: messages.from,
    MESSAGES_TO: messages.to,
  };
}

interface Check {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly next_step: string | null;
}

async function doctor(env: Readonly<Record<string, string>>): Promise<(name: string) => Check | undefined> {
  const folder = tempDir();
  writeFolder(folder, 'queries', {});
  const { stdout } = await runInProcess(['doctor', '--format', 'json'], { folder, env });
  const checks = JSON.parse(stdout) as Check[];
  return (name) => checks.find(({ check }) => check === name);
}

const NEXT = 'Set tls.ca_file (PACEKEEPER_TLS_CA_FILE) to a file with the certificate of its authority.';

describe('a private authority', () => {
  it('is trusted only with tls.ca_file: by token, advertising and messaging interface', async () => {
    const authority = privateAuthority();
    const env = liveIn(await encryptedSandbox(authority));
    const without = await doctor(env);
    for (const name of ['advertising', 'messages']) {
      expect(without(name)).toMatchObject({
        state: 'failed',
        found: expect.stringContaining('the authority of the certificate is unknown (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'),
        next_step: NEXT,
      });
    }
    const trusting = await doctor({ ...env, PACEKEEPER_TLS_CA_FILE: authority.caFile });
    expect(trusting('advertising')).toMatchObject({ state: 'ok' });
    expect(trusting('messages')).toMatchObject({ state: 'ok' });
    expect(trusting('authorities')).toMatchObject({ state: 'ok', found: `${authority.caFile}: 1 certificate` });
  });

  it('is trusted behind a proxy, and other authorities are not', async () => {
    const authority = privateAuthority();
    const { url } = await forwardProxy();
    const env = { ...liveIn(await encryptedSandbox(authority)), HTTPS_PROXY: url };
    const trusting = await doctor({ ...env, PACEKEEPER_TLS_CA_FILE: authority.caFile });
    expect(trusting('advertising')).toMatchObject({ state: 'ok' });
    const other = await doctor({ ...env, PACEKEEPER_TLS_CA_FILE: privateAuthority().caFile });
    expect(other('advertising')).toMatchObject({ state: 'failed', next_step: NEXT });
  });

  it('that has expired is a warning', async () => {
    const { caFile } = privateAuthority();
    const later = await doctor({ PACEKEEPER_TLS_CA_FILE: caFile, PACEKEEPER_NOW: '2099-01-01T00:00:00Z' });
    expect(later('authorities')).toMatchObject({
      state: 'warning',
      found: `${caFile}: 1 certificate, 1 of them expired`,
    });
  });

  it.each([
    ['a missing file', undefined, 'found no such file'],
    ['a file without a certificate', 'secret', 'found no certificate'],
    [
      'a damaged certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'found a damaged certificate',
    ],
  ])('in %s is refused before anything is sent', async (_sentence, text, found) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'tls: { ca_file: own.pem }\n');
    if (text !== undefined) writeFileSync(join(folder, 'own.pem'), text);
    const { code, stderr } = await runInProcess(['status'], { folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('pacekeeper.yaml:1:17: error: tls.ca_file')]);
    const file = join(folder, 'own.pem');
    expect(stderr).toContain(`names ${file}: ${found}, expected a PEM file with certificates of authorities.`);
    expect(stderr).not.toContain('secret');
  });
});
