import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/config/setting-tree.ts';
import { ADS, adsOf, live, MESSAGES, problemsOf, REFRESH, read } from './settings-reader.ts';

describe('the advertising interface', () => {
  it('B16: takes a ready access token', () => {
    expect(adsOf(live(ADS))).toEqual({
      url: 'https://ads.example.com',
      version: 'v25',
      streamPath: 'googleAds:searchStream',
      credentials: { kind: 'access_token', accessToken: 'ya29.secret' },
      developerToken: undefined,
      loginCustomerId: undefined,
    });
  });

  it('B16: takes a client with a refresh token, and the public address to exchange it at', () => {
    expect(adsOf(live(REFRESH)).credentials).toEqual({
      kind: 'refresh_token',
      clientId: 'client.apps',
      clientSecret: 'GOCSPX-secret',
      refreshToken: '1//refresh',
      tokenUrl: 'https://oauth2.googleapis.com/token',
    });
    const own = adsOf(live({ ...REFRESH, ADS_TOKEN_URL: 'http://127.0.0.1:9/token' })).credentials;
    expect(own).toMatchObject({ tokenUrl: 'http://127.0.0.1:9/token' });
  });

  it('B16: prefers the access token if both are set', () => {
    expect(adsOf(live({ ...REFRESH, ...ADS })).credentials.kind).toBe('access_token');
  });

  it('is read from the file; the environment overrides single values', () => {
    const config = [
      'target: live',
      'ads:',
      '  url: https://file.example.com/',
      '  version: v11',
      '  access_token: file-token',
      '  developer_token: file-developer',
      '  login_customer_id: 123-456-7890',
      '  stream_path: googleAds:search',
    ].join('\n');
    expect(adsOf(read({}, config))).toEqual({
      url: 'https://file.example.com',
      version: 'v11',
      streamPath: 'googleAds:search',
      credentials: { kind: 'access_token', accessToken: 'file-token' },
      developerToken: 'file-developer',
      loginCustomerId: '1234567890',
    });
    expect(adsOf(read({ ADS_VERSION: 'v9', ADS_LOGIN_CUSTOMER_ID: '99-9' }, config))).toMatchObject({
      url: 'https://file.example.com',
      version: 'v9',
      loginCustomerId: '999',
    });
  });

  it('B8, B11, B17: is refused for each mistake', () => {
    const mistakes: Environment[] = [
      { ADS_ACCESS_TOKEN: 'x' },
      { ADS_ACCESS_TOKEN: 'x', ADS_DEVELOPER_TOKEN: 'd' },
      { ADS_URL: 'https://a.example' },
      { ...REFRESH, ADS_CLIENT_SECRET: undefined },
      { ADS_URL: 'https://a.example', ADS_REFRESH_TOKEN: 'r' },
      { ...ADS, ADS_ACCESS_TOKEN: 's3cret', ADS_CLIENT_SECRET: 's3cret' },
      { ...ADS, ADS_ACCESS_TOKEN: 'GOCSPX-abc' },
      { ...ADS, ADS_ACCESS_TOKEN: 'same', ADS_REFRESH_TOKEN: 'same' },
      { ...ADS, ADS_ACCESS_TOKEN: '1//abc' },
      { ...ADS, ADS_ACCESS_TOKEN: 'Bearer abc' },
      ...['25', 'v', 'v0', 'v25.1', 'V25', 'latest'].map((version) => ({ ...ADS, ADS_VERSION: version })),
      { ...ADS, ADS_STREAM_PATH: '/search?alt=sse' },
      { ...ADS, ADS_LOGIN_CUSTOMER_ID: '(123) 456' },
      { ...ADS, ADS_CUSTOMER_IDS: '123-456-7890, (1), x' },
    ];
    expect(mistakes.flatMap((one) => problemsOf(one)).join('\n')).toMatchInlineSnapshot(`
      "ADS_URL is missing, but ADS_ACCESS_TOKEN is set. Set all settings of this interface, or remove them all.
      ADS_URL is missing, but ADS_ACCESS_TOKEN, ADS_DEVELOPER_TOKEN are set. Set all settings of this interface, or remove them all.
      ADS_ACCESS_TOKEN is missing. Set it, ADS_SERVICE_ACCOUNT_FILE, or ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN.
      ADS_CLIENT_SECRET is missing, but ADS_CLIENT_ID, ADS_REFRESH_TOKEN are set. Set all settings of this interface, or remove them all.
      ADS_CLIENT_ID is missing, but ADS_REFRESH_TOKEN is set. Set all settings of this interface, or remove them all.
      ADS_CLIENT_SECRET is missing, but ADS_REFRESH_TOKEN is set. Set all settings of this interface, or remove them all.
      ADS_ACCESS_TOKEN is a client secret, expected an OAuth 2.0 access token.
      ADS_ACCESS_TOKEN is a client secret, expected an OAuth 2.0 access token.
      ADS_ACCESS_TOKEN is a refresh token, expected an OAuth 2.0 access token.
      ADS_ACCESS_TOKEN is a refresh token, expected an OAuth 2.0 access token.
      Found text for ADS_ACCESS_TOKEN, expected an OAuth 2.0 access token, without spaces or quotes.
      Found "25" for ADS_VERSION, expected v and a number such as v25.
      Found "v" for ADS_VERSION, expected v and a number such as v25.
      Found "v0" for ADS_VERSION, expected v and a number such as v25.
      Found "v25.1" for ADS_VERSION, expected v and a number such as v25.
      Found "V25" for ADS_VERSION, expected v and a number such as v25.
      Found "latest" for ADS_VERSION, expected v and a number such as v25.
      Found text for ADS_STREAM_PATH, expected a path such as googleAds:searchStream.
      Found "(123) 456" for ADS_LOGIN_CUSTOMER_ID, expected a customer id: digits, dashes allowed, no parentheses.
      Found "(1)" for ADS_CUSTOMER_IDS, expected a customer id: digits, dashes allowed, no parentheses.
      Found "x" for ADS_CUSTOMER_IDS, expected a customer id: digits, dashes allowed, no parentheses."
    `);
  });

  it.each(['v9', 'v11', 'v25', 'v100'])('B17: accepts the version %s', (version) => {
    expect(adsOf(live({ ...ADS, ADS_VERSION: version })).version).toBe(version);
  });

  it('B8: reads accounts without dashes from the environment, otherwise the file', () => {
    const config = 'ads: { customer_ids: [123-456-7890, 42] }';
    expect(live(ADS, config).ads.customerIds).toEqual(['1234567890', '42']);
    expect(live({ ...ADS, ADS_CUSTOMER_IDS: '987-654-3210,7' }, config).ads.customerIds).toEqual(['9876543210', '7']);
  });
});

describe('addresses', () => {
  const NOT_HTTPS =
    'Found text for ADS_URL, expected an address that begins with https://, or with http:// on this machine.';
  const NOT_ALONE = 'Found text for ADS_URL, expected an address without user, query or fragment.';

  it.each([
    ['https://ads.example.com', 'https://ads.example.com'],
    ['https://ads.example.com/', 'https://ads.example.com'],
    ['https://ads.example.com/api//', 'https://ads.example.com/api'],
    ['https://ads.example.com:8443/api', 'https://ads.example.com:8443/api'],
    ['HTTPS://Ads.Example.com', 'https://ads.example.com'],
    ['https://ads.example.com?', 'https://ads.example.com'],
    ['https://ads.example.com/#', 'https://ads.example.com'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s is %s', (written, url) => {
    expect(adsOf(live({ ...ADS, ADS_URL: written })).url).toBe(url);
  });

  it.each([
    ['plain http to another machine', 'http://ads.example.com', NOT_HTTPS],
    ['a host that only begins like this machine', 'http://127.0.0.1.example.com', NOT_HTTPS],
    ['an address with this machine as the user', 'http://localhost@ads.example.com', NOT_HTTPS],
    ["a host that contains this machine's name", 'http://localhost.example.com', NOT_HTTPS],
    ["all of this machine's interfaces", 'http://0.0.0.0:8080', NOT_HTTPS],
    ['a file', 'file:///etc/passwd', NOT_HTTPS],
    ['no scheme', 'ads.example.com', 'Found text for ADS_URL, expected an address such as https://ads.example.com.'],
    [
      'nothing but a scheme',
      'https://',
      'Found text for ADS_URL, expected an address such as https://ads.example.com.',
    ],
    ['a user', 'https://user:pw@ads.example.com', NOT_ALONE],
    ['a query', 'https://ads.example.com?key=1', NOT_ALONE],
    ['a fragment', 'https://ads.example.com#x', NOT_ALONE],
  ])('secrets are not sent to %s', (_, url, problem) => {
    expect(problemsOf({ ...ADS, ADS_URL: url })).toEqual([problem]);
  });

  it('for tokens and messages follow the same rules', () => {
    expect(problemsOf({ ...REFRESH, ADS_TOKEN_URL: 'http://a.example/token' })).toEqual([
      'Found text for ADS_TOKEN_URL, expected an address that begins with https://, or with http:// on this machine.',
    ]);
    expect(problemsOf({ ...MESSAGES, MESSAGES_URL: 'http://a.example' })).toEqual([
      'Found text for MESSAGES_URL, expected an address that begins with https://, or with http:// on this machine.',
    ]);
  });
});
