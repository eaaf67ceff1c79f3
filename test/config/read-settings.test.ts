import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import {
  configPath,
  NO_SETTINGS,
  type PathOptions,
  readSettings,
  settingsFrom,
} from '../../src/config/read-settings.ts';
import { readSettingsFile } from '../../src/config/read-settings-file.ts';
import type { Settings } from '../../src/config/settings.ts';
import { settingsSchema } from '../../src/config/settings-schema.ts';
import { InputError } from '../../src/domain/errors.ts';
import { place } from '../gaql/findings.ts';
import { tempDir } from '../support/temp-dir.ts';

const ADS: Environment = { ADS_URL: 'https://ads.example.com', ADS_ACCESS_TOKEN: 'ya29.secret' };
const REFRESH: Environment = {
  ADS_URL: 'https://ads.example.com',
  ADS_CLIENT_ID: 'client.apps',
  ADS_CLIENT_SECRET: 'GOCSPX-secret',
  ADS_REFRESH_TOKEN: '1//refresh',
};
const MESSAGES: Environment = {
  MESSAGES_URL: 'https://messages.example.com',
  MESSAGES_ACCOUNT_ID: 'AC1',
  MESSAGES_USERNAME: 'user',
  MESSAGES_PASSWORD: 'password-1',
  MESSAGES_FROM: 'whatsapp:+4915100000000',
  MESSAGES_TO: 'whatsapp:+4915112345678, sms:+4915112345679',
};

function read(environment: Environment = {}, config?: string, options: PathOptions = {}): Settings {
  const folder = tempDir();
  if (config === undefined) return settingsFrom(folder, options, environment, NO_SETTINGS);
  writeFileSync(join(folder, 'pacekeeper.yaml'), config);
  return settingsFrom(folder, options, environment, readSettingsFile(configPath(folder, options)));
}
const live = (environment: Environment, config?: string) => read({ PACEKEEPER_TARGET: 'live', ...environment }, config);

function failure(act: () => unknown): InputError {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('The settings were taken.');
}

/** The problems of live settings, one each. */
function problemsOf(environment: Environment, config?: string): string[] {
  const { message } = failure(() => live(environment, config));
  const [head, ...problems] = message.split('\n');
  expect(head).toBe('The settings cannot be used:');
  return problems.map((problem) => problem.replace(/^ {2}- /, ''));
}

function adsOf(settings: Settings) {
  if (settings.target.kind !== 'live' || !settings.target.ads) throw new Error('no ads');
  return settings.target.ads;
}

function messagesOf(settings: Settings) {
  if (settings.target.kind !== 'live' || !settings.target.messages) throw new Error('no messages');
  return settings.target.messages;
}

describe('without any settings', () => {
  it('the sandbox is the target, and automation applies', async () => {
    const folder = tempDir();
    expect(await readSettings(folder, {}, {})).toEqual({
      paths: {
        config: join(folder, 'pacekeeper.yaml'),
        queries: join(folder, 'queries'),
        rules: join(folder, 'rules'),
        data: join(folder, 'data'),
      },
      target: { kind: 'sandbox' },
      sandbox: { seed: 1, strict: false, market: undefined, port: undefined, dataDir: undefined },
      startAtMs: undefined,
      mode: 'apply',
      customerIds: [],
      catalogue: 'v25',
      parameters: new Map(),
      adsRetry: { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000 },
      messagesRetry: { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000 },
      accounts: new Map(),
      budgets: new Map(),
      secrets: [],
      notes: [],
    });
  });

  it('a live target only proposes', () => {
    expect(live(ADS).mode).toBe('propose');
  });

  it.each(['propose', 'approve', 'apply'])('the mode %s is taken as it is said, on either target', (mode) => {
    const config = `automation: { mode: ${mode} }`;
    expect(live(ADS, config).mode).toBe(mode);
    expect(read({}, config).mode).toBe(mode);
  });
});

describe('folders and files', () => {
  it('are those of the options', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'other.yaml'), 'sandbox: { seed: 7 }');
    const options = { config: 'other.yaml', queries: 'q', rules: '../r', dataDir: '/d' };
    const settings = await readSettings(join(folder), options, {});
    expect(settings.paths).toEqual({
      config: join(folder, 'other.yaml'),
      queries: join(folder, 'q'),
      rules: join(folder, '..', 'r'),
      data: '/d',
    });
    expect(settings.sandbox.seed).toBe(7);
  });

  it('a named configuration that is not there is refused, the default one is not needed', async () => {
    const folder = tempDir();
    await expect(readSettings(folder, { config: 'missing.yaml' }, {})).rejects.toMatchObject({
      message: expect.stringMatching(/missing\.yaml cannot be read: ENOENT/),
      nextStep: 'Name an existing file with --config, or leave the option out.',
    });
    expect((await readSettings(folder, {}, {})).target.kind).toBe('sandbox');
  });

  it('say without a file what an empty one says', () => {
    expect(settingsSchema.parse({})).toEqual(NO_SETTINGS);
  });

  it('a folder for a configuration is refused', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'pacekeeper.yaml'));
    await expect(readSettings(folder, {}, {})).rejects.toThrow(/cannot be read: EISDIR/);
  });

  it('a configuration is refused with every finding at its place', () => {
    const error = failure(() => read({}, 'target: production\nads: { urll: x }\n'));
    expect(error.findings[0]?.diagnostics.map(place)).toEqual(['BAD_VALUE 1:9-1:19', 'UNKNOWN_KEY 2:8-2:12']);
  });

  it('paths of the configuration count from its own folder, those of the environment from the working folder', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'c.yaml'), 'sandbox: { market: m.csv, data_dir: ../s, port: 8080, strict: yes }');
    const inFile = await readSettings(folder, { config: 'etc/c.yaml' }, {});
    expect(inFile.sandbox).toEqual({
      seed: 1,
      strict: true,
      port: 8080,
      market: join(folder, 'etc', 'm.csv'),
      dataDir: join(folder, 's'),
    });
    const fromEnv = await readSettings(folder, { config: 'etc/c.yaml' }, { PACEKEEPER_MARKET: 'n.csv' });
    expect(fromEnv.sandbox.market).toBe(join(folder, 'n.csv'));
  });
});

describe('the target', () => {
  it.each([
    ['the environment', { PACEKEEPER_TARGET: 'live' }, undefined, 'live'],
    ['the file', {}, 'target: live', 'live'],
    ['the environment over the file', { PACEKEEPER_TARGET: 'sandbox' }, 'target: live', 'sandbox'],
    ['the file where the environment is blank', { PACEKEEPER_TARGET: ' ' }, 'target: live', 'live'],
  ])('is said by %s', (_, environment, config, kind) => {
    expect(read({ ...ADS, ...environment }, config).target.kind).toBe(kind);
  });

  it('is one of two', () => {
    const { message, nextStep } = failure(() => read({ PACEKEEPER_TARGET: 'production' }));
    expect(message).toBe(
      'The settings cannot be used:\n  - PACEKEEPER_TARGET is "production", expected sandbox or live.',
    );
    expect(nextStep).toMatch(
      /^Set them in .*pacekeeper\.yaml, in \.env or in the environment\. No request was sent\.$/,
    );
  });

  it('that is live needs at least one interface', () => {
    expect(problemsOf({})).toEqual([
      'The target is live, and neither the advertising nor the messaging interface is configured.',
    ]);
  });

  it('may be live for one interface alone', () => {
    expect(live(ADS).target).toMatchObject({ kind: 'live', messages: undefined });
    expect(live(MESSAGES).target).toMatchObject({ kind: 'live', ads: undefined });
  });
});

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

  it('B16: prefers the access token where both are there', () => {
    expect(adsOf(live({ ...REFRESH, ...ADS })).credentials.kind).toBe('access_token');
  });

  it('is read from the file, and the environment wins value by value', () => {
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

  it.each<[string, Environment, string[]]>([
    [
      'no address',
      { ADS_ACCESS_TOKEN: 'x' },
      ['ADS_URL is missing, and ADS_ACCESS_TOKEN is set: set all of the area or none.'],
    ],
    [
      'no address for several',
      { ADS_ACCESS_TOKEN: 'x', ADS_DEVELOPER_TOKEN: 'd' },
      ['ADS_URL is missing, and ADS_ACCESS_TOKEN, ADS_DEVELOPER_TOKEN are set: set all of the area or none.'],
    ],
    [
      'no credentials',
      { ADS_URL: 'https://a.example' },
      ['ADS_ACCESS_TOKEN is missing, or ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN in its place.'],
    ],
    [
      'a client without its secret',
      { ...REFRESH, ADS_CLIENT_SECRET: undefined },
      ['ADS_CLIENT_SECRET is missing, and ADS_CLIENT_ID, ADS_REFRESH_TOKEN are set: set all of the area or none.'],
    ],
    [
      'a refresh token alone',
      { ADS_URL: 'https://a.example', ADS_REFRESH_TOKEN: 'r' },
      [
        'ADS_CLIENT_ID is missing, and ADS_REFRESH_TOKEN is set: set all of the area or none.',
        'ADS_CLIENT_SECRET is missing, and ADS_REFRESH_TOKEN is set: set all of the area or none.',
      ],
    ],
    [
      'B11: the client secret for a token',
      { ...ADS, ADS_ACCESS_TOKEN: 's3cret', ADS_CLIENT_SECRET: 's3cret' },
      ['ADS_ACCESS_TOKEN holds a client secret, expected an OAuth 2.0 access token.'],
    ],
    [
      'B11: what looks like a client secret',
      { ...ADS, ADS_ACCESS_TOKEN: 'GOCSPX-abc' },
      ['ADS_ACCESS_TOKEN holds a client secret, expected an OAuth 2.0 access token.'],
    ],
    [
      'B11: the refresh token for a token',
      { ...ADS, ADS_ACCESS_TOKEN: 'same', ADS_REFRESH_TOKEN: 'same' },
      ['ADS_ACCESS_TOKEN holds a refresh token, expected an OAuth 2.0 access token.'],
    ],
    [
      'B11: what looks like a refresh token',
      { ...ADS, ADS_ACCESS_TOKEN: '1//abc' },
      ['ADS_ACCESS_TOKEN holds a refresh token, expected an OAuth 2.0 access token.'],
    ],
    [
      'a token with its scheme',
      { ...ADS, ADS_ACCESS_TOKEN: 'Bearer abc' },
      ['ADS_ACCESS_TOKEN holds a value with spaces or quotes, expected an OAuth 2.0 access token.'],
    ],
    ...['25', 'v', 'v0', 'v25.1', 'V25', 'latest'].map((version): [string, Environment, string[]] => [
      `B17: the version ${version}`,
      { ...ADS, ADS_VERSION: version },
      [`ADS_VERSION is "${version}", expected v and a number such as v25.`],
    ]),
    [
      'B17: a stream path with a query',
      { ...ADS, ADS_STREAM_PATH: '/search?alt=sse' },
      ['ADS_STREAM_PATH is "/search?alt=sse", expected a path such as googleAds:searchStream.'],
    ],
    [
      'B8: a manager in parentheses',
      { ...ADS, ADS_LOGIN_CUSTOMER_ID: '(123) 456' },
      ['ADS_LOGIN_CUSTOMER_ID: Customer id "(123) 456" has parentheses; write its digits only.'],
    ],
    [
      'B8: every account that is none',
      { ...ADS, ADS_CUSTOMER_IDS: '123-456-7890, (1), x' },
      [
        'ADS_CUSTOMER_IDS: Customer id "(1)" has parentheses; write its digits only.',
        'ADS_CUSTOMER_IDS: Customer id "x" is not a row of digits such as 1234567890 or 123-456-7890.',
      ],
    ],
  ])('is refused with %s', (_, environment, problems) => {
    expect(problemsOf(environment)).toEqual(problems);
  });

  it.each(['v9', 'v11', 'v25', 'v100'])('B17: may have the version %s', (version) => {
    expect(adsOf(live({ ...ADS, ADS_VERSION: version })).version).toBe(version);
  });

  it('B8: reads the accounts of the environment, else of the file, without dashes', () => {
    const config = 'ads: { customer_ids: [123-456-7890, 42] }';
    expect(live(ADS, config).customerIds).toEqual(['1234567890', '42']);
    expect(live({ ...ADS, ADS_CUSTOMER_IDS: '987-654-3210,7' }, config).customerIds).toEqual(['9876543210', '7']);
  });
});

describe('addresses', () => {
  const NOT_HTTPS = 'ADS_URL must begin with https://; http:// is taken for this machine only.';
  const NOT_ALONE = 'ADS_URL must be an address alone, without a user, a query or a fragment.';

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
    ['one that only begins like this machine', 'http://127.0.0.1.example.com', NOT_HTTPS],
    ['one that names this machine as a user', 'http://localhost@ads.example.com', NOT_HTTPS],
    ["one inside this machine's name", 'http://localhost.example.com', NOT_HTTPS],
    ["all of this machine's interfaces", 'http://0.0.0.0:8080', NOT_HTTPS],
    ['a file', 'file:///etc/passwd', NOT_HTTPS],
    ['no scheme', 'ads.example.com', 'ADS_URL is not an address such as https://ads.example.com.'],
    ['nothing but a scheme', 'https://', 'ADS_URL is not an address such as https://ads.example.com.'],
    ['a user', 'https://user:pw@ads.example.com', NOT_ALONE],
    ['a query', 'https://ads.example.com?key=1', NOT_ALONE],
    ['a fragment', 'https://ads.example.com#x', NOT_ALONE],
  ])('secrets are not sent to %s', (_, url, problem) => {
    expect(problemsOf({ ...ADS, ADS_URL: url })).toEqual([problem]);
  });

  it('of the token exchange and of messages are held to the same', () => {
    expect(problemsOf({ ...REFRESH, ADS_TOKEN_URL: 'http://a.example/token' })).toEqual([
      'ADS_TOKEN_URL must begin with https://; http:// is taken for this machine only.',
    ]);
    expect(problemsOf({ ...MESSAGES, MESSAGES_URL: 'http://a.example' })).toEqual([
      'MESSAGES_URL must begin with https://; http:// is taken for this machine only.',
    ]);
  });
});

describe('the messaging interface', () => {
  it('C1: takes the account, its credentials and the addresses', () => {
    expect(messagesOf(live(MESSAGES))).toEqual({
      url: 'https://messages.example.com',
      accountId: 'AC1',
      username: 'user',
      password: 'password-1',
      from: 'whatsapp:+4915100000000',
      to: ['whatsapp:+4915112345678', 'sms:+4915112345679'],
    });
  });

  it('is read from the file, where one receiver needs no list', () => {
    const config = [
      'messages:',
      '  url: https://m.example',
      '  account_id: AC2',
      '  username: u',
      '  password: p',
      '  from: sms:+15550000001',
      '  to: sms:+15550000002',
    ].join('\n');
    expect(messagesOf(live({ MESSAGES_USERNAME: 'other' }, config))).toMatchObject({
      accountId: 'AC2',
      username: 'other',
      to: ['sms:+15550000002'],
    });
  });

  it.each(Object.keys(MESSAGES))('is refused without %s', (name) => {
    const others = Object.keys(MESSAGES).filter((other) => other !== name);
    expect(problemsOf({ ...MESSAGES, [name]: undefined })).toEqual([
      `${name} is missing, and ${others.join(', ')} are set: set all of the area or none.`,
    ]);
  });

  it('is refused with one name alone, once for each that is missing', () => {
    expect(problemsOf({ MESSAGES_URL: 'https://m.example' })).toHaveLength(5);
  });

  it('counts a list of nothing as missing', () => {
    expect(problemsOf({ ...MESSAGES, MESSAGES_TO: ' , ' })[0]).toMatch(/^MESSAGES_TO is missing/);
  });

  it('C2: is refused with an address of another form, which is not repeated', () => {
    const problems = problemsOf({
      ...MESSAGES,
      MESSAGES_FROM: '+49151',
      MESSAGES_TO: 'whatsapp:+4915112345678,0151 12',
    });
    expect(problems).toEqual([
      'MESSAGES_FROM is not of the form <channel>:+<number>, such as whatsapp:+4915112345678.',
      'MESSAGES_TO is not of the form <channel>:+<number>, such as whatsapp:+4915112345678.',
    ]);
  });
});

it('every problem of every area is told at once', () => {
  const environment = {
    ...ADS,
    ADS_URL: 'x',
    ADS_VERSION: '1',
    MESSAGES_URL: 'https://m.example',
    PACEKEEPER_NOW: 'soon',
  };
  expect(problemsOf({ ...environment, ADS_CUSTOMER_IDS: 'x' })).toHaveLength(9);
});

describe('the time the clock starts at', () => {
  it.each([
    ['an instant in UTC', '2026-03-01T12:00:00Z'],
    ['an instant with an offset', '2026-03-01T13:00:00+01:00'],
  ])('may be %s', (_, text) => {
    expect(read({ PACEKEEPER_NOW: text }).startAtMs).toBe(Date.UTC(2026, 2, 1, 12));
  });

  it.each(['2026-03-01', '2026-03-01T12:00:00', 'yesterday', '2026-02-30T00:00:00Z', '1772366400'])(
    'may not be %s',
    (text) => {
      expect(failure(() => read({ PACEKEEPER_NOW: text })).message).toContain(
        `PACEKEEPER_NOW is "${text}", expected an instant such as 2026-03-01T12:00:00Z.`,
      );
    },
  );
});

describe('how often a request is tried', () => {
  it('is said for each interface, in part or as a whole', () => {
    const config =
      'ads: { retry: { attempts: 2 } }\nmessages: { retry: { attempts: 1, first_delay_ms: 0, total_ms: 9 } }';
    expect(read({}, config)).toMatchObject({
      adsRetry: { attempts: 2, firstDelayMs: 5_000, totalMs: 120_000 },
      messagesRetry: { attempts: 1, firstDelayMs: 0, totalMs: 9 },
    });
  });
});

describe('what is said of accounts and budgets', () => {
  const config = [
    'accounts:',
    '  123-456-7890: { currency: JPY, time_zone: Asia/Tokyo }',
    '  42: { currency: EUR }',
    'budgets:',
    '  123-456-7890:',
    '    77: { amount: 12.50, campaigns: 5 }',
    '    78: { amount: 9223372036.854775, campaigns: [9007199254740993, 7] }',
  ].join('\n');

  it('B8: is found under ids without dashes', () => {
    expect(read({}, config).accounts).toEqual(
      new Map([
        ['1234567890', { currency: 'JPY', timeZone: 'Asia/Tokyo' }],
        ['42', { currency: 'EUR', timeZone: undefined }],
      ]),
    );
  });

  it('B5: holds amounts and ids exactly', () => {
    expect(read({}, config).budgets).toEqual(
      new Map([
        [
          '1234567890',
          new Map([
            ['77', { amount: 12_500_000n, campaigns: ['5'] }],
            ['78', { amount: 9_223_372_036_854_775n, campaigns: ['9007199254740993', '7'] }],
          ]),
        ],
      ]),
    );
  });
});

describe('secrets', () => {
  it('are all listed, from the environment and from the file, used or not', () => {
    const config = [
      'ads: { access_token: s1, client_secret: s2, refresh_token: s3, developer_token: s4, client_id: open }',
      'messages: { password: s5, username: open }',
    ].join('\n');
    const environment = {
      ADS_ACCESS_TOKEN: 'e1',
      ADS_CLIENT_SECRET: 'e2',
      ADS_REFRESH_TOKEN: 'e3',
      ADS_DEVELOPER_TOKEN: 'e4',
      MESSAGES_PASSWORD: ' e5 ',
      ADS_CLIENT_ID: 'open',
    };
    expect([...read(environment, config).secrets].sort()).toEqual(
      ['e1', 'e2', 'e3', 'e4', 'e5', 's1', 's2', 's3', 's4', 's5'].sort(),
    );
  });

  it('do not show in any problem', () => {
    const wrong = { ...ADS, ADS_ACCESS_TOKEN: 'GOCSPX-hush hush', ADS_URL: 'https://user:hush@a.example' };
    const { message, nextStep } = failure(() => live({ ...wrong, ...MESSAGES, MESSAGES_PASSWORD: undefined }));
    expect(`${message} ${nextStep}`).not.toContain('hush');
  });
});

describe('live settings beside the sandbox', () => {
  it('are not used, not checked, and named', () => {
    const settings = read(
      { ADS_URL: 'nonsense', MESSAGES_TO: 'nobody', ADS_CUSTOMER_IDS: 'x' },
      'ads: { access_token: s1, customer_ids: 5, retry: { attempts: 1 } }\nmessages: { url: x }\n',
    );
    expect(settings.target).toEqual({ kind: 'sandbox' });
    expect(settings.customerIds).toEqual([]);
    expect(settings.notes).toEqual([
      'The target is the sandbox, so live settings are not used: ADS_URL, ADS_CUSTOMER_IDS, MESSAGES_TO, ads.access_token, ads.customer_ids, messages.url. Set target: live to use them.',
    ]);
  });

  it('are no note where there are none, and none on a live target', () => {
    expect(read({}, 'ads: { retry: { attempts: 1 } }').notes).toEqual([]);
    expect(live(ADS).notes).toEqual([]);
  });
});
