import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { alertmanager } from '../../src/channels/alertmanager/channel.ts';
import type { Channel, ConnectionTools, OutgoingAlert, SaidAlert } from '../../src/channels/channel.ts';
import { channelNamed } from '../../src/channels/channels.ts';
import { slack } from '../../src/channels/slack/channel.ts';
import { webhook } from '../../src/channels/webhook/channel.ts';
import { liveAreas } from '../../src/config/live-areas.ts';
import type { Environment } from '../../src/config/setting-tree.ts';
import type { ApiError } from '../../src/domain/errors.ts';
import { outsideName } from '../../src/domain/outside-text.ts';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { live } from '../config/settings-reader.ts';
import { endless, stubServer } from '../support/stub-server.ts';

const AT = '2026-11-20T12:00:00Z';
const SECRET = `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`;
const OLDER = `whsec_${Buffer.from('vutsrqponmlkjihgfedcba9876543210').toString('base64')}`;

const CONDITION: SaidAlert = {
  key: 'rule:pace:123:7',
  kind: 'condition',
  reason: 'first',
  severity: 'warning',
  customerId: '123',
  account: undefined,
  rule: 'pace',
  text: 'Over target: Boots\nWhy: spent <90 %> & rising',
  since: '2026-11-19T08:00:00Z',
  until: '2026-11-21T15:00:00Z',
};

const ALERT: OutgoingAlert = {
  recipient: 'team',
  text: `${CONDITION.text}\n\nBudget changed: Tents @everyone\nRef pk-AAAAAAAA`,
  alerts: [CONDITION],
  dashboardUrl: undefined,
  at: AT,
  reference: 'AAAAAAAA',
  statusCallback: undefined,
};

async function opened(channel: unknown, declared: Readonly<Record<string, unknown>>, secrets: readonly string[] = []) {
  const { areaOf, connect, load } = channel as Channel;
  const settings = { ...declared, retry: { attempts: 1, firstDelayMs: 0, totalMs: 0 } };
  const area = areaOf(settings as never);
  if (area === undefined) throw new Error('The channel is not configured.');
  const tools = { http: createHttpClient(), redact: createRedact(secrets), pauses: {}, isLive: true };
  const { open, check } = await load();
  const connection = connect(area, tools as unknown as ConnectionTools, settings as never);
  return { send: (alert = ALERT) => open(connection).send(alert), check: () => check.ask(connection) };
}

async function failureOf(sending: Promise<unknown>): Promise<ApiError> {
  return sending.then(
    () => {
      throw new Error('Expected a failure.');
    },
    (error: ApiError) => error,
  );
}

const answering =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  (_request: unknown, response: ServerResponse) =>
    response.writeHead(status, headers).end(text);

describe('Slack', () => {
  const open = async (answer: Parameters<typeof stubServer>[0]) => {
    const stub = await stubServer(answer);
    const secret = `${stub.url}/services/T0/B0/verysecret`;
    return { ...(await opened(slack, { webhooks: { team: secret } }, [secret, 'verysecret'])), stub };
  };

  it('gets the words as text and as blocks, with its three signs escaped', async () => {
    const { send, stub } = await open(answering(200, 'ok'));
    expect(await send({ ...ALERT, dashboardUrl: 'https://pk.example.com' })).toMatchObject({ response: 'ok' });
    const [request] = stub.requests;
    expect([request?.method, request?.path, request?.headers['content-type']]).toEqual([
      'POST',
      '/services/T0/B0/verysecret',
      'application/json',
    ]);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      text: 'Over target: Boots\nWhy: spent &lt;90 %&gt; &amp; rising\n\nBudget changed: Tents @everyone\nRef pk-AAAAAAAA',
      blocks: [
        {
          type: 'section',
          text: { type: 'mrkdwn', text: '*Over target: Boots*\nWhy: spent &lt;90 %&gt; &amp; rising' },
        },
        { type: 'section', text: { type: 'mrkdwn', text: '*Budget changed: Tents @everyone*\nRef pk-AAAAAAAA' } },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              text: { type: 'plain_text', text: 'Open pacekeeper' },
              url: 'https://pk.example.com/inbox',
            },
          ],
        },
      ],
    });
  });

  it('gets at most 50 blocks of 3,000 characters', async () => {
    const { send, stub } = await open(answering(200, 'ok'));
    const text = Array.from({ length: 900 }, (_, index) => `Alert ${index} &&`).join('\n\n');
    await send({ ...ALERT, text });
    const picture = { url: 'https://pk.example.com/1.png', png: undefined, words: 'The month.' };
    await send({ ...ALERT, text, picture, dashboardUrl: 'https://pk.example.com' });
    const [blocks = [], shown = []] = stub.requests.map(({ body }) => JSON.parse(body).blocks);
    expect([blocks.length, shown.length]).toEqual([50, 50]);
    expect(shown.slice(47)).toMatchObject([{ type: 'section' }, { type: 'image' }, { type: 'actions' }]);
    for (const { text } of blocks) expect(text.text.length).toBeLessThanOrEqual(3_000);
  });

  it.each([
    [400, 'invalid_payload', 'not_processed', false],
    [400, 'invalid_blocks', 'not_processed', false],
    [400, 'no_text', 'not_processed', false],
    [403, 'action_prohibited', 'not_processed', false],
    [403, 'invalid_token', 'not_processed', false],
    [404, 'channel_not_found', 'not_processed', false],
    [404, 'no_service', 'not_processed', false],
    [410, 'channel_is_archived', 'not_processed', false],
    [429, 'rate_limited', 'not_processed', true],
    [500, 'rollup_error', 'unknown', true],
    [302, '', 'not_processed', false],
  ] as const)(
    'that answers %i %s is understood, and its address stays secret',
    async (status, text, outcome, transient) => {
      const { send, stub } = await open((request, response) =>
        response.writeHead(status, { 'retry-after': '7', location: request.path }).end(text),
      );
      const failure = await failureOf(send());
      expect(failure).toMatchObject({ outcome, transient, httpStatus: status, retryAfterMs: 7_000 });
      expect(`${failure.message} ${failure.nextStep}`).not.toMatch(/verysecret|services/);
      expect(stub.requests).toHaveLength(1);
    },
  );

  it('that repeats the address and never ends shows nothing of it', async () => {
    const { send } = await open((_request, response) => endless(response.writeHead(403), '"/verysecret"'));
    const failure = await failureOf(send());
    expect(failure.message).not.toContain('verysecret');
    expect(failure.message.length).toBeLessThan(400);
  });

  it('is not asked for a name that the settings do not have', async () => {
    const { send, stub } = await open(answering(200, 'ok'));
    expect(await failureOf(send({ ...ALERT, recipient: 'finance' }))).toMatchObject({ status: 'UNUSABLE_ADDRESS' });
    expect(stub.requests).toEqual([]);
  });
});

describe('a webhook', () => {
  const open = async (answer: Parameters<typeof stubServer>[0], secrets = [SECRET]) => {
    const stub = await stubServer(answer);
    return { ...(await opened(webhook, { urls: `${stub.url}/hook`, secrets })), stub };
  };
  const toDefault = { ...ALERT, recipient: 'default' };

  it('is signed so that receivers can verify it, also while the secret turns', async () => {
    const { send, stub } = await open(answering(204, ''), [SECRET, OLDER]);
    const now = new Date();
    await send({ ...toDefault, at: `${now.toISOString().slice(0, 19)}Z` });
    const [request] = stub.requests;
    const headers = Object.fromEntries(
      Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    expect(headers['webhook-id']).toBe('pk-AAAAAAAA');
    for (const secret of [SECRET, OLDER]) {
      expect(new Webhook(secret).verify(request?.body ?? '', headers)).toMatchObject({
        type: 'alerts',
        data: {
          reference: 'pk-AAAAAAAA',
          text: ALERT.text,
          alerts: [{ key: CONDITION.key, kind: 'condition', reason: 'first', severity: 'warning', customer_id: '123' }],
        },
      });
    }
    expect(() =>
      new Webhook(`whsec_${Buffer.alloc(24).toString('base64')}`).verify(request?.body ?? '', headers),
    ).toThrow();
  });

  it.each([
    [200, '{"error":"no"}', undefined],
    [410, '', { outcome: 'not_processed', transient: false }],
    [302, '', { outcome: 'not_processed', transient: false }],
    [400, 'x', { outcome: 'not_processed', transient: true }],
    [404, '', { outcome: 'not_processed', transient: true }],
    [429, '', { outcome: 'not_processed', transient: true }],
    [503, '', { outcome: 'unknown', transient: true }],
  ] as const)('whose receiver answers %i %s is told apart', async (status, text, failure) => {
    const { send } = await open(answering(status, text));
    if (failure === undefined) expect(await send(toDefault)).toMatchObject({ response: text });
    else expect(await failureOf(send(toDefault))).toMatchObject(failure);
  });

  it.each(['whsec_', 'whsec_c2hvcnQ=', 'plain words', `whsec_${'A'.repeat(200)}`])(
    'takes no secret such as %j',
    (secret) => {
      expect(webhook.areaOf({ urls: 'https://a.example.com', secrets: [secret] } as never)).toBeUndefined();
    },
  );
});

describe('Alertmanager', () => {
  const open = async (answer: Parameters<typeof stubServer>[0]) => {
    const stub = await stubServer(answer);
    return { ...(await opened(alertmanager, { url: stub.url, token: 'a-token' }, ['a-token'])), stub };
  };
  const posted = async (said: Partial<SaidAlert>) => {
    const { send, stub } = await open(answering(200, ''));
    await send({ ...ALERT, alerts: [{ ...CONDITION, ...said }], dashboardUrl: 'https://pk.example.com' });
    expect([stub.requests[0]?.path, stub.requests[0]?.headers.authorization]).toEqual([
      '/api/v2/alerts',
      'Bearer a-token',
    ]);
    return JSON.parse(stub.requests[0]?.body ?? '') as { labels: object; endsAt: string }[];
  };

  const LABELS = {
    alertname: 'pace',
    recipient: 'team',
    severity: 'warning',
    key: 'rule:pace:123:7',
    customer_id: '123',
  };

  it('gets a condition as an alert that lasts until its next repetition', async () => {
    expect(await posted({})).toEqual([
      {
        labels: LABELS,
        annotations: { summary: 'Over target: Boots', description: CONDITION.text },
        startsAt: CONDITION.since,
        endsAt: CONDITION.until,
        generatorURL: 'https://pk.example.com/alerts',
      },
    ]);
  });

  it('gets the end of a condition under the same labels', async () => {
    expect(await posted({ reason: 'resolved', until: AT })).toMatchObject([{ labels: LABELS, endsAt: AT }]);
  });

  it('gets a more severe condition as a new alert, and the end of the old one', async () => {
    expect(await posted({ reason: 'escalated', severity: 'critical' })).toMatchObject([
      { labels: { ...LABELS, severity: 'critical' }, endsAt: CONDITION.until },
      { labels: { ...LABELS, severity: 'info' }, endsAt: AT },
      { labels: LABELS, endsAt: AT },
    ]);
  });

  it('names an alert without a rule by its kind', async () => {
    expect(await posted({ kind: 'event', rule: undefined, customerId: undefined })).toMatchObject([
      { labels: { alertname: 'pacekeeper_event', recipient: 'team', severity: 'warning', key: 'rule:pace:123:7' } },
    ]);
  });

  it('that refuses the alert or its status is named with its words', async () => {
    const { send, check } = await open(answering(400, 'invalid label set'));
    expect(await failureOf(send())).toMatchObject({ outcome: 'not_processed', transient: false, httpStatus: 400 });
    expect((await failureOf(send())).message).toContain('invalid label set');
    expect(await check()).toMatchObject({ found: 'it answers HTTP 400' });
  });
});

/** 32 letters and digits, as a routing key has. */
const KEY = 'a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6';

/** Settings of each channel at a server of the test, the answer that takes an alert, and the words that prove nothing. */
const SERVICES: Readonly<
  Record<string, { env(url: string): Environment; taken: [status: number, text: string]; provesByStatus: boolean }>
> = {
  slack: {
    env: (url) => ({ SLACK_WEBHOOKS: `${url}/services/T0/B0/${KEY}` }),
    taken: [200, 'ok'],
    provesByStatus: true,
  },
  teams: {
    env: (url) => ({ TEAMS_WEBHOOKS: `${url}/workflows/1/triggers/manual/paths/invoke?api-version=1&sig=${KEY}` }),
    taken: [202, ''],
    provesByStatus: true,
  },
  google_chat: {
    env: (url) => ({ GOOGLE_CHAT_WEBHOOKS: `${url}/v1/spaces/S/messages?key=${KEY}&token=1` }),
    taken: [200, '{\n  "name": "spaces/S/messages/1"\n}'],
    provesByStatus: false,
  },
  discord: {
    env: (url) => ({ DISCORD_WEBHOOKS: `${url}/api/webhooks/1/${KEY}` }),
    taken: [204, ''],
    provesByStatus: false,
  },
  ntfy: {
    env: (url) => ({ NTFY_URL: url, NTFY_TOPICS: KEY, NTFY_TOKEN: `tk_${KEY}` }),
    taken: [200, '{"id":"hwQ2YpKdmg","event":"message"}'],
    provesByStatus: false,
  },
  webhook: {
    env: (url) => ({ WEBHOOK_URLS: `${url}/hook/${KEY}`, WEBHOOK_SECRETS: SECRET }),
    taken: [204, ''],
    provesByStatus: true,
  },
  alertmanager: {
    env: (url) => ({ ALERTMANAGER_URL: url, ALERTMANAGER_TOKEN: KEY }),
    taken: [200, ''],
    provesByStatus: true,
  },
  pagerduty: {
    env: (url) => ({ PAGERDUTY_URL: url, PAGERDUTY_ROUTING_KEYS: KEY }),
    taken: [202, '{"status":"success","message":"Event processed"}'],
    provesByStatus: false,
  },
};
const NAMES = Object.keys(SERVICES);
const WAIT_MS = 100;

/** A channel with real settings. Its answer is the service's own if none is given. */
async function posting(name: string, answer?: Parameters<typeof stubServer>[0]) {
  const service = SERVICES[name];
  const channel = channelNamed(name);
  if (service === undefined || channel === undefined) throw new Error(`No channel ${name}.`);
  const stub = await stubServer(answer ?? answering(...service.taken));
  const settings = live(service.env(stub.url));
  const area = liveAreas(settings)[name as 'slack'];
  const http = createHttpClient({ connectMs: 5_000, headersMs: WAIT_MS, bodyIdleMs: 5_000 });
  const tools = { http, redact: createRedact(settings.secrets) } as unknown as ConnectionTools;
  const work = await channel.load();
  const { send } = work.open(channel.connect(area, tools, settings[name as 'slack']));
  const posted = () => stub.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return {
    send: (alert: Partial<OutgoingAlert> = {}) => send({ ...ALERT, recipient: 'default', ...alert }),
    stub,
    posted,
  };
}

describe.each(NAMES)('the channel %s', (name) => {
  it('gets an alert in one request', async () => {
    const { send, stub } = await posting(name);
    await send();
    expect(stub.requests.map(({ method, headers }) => [method, headers['content-type']])).toEqual([
      ['POST', 'application/json'],
    ]);
    expect(stub.requests[0]?.body).toContain('Over target: Boots');
  });

  it.each([
    ['a redirect', answering(302, '', { location: '/elsewhere' }), { outcome: 'not_processed', transient: false }],
    [
      'too many requests',
      answering(429, '{"retry_after":0.5}', { 'retry-after': '7' }),
      { outcome: 'not_processed', transient: true, retryAfterMs: 7_000 },
    ],
    ['a broken service', answering(503, KEY), { outcome: 'unknown', transient: true }],
    ['a gone address', answering(410, KEY), { outcome: 'not_processed', transient: false, httpStatus: 410 }],
    ['no answer', () => undefined, { outcome: 'unknown', transient: true }],
    [
      'a closed connection',
      (_request: unknown, response: ServerResponse) => response.destroy(),
      { outcome: 'unknown', transient: true },
    ],
    [
      'endless repetitions of its secret',
      (_request: unknown, response: ServerResponse) => endless(response.writeHead(500), `"/x?sig=${KEY}&n=1"`),
      { outcome: 'unknown', transient: true },
    ],
  ])('is understood if it gives %s, and its secret stays secret', async (_, answer, expected) => {
    const { send, stub } = await posting(name, answer as Parameters<typeof stubServer>[0]);
    const failure = await failureOf(send());
    expect(failure).toMatchObject(expected);
    expect(`${failure.message} ${failure.nextStep} ${JSON.stringify(failure)}`).not.toContain(KEY);
    expect(failure.message.length).toBeLessThan(400);
    expect(stub.requests).toHaveLength(1);
  });

  it('that answers 200 with an error is believed only if its status is all that it promises', async () => {
    const { send } = await posting(name, answering(200, `<p>Please log in. ${KEY}</p>`));
    if (SERVICES[name]?.provesByStatus) {
      const { response } = await send();
      expect(response).toBe('<p>Please log in. [redacted]</p>');
      return;
    }
    const failure = await failureOf(send());
    expect(failure).toMatchObject({ outcome: 'unknown', httpStatus: 200 });
    expect(failure.message).toContain('The answer does not say that the alert was taken.');
    expect(failure.message).not.toContain(KEY);
  });
});

const HOSTILE = [
  '@everyone @here',
  '<!channel> <@U1> <users/all> <@&1>',
  '<script>alert(1)</script>',
  '<https://evil.example/x|click>',
  '[click](https://evil.example/x)',
  '*bold* _slanted_ ~gone~ `code` ||hidden||',
  '\\*bold\\* \\<script>',
];

const asWords = (_: unknown, body: string, text: string) => (body.includes(JSON.stringify(text)) ? null : 'changed');

/** Signs in a request on which each service would act. Services that take data get the words as they are. */
const ACTED_ON: Readonly<Record<string, (posted: Record<string, unknown>, body: string, text: string) => unknown>> = {
  slack: ({ text }) => String(text).match(/<|[*~`]/g),
  teams: (_, body) => body.match(/"TextBlock"|"entities"|<at>/g),
  google_chat: ({ text }) => String(text).match(/<[^\s\d=]|[*~`]/g),
  discord: ({ content, allowed_mentions: mentions }) =>
    JSON.stringify(mentions) === '{"parse":[]}' ? String(content).match(/(?<!\\)(?:\\\\)*[<[|*~`]/g) : mentions,
  ntfy: (_, body) => body.match(/"markdown"/),
  webhook: asWords,
  alertmanager: asWords,
  pagerduty: asWords,
};

it.each(NAMES)('names with markup, links and calls are plain words on %s', async (name) => {
  const { send, stub, posted } = await posting(name);
  for (const [index, hostile] of HOSTILE.entries()) {
    const text = `Over target: ${outsideName(hostile)}\nWhy: 2 < 3 and 5 <= 6`;
    await send({ text, alerts: [{ ...CONDITION, text }] });
    expect(ACTED_ON[name]?.(posted()[index] ?? {}, stub.requests[index]?.body ?? '', text), hostile).toBeNull();
  }
});

const DASHBOARD = { dashboardUrl: 'https://pk.example.com' };

describe('a message', () => {
  it('to Teams is a card of plain lines, with a button', async () => {
    const { send, posted } = await posting('teams');
    await send({ text: 'Over target: Boots\nWhy: x\n\nRef pk-AAAAAAAA', ...DASHBOARD });
    const line = (text: string, spacing: string, weight: string) => ({
      type: 'RichTextBlock',
      spacing,
      inlines: [{ type: 'TextRun', text, weight }],
    });
    expect(posted()).toEqual([
      {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.2',
              body: [
                line('Over target: Boots', 'Medium', 'Bolder'),
                line('Why: x', 'None', 'Default'),
                line('Ref pk-AAAAAAAA', 'Medium', 'Bolder'),
              ],
              actions: [{ type: 'Action.OpenUrl', title: 'Open pacekeeper', url: 'https://pk.example.com/inbox' }],
            },
          },
        ],
      },
    ]);
  });

  it('to Google Chat keeps comparisons and ends with a link', async () => {
    const { send, posted } = await posting('google_chat');
    await send({ text: 'Clicks <users/all>\nWhy: 2 < 3, 4 <= 5, <90 %', ...DASHBOARD });
    expect(posted()).toEqual([
      { text: 'Clicks \u2039users/all>\nWhy: 2 < 3, 4 <= 5, <90 %\n<https://pk.example.com/inbox|Open pacekeeper>' },
    ]);
  });

  it('to Discord calls nobody and ends with a link', async () => {
    const { send, posted } = await posting('discord');
    await send({ text: 'Tents @everyone [x] ||y||', ...DASHBOARD });
    expect(posted()).toEqual([
      {
        content: 'Tents @everyone \\[x] \\|\\|y\\|\\|\n[Open pacekeeper](<https://pk.example.com/inbox>)',
        allowed_mentions: { parse: [] },
      },
    ]);
  });

  it('to Discord that is refused for now waits as long as the answer says, without a header, too', async () => {
    const { send } = await posting('discord', answering(429, '{"message":"…","retry_after":1.25,"global":false}'));
    expect(await failureOf(send())).toMatchObject({ outcome: 'not_processed', transient: true, retryAfterMs: 1_250 });
  });

  it('to ntfy has its topic, a title and a button, and the token', async () => {
    const { send, posted, stub } = await posting('ntfy');
    await send({ text: 'Over target: Boots\nWhy: x', ...DASHBOARD });
    expect(posted()).toEqual([
      {
        topic: KEY,
        title: 'Over target: Boots',
        message: 'Why: x',
        priority: 4,
        actions: [{ action: 'view', label: 'Open pacekeeper', url: 'https://pk.example.com/inbox' }],
      },
    ]);
    expect([stub.requests[0]?.path, stub.requests[0]?.headers.authorization]).toEqual(['/', `Bearer tk_${KEY}`]);
  });

  it.each([
    ['info', 'event', 3],
    ['warning', 'first', 4],
    ['critical', 'repeat', 5],
    ['critical', 'resolved', 3],
  ] as const)('to ntfy about a %s alert (%s) has the priority %i', async (severity, reason, priority) => {
    const { send, posted } = await posting('ntfy');
    await send({
      alerts: [
        { ...CONDITION, severity: 'info' },
        { ...CONDITION, severity, reason },
      ],
    });
    expect(posted()).toMatchObject([{ priority }]);
  });
});

describe('PagerDuty', () => {
  const event = async (said: Partial<SaidAlert>, answer?: Parameters<typeof stubServer>[0]) => {
    const { send, posted, stub } = await posting('pagerduty', answer);
    await send({ alerts: [{ ...CONDITION, ...said }], ...DASHBOARD });
    return { path: stub.requests[0]?.path, body: posted()[0] };
  };
  const said = {
    summary: 'Over target: Boots',
    source: 'pacekeeper',
    custom_details: { text: CONDITION.text, rule: 'pace', customer_id: '123', reference: 'pk-AAAAAAAA' },
  };
  const links = [{ href: 'https://pk.example.com/alerts', text: 'Open pacekeeper' }];

  it('gets an incident that begins with its condition, and ends with it', async () => {
    const incident = {
      routing_key: KEY,
      event_action: 'trigger',
      dedup_key: CONDITION.key,
      payload: { ...said, severity: 'warning', class: 'condition' },
      links,
    };
    expect(await event({})).toEqual({ path: '/v2/enqueue', body: incident });
    expect(await event({ reason: 'resolved' })).toEqual({
      path: '/v2/enqueue',
      body: { ...incident, event_action: 'resolve' },
    });
  });

  it.each([
    ['a digest', { kind: 'digest', reason: 'digest', severity: 'info' }],
    ['an answer', { kind: 'reply', reason: 'reply', severity: 'info' }],
    ['an alert of severity info', { severity: 'info' }],
  ] as const)('pages nobody for %s: it is a change event', async (_, alert) => {
    expect(await event(alert)).toEqual({
      path: '/v2/change/enqueue',
      body: { routing_key: KEY, payload: { ...said, timestamp: CONDITION.since }, links },
    });
  });

  it('pages for a test, so that somebody sees that pages arrive', async () => {
    const test = await event({ kind: 'test', reason: 'test', severity: 'info' });
    expect(test).toMatchObject({ path: '/v2/enqueue', body: { event_action: 'trigger' } });
  });

  it('gets a short key for a long one, always the same', async () => {
    const long = { key: `rule:${'x'.repeat(300)}` };
    const first = await event(long);
    const second = await event({ ...long, reason: 'resolved' });
    expect(first.body?.dedup_key).toMatch(/^[0-9a-f]{64}$/);
    expect(second.body?.dedup_key).toBe(first.body?.dedup_key);
    expect((await event({ key: 'x'.repeat(255) })).body?.dedup_key).toHaveLength(255);
  });

  it.each([
    ['refuses the third for now', answering(429, ''), { outcome: 'not_processed', transient: true }],
    ['may have the third', answering(500, ''), { outcome: 'unknown', transient: true }],
    [
      'refuses the third for good',
      answering(400, 'Event object is invalid'),
      { outcome: 'not_processed', transient: false },
    ],
    [
      'closes the connection',
      (_request: unknown, response: ServerResponse) => response.destroy(),
      { outcome: 'unknown', transient: true },
    ],
  ])(
    'that took two events of four, then %s, gets all of them again, under the same keys',
    async (_, then, expected) => {
      let left = 2;
      const { send, posted } = await posting('pagerduty', (request, response) => {
        if (left-- === 0) (then as Parameters<typeof stubServer>[0])(request, response);
        else answering(202, '{"status":"success"}')(request, response);
      });
      const alerts = ['a', 'b', 'c', 'd'].map((key) => ({ ...CONDITION, key }));
      const failure = await failureOf(send({ alerts }));
      expect(failure).toMatchObject(expected);
      expect(failure.message).toMatch(/^PagerDuty accepted 2 of 4 events\. /);
      await send({ alerts });
      expect(posted().map(({ dedup_key }) => dedup_key)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'd']);
    },
  );
});
