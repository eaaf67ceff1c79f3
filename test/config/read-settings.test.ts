import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { liveAreas, webhookSecrets } from '../../src/config/live-areas.ts';
import { readQuerySettings, readSettings } from '../../src/config/read-settings.ts';
import type { Environment } from '../../src/config/setting-tree.ts';
import { whileSomebodyWaits } from '../../src/domain/connection-settings.ts';
import { place } from '../gaql/findings.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ADS, CONTAINER, failure, GRAPH, live, MESSAGES, problemsOf, read } from './settings-reader.ts';

const RETRY = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000, isDefault: true };

const NO_AREA = { ads: undefined, messages: undefined, graph: undefined, container: undefined };

describe('without any settings', () => {
  it('the target is the sandbox with mode apply', async () => {
    const folder = tempDir();
    expect(await readSettings(folder, {}, {})).toEqual({
      paths: {
        models: join(folder, 'models'),
        targets: join(folder, 'targets'),
        config: join(folder, 'pacekeeper.yaml'),
        queries: join(folder, 'queries'),
        rules: join(folder, 'rules'),
        data: join(folder, 'data'),
      },
      target: 'sandbox',
      automation: { mode: 'apply', changesPerRun: 100, approvalHours: 24, readLagMinutes: 60 },
      params: new Map(),
      ads: {
        url: undefined,
        version: 'v25',
        catalogue: 'auto',
        accessToken: undefined,
        clientId: undefined,
        clientSecret: undefined,
        refreshToken: undefined,
        serviceAccountFile: undefined,
        impersonatedEmail: undefined,
        machineIdentity: false,
        accountsQuery: undefined,
        tokenUrl: 'https://oauth2.googleapis.com/token',
        developerToken: undefined,
        loginCustomerId: undefined,
        customerIds: [],
        excludeCustomerIds: [],
        streamPath: 'googleAds:searchStream',
        retry: RETRY,
        timeouts: { connectMs: 10_000, headersMs: 120_000, bodyIdleMs: 60_000 },
      },
      messages: {
        url: undefined,
        accountId: undefined,
        username: undefined,
        password: undefined,
        from: undefined,
        to: [],
        media: 'refuse',
        templates: new Map(),
        retry: RETRY,
      },
      graph: {
        url: undefined,
        version: 'v23.0',
        accessToken: undefined,
        tokenIn: 'header',
        businessAccountId: undefined,
        phoneNumberId: undefined,
        userId: undefined,
        appSecret: undefined,
        verifyToken: undefined,
        templates: new Map(),
        buttons: false,
        retry: RETRY,
      },
      email: { url: undefined, username: undefined, password: undefined, from: undefined, retry: RETRY },
      slack: { webhooks: undefined, retry: RETRY },
      webhook: { urls: undefined, secrets: undefined, retry: RETRY },
      alertmanager: { url: undefined, token: undefined, retry: RETRY },
      ntfy: { url: 'https://ntfy.sh', topics: undefined, token: undefined, retry: RETRY },
      teams: { webhooks: undefined, retry: RETRY },
      google_chat: { webhooks: undefined, retry: RETRY },
      discord: { webhooks: undefined, retry: RETRY },
      pagerduty: { url: 'https://events.pagerduty.com', routingKeys: undefined, retry: RETRY },
      container: {
        url: undefined,
        username: undefined,
        password: undefined,
        tokenHeader: 'Authorization',
        retry: RETRY,
      },
      serve: { host: '127.0.0.1', port: 4020, trustProxy: false, links: false, kit: false, publicUrl: undefined },
      agents: {
        mode: 'suggest',
        limits: {},
        proposalsADay: 10,
        openProposals: 5,
        callsAnHour: 600,
        answerBytes: 40_000,
        tables: [],
        keepCallsDays: 400,
      },
      schedule: [],
      watch: { completeRunHours: 26, publicationHours: 26, frozenDays: 3, versionDays: 30 },
      heartbeat: { url: undefined },
      log: { format: undefined },
      alerts: {
        recipients: new Map(),
        routes: [],
        reports: new Map(),
        approvers: undefined,
        timeZone: 'UTC',
        cooldownMinutes: 60,
        repeatHours: 24,
        undeliveredMinutes: 30,
        digestAt: '08:00',
        pictures: false,
      },
      sandbox: {
        seed: 1,
        strict: false,
        manager: false,
        market: undefined,
        port: undefined,
        dataDir: undefined,
        fault: [],
      },
      extract: {
        concurrency: 16,
        dayClosesAt: '03:00',
        settleDays: new Map(),
        conversionWindow: 7,
        keepRecordsDays: 400,
      },
      check: { unknownFields: 'error' },
      holidays: new Set(),
      accounts: new Map(),
      budgets: new Map(),
      exchangeRates: [],
      models: { maxRows: 10_000_000, maxSeconds: 300, maxMemoryMb: 512 },
      store: { url: undefined },
      publish: { postgres: { url: undefined } },
      tls: {},
      startAtMs: undefined,
      proxy: undefined,
      secrets: [],
      serviceAccount: undefined,
      authorities: undefined,
      notes: [],
      folderNotes: [],
    });
  });

  it('a live target has mode propose', () => {
    expect(live(ADS).automation.mode).toBe('propose');
  });

  it.each(['propose', 'approve', 'apply'])('the mode %s is used as set, on either target', (mode) => {
    const config = `automation: { mode: ${mode} }`;
    expect(live(ADS, config).automation.mode).toBe(mode);
    expect(read({}, config).automation.mode).toBe(mode);
  });
});

describe('folders and files', () => {
  it('come from the options', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'other.yaml'), 'sandbox: { seed: 7 }');
    const options = { config: 'other.yaml', queries: 'q', rules: '../r', dataDir: '/d' };
    const settings = await readSettings(join(folder), options, {});
    expect(settings.paths).toEqual({
      config: join(folder, 'other.yaml'),
      queries: join(folder, 'q'),
      models: join(folder, 'models'),
      targets: join(folder, 'targets'),
      rules: join(folder, '..', 'r'),
      data: '/d',
    });
    expect(settings.sandbox.seed).toBe(7);
  });

  it('a missing named configuration is refused; the default one is optional', async () => {
    const folder = tempDir();
    await expect(readSettings(folder, { config: 'missing.yaml' }, {})).rejects.toMatchObject({
      message: expect.stringMatching(/missing\.yaml cannot be read: ENOENT/),
      nextStep: 'Name an existing file with --config, or omit the option.',
    });
    expect((await readSettings(folder, {}, {})).target).toBe('sandbox');
  });

  it('a folder instead of a configuration is refused', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'pacekeeper.yaml'));
    await expect(readSettings(folder, {}, {})).rejects.toThrow(/cannot be read: EISDIR/);
  });

  it('an invalid configuration is refused with every finding and its position', () => {
    const error = failure(() => read({}, 'target: production\nads: { urll: x }\n'));
    expect(error.findings[0]?.diagnostics.map(place)).toEqual(['BAD_VALUE 1:9-1:19', 'UNKNOWN_KEY 2:8-2:12']);
  });

  it('paths in the configuration start at its folder, those in the environment at the working folder', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'c.yaml'), 'sandbox: { market: m.csv, data_dir: ../s, port: 8080, strict: yes }');
    const inFile = await readSettings(folder, { config: 'etc/c.yaml' }, {});
    expect(inFile.sandbox).toEqual({
      seed: 1,
      strict: true,
      manager: false,
      port: 8080,
      market: join(folder, 'etc', 'm.csv'),
      dataDir: join(folder, 's'),
      fault: [],
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
    ['the file if the environment is blank', { PACEKEEPER_TARGET: ' ' }, 'target: live', 'live'],
  ])('is said by %s', (_, environment, config, kind) => {
    expect(read({ ...ADS, ...environment }, config).target).toBe(kind);
  });

  it('is sandbox or live', () => {
    const { message, nextStep } = failure(() => read({ PACEKEEPER_TARGET: 'production' }));
    expect(message).toBe(
      'The settings cannot be used:\n  - Found "production" for PACEKEEPER_TARGET, expected one of sandbox, live.',
    );
    expect(nextStep).toMatch(
      /^Set or correct them in .*pacekeeper\.yaml, in \.env or in the environment\. No request was sent\.$/,
    );
  });

  it('live needs at least one interface', () => {
    expect(problemsOf({})).toEqual(['The target is live, but no interface is configured. Set ADS_URL, for example.']);
  });

  it.each(['GRAPH_APP_SECRET', 'GRAPH_VERIFY_TOKEN'])('can be live for webhooks alone: %s', (name) => {
    expect(liveAreas(live({ [name]: 'secret' }))).toEqual(NO_AREA);
  });

  it('can be live for one interface alone', () => {
    const configured = (environment: Environment) =>
      Object.entries(liveAreas(live(environment))).flatMap(([area, found]) => (found === undefined ? [] : area));
    expect([ADS, MESSAGES, GRAPH, CONTAINER].map(configured)).toEqual([
      ['ads'],
      ['messages'],
      ['graph'],
      ['container'],
    ]);
  });
});

describe('the start time of the clock', () => {
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
        `Found "${text}" for PACEKEEPER_NOW, expected an instant such as 2026-03-01T12:00:00Z.`,
      );
    },
  );
});

describe('retries', () => {
  it('are set for each interface, in part or as a whole', () => {
    const config =
      'ads: { retry: { attempts: 2 } }\nmessages: { retry: { attempts: 1, first_delay_ms: 0, total_ms: 9 } }\n' +
      'graph: { retry: { attempts: 3 } }\ncontainer: { retry: { attempts: 5 } }';
    expect(read({}, config)).toMatchObject({
      ads: { retry: { attempts: 2, firstDelayMs: 5_000, totalMs: 120_000 } },
      messages: { retry: { attempts: 1, firstDelayMs: 0, totalMs: 9 } },
      graph: { retry: { attempts: 3 } },
      container: { retry: { attempts: 5 } },
    });
  });

  it('are fewer for interactive commands, unless set', () => {
    const settings = read({}, 'graph: { retry: { attempts: 4 } }');
    expect(whileSomebodyWaits(settings.ads.retry)).toMatchObject({ attempts: 3, firstDelayMs: 1_000 });
    expect(whileSomebodyWaits(settings.graph.retry)).toMatchObject({ attempts: 4, firstDelayMs: 5_000 });
  });
});

describe('reading of accounts', () => {
  it('is set for both targets, in part or as a whole', () => {
    const config =
      'extract: { concurrency: 4, day_closes_at: 5:30, settle_days: { keyword_stats: 3 }, conversion_window: 14, keep_records_days: 90 }';
    const expected = {
      concurrency: 4,
      dayClosesAt: '05:30',
      keepRecordsDays: 90,
      settleDays: new Map([['keyword_stats', 3]]),
      conversionWindow: 14,
    };
    expect(read({}, config).extract).toEqual(expected);
    expect(live(ADS, config).extract).toEqual(expected);
    expect(read({}, 'extract: { concurrency: 1 }').extract).toMatchObject({ concurrency: 1, dayClosesAt: '03:00' });
    expect(read({}, config).notes).toEqual([]);
  });
});

describe('accounts and budgets', () => {
  const config = [
    'accounts:',
    '  123-456-7890: { currency: JPY, time_zone: Asia/Tokyo }',
    '  42: { currency: EUR }',
    'budgets:',
    '  123-456-7890:',
    '    77: { amount: 12.50, campaigns: 5 }',
    '    78: { amount: 9223372036.854775, campaigns: [9007199254740993, 7] }',
  ].join('\n');

  it('B8: have ids without dashes', () => {
    expect(read({}, config).accounts).toEqual(
      new Map([
        ['1234567890', { currency: 'JPY', timeZone: 'Asia/Tokyo' }],
        ['42', { currency: 'EUR', timeZone: undefined }],
      ]),
    );
  });

  it('B5: keep amounts and ids exactly', () => {
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
      'graph: { access_token: s6, app_secret: s7, verify_token: s8, phone_number_id: 106540352242922 }',
      'container: { password: s9, username: open }',
    ].join('\n');
    const environment = {
      ADS_ACCESS_TOKEN: 'e1',
      ADS_CLIENT_SECRET: 'e2',
      ADS_REFRESH_TOKEN: 'e3',
      ADS_DEVELOPER_TOKEN: 'e4',
      MESSAGES_PASSWORD: ' e5 ',
      GRAPH_ACCESS_TOKEN: 'e6',
      GRAPH_APP_SECRET: 'e7',
      GRAPH_VERIFY_TOKEN: 'e8',
      CONTAINER_PASSWORD: 'e9',
      ADS_CLIENT_ID: 'open',
    };
    expect([...read(environment, config).secrets].sort()).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((number) => [`e${number}`, `s${number}`]).sort(),
    );
  });

  it('appear in no problem', () => {
    const wrong = { ...ADS, ADS_ACCESS_TOKEN: 'GOCSPX-hush hush', ADS_URL: 'https://user:hush@a.example' };
    const { message, nextStep } = failure(() => live({ ...wrong, ...MESSAGES, MESSAGES_PASSWORD: undefined }));
    expect(`${message} ${nextStep}`).not.toContain('hush');
  });
});

describe('live settings beside the sandbox', () => {
  it('are ignored, not checked, and reported', () => {
    const settings = read(
      { ADS_URL: 'nonsense', MESSAGES_TO: 'nobody', ADS_CUSTOMER_IDS: 'x' },
      'ads: { access_token: s1, customer_ids: 5, retry: { attempts: 1 } }\nmessages: { url: x }\n',
    );
    expect(settings.target).toBe('sandbox');
    expect(settings.ads.customerIds).toEqual([]);
    expect(settings.notes).toEqual([
      'The target is the sandbox, so these live settings are ignored: ADS_URL, ADS_CUSTOMER_IDS, MESSAGES_TO, ads.access_token, ads.customer_ids, messages.url. Set "target: live" to use them.',
    ]);
  });

  it.each([
    ['an unknown word', 'messages: { media: bogus }', '"messages.media"'],
    ['an invalid id', 'ads: { exclude_customer_ids: ["(1)"] }', '"ads.exclude_customer_ids.0"'],
    ['an invalid header', 'container: { token_header: "x y" }', '"container.token_header"'],
    ['a list instead of an address', 'graph: { url: [x] }', '"graph.url"'],
  ])('are refused with %s, also when checking queries', (_, config, words) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), config);
    for (const reading of [() => read({}, config), () => readQuerySettings(folder, {}, {})]) {
      const [found, ...more] = failure(reading).findings.flatMap(({ diagnostics }) => diagnostics);
      expect([found?.message, more]).toEqual([expect.stringContaining(words), []]);
    }
  });

  it('of chats are reported, too; webhook secrets are used', () => {
    const config =
      'graph: { access_token: s1, app_secret: s2, verify_token: s3 }\ncontainer: { url: x, retry: { attempts: 1 } }';
    const settings = read({ GRAPH_URL: 'nonsense', CONTAINER_PASSWORD: 'p' }, config);
    expect(webhookSecrets(settings)).toMatchObject({ GRAPH_APP_SECRET: 's2', GRAPH_VERIFY_TOKEN: 's3' });
    expect(settings.notes).toEqual([
      'The target is the sandbox, so these live settings are ignored: GRAPH_URL, CONTAINER_PASSWORD, graph.access_token, container.url. Set "target: live" to use them.',
    ]);
  });

  it('without any, or on a live target, add no note', () => {
    expect(read({}, 'ads: { retry: { attempts: 1 } }').notes).toEqual([]);
    expect(live(ADS).notes).toEqual([]);
  });
});

it('all problems of all areas are reported at once', () => {
  const environment = {
    ...ADS,
    ADS_URL: 'x',
    ADS_VERSION: '1',
    MESSAGES_URL: 'https://m.example',
    PACEKEEPER_NOW: 'soon',
  };
  expect(problemsOf({ ...environment, ADS_CUSTOMER_IDS: 'x' })).toHaveLength(9);
});
