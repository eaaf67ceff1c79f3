import { describe, expect, it } from 'vitest';
import { webhookSecrets } from '../../src/config/live-areas.ts';
import type { Environment } from '../../src/config/setting-tree.ts';
import { ADS, live, MESSAGES, problemsOf, read } from './settings-reader.ts';

describe('the webhook server', () => {
  it('listens only on this machine by default', () => {
    expect(live(ADS).serve).toEqual({
      host: '127.0.0.1',
      port: 4020,
      trustProxy: false,
      links: false,
      kit: false,
      publicUrl: undefined,
    });
  });

  it('is read from the file; the environment overrides single values', () => {
    const config = 'serve: { host: "::1", port: 0, public_url: https://hooks.example.com/pk/ }';
    const inFile = { host: '::1', port: 0, publicUrl: 'https://hooks.example.com/pk' };
    expect(read({}, config).serve).toMatchObject(inFile);
    const environment = { SERVE_HOST: '0.0.0.0', SERVE_PORT: '65535' };
    expect(read(environment, config).serve).toMatchObject({ ...inFile, host: '0.0.0.0', port: 65_535 });
    expect(read({ SERVE_PUBLIC_URL: 'https://other.example.com' }, config).serve.publicUrl).toBe(
      'https://other.example.com',
    );
  });

  it('has the secrets of webhooks; for messages, the password', () => {
    const environment = { ...MESSAGES, GRAPH_APP_SECRET: 'app', GRAPH_VERIFY_TOKEN: 'verify' };
    expect(webhookSecrets(live(environment))).toEqual({
      GRAPH_APP_SECRET: 'app',
      GRAPH_VERIFY_TOKEN: 'verify',
      MESSAGES_PASSWORD: 'password-1',
    });
    const config = 'graph: { app_secret: a, verify_token: v }\nmessages: { password: p }';
    expect(webhookSecrets(read({}, config))).toEqual({
      GRAPH_APP_SECRET: 'a',
      GRAPH_VERIFY_TOKEN: 'v',
      MESSAGES_PASSWORD: 'p',
    });
  });

  it.each<[string, Environment, string]>([
    ...['-1', '65536', '80a', '4020.5', '123456'].map((port): [string, Environment, string] => [
      `the port ${port}`,
      { SERVE_PORT: port },
      `Found "${port}" for SERVE_PORT, expected a whole number from 0 to 65535.`,
    ]),
    [
      'an address of the web for a host',
      { SERVE_HOST: 'http://0.0.0.0' },
      'Found text for SERVE_HOST, expected an address of this machine such as 127.0.0.1.',
    ],
    [
      'a public address without encryption',
      { SERVE_PUBLIC_URL: 'http://hooks.example.com' },
      'Found text for SERVE_PUBLIC_URL, expected an address that begins with https://, or with http:// on this machine.',
    ],
    [
      'a public address with a query, which would be signed',
      { SERVE_PUBLIC_URL: 'https://hooks.example.com?x=1' },
      'Found text for SERVE_PUBLIC_URL, expected an address without user, query or fragment.',
    ],
    [
      'no address',
      { SERVE_PUBLIC_URL: 'hooks' },
      'Found text for SERVE_PUBLIC_URL, expected an address such as https://ads.example.com.',
    ],
  ])('is refused with %s', (_, environment, problem) => {
    expect(problemsOf({ ...ADS, ...environment })).toEqual([problem]);
  });
});
