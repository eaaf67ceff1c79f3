import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { alertmanager } from '../../src/channels/alertmanager/channel.ts';
import type { Channel, ConnectionTools, OutgoingAlert, SaidAlert } from '../../src/channels/channel.ts';
import { slack } from '../../src/channels/slack/channel.ts';
import { webhook } from '../../src/channels/webhook/channel.ts';
import type { ApiError } from '../../src/domain/errors.ts';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { createRedact } from '../../src/services/http/redact.ts';
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
  pictureUrl: undefined,
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
    await send({ ...ALERT, text: Array.from({ length: 900 }, (_, index) => `Alert ${index} &&`).join('\n\n') });
    const { blocks } = JSON.parse(stub.requests[0]?.body ?? '') as { blocks: { text: { text: string } }[] };
    expect(blocks).toHaveLength(50);
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
