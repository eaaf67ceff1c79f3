import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Channel, ConnectionTools, OutgoingAlert } from '../../src/channels/channel.ts';
import { CHANNELS } from '../../src/channels/channels.ts';
import { prepareMessages } from '../../src/sandbox/message-store.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { fakeClock } from '../support/fake-time.ts';

const NOON = '2026-11-20T12:00:00Z';

async function freshSandbox() {
  const sandbox = await startSandbox({ stateFile: ':memory:', clock: fakeClock(NOON), seed: 1, strict: true });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

const alert = (recipient: string): OutgoingAlert => ({
  recipient,
  text: 'Spent <too> much & more\nRef pk-AAAAAAAA',
  alerts: [
    {
      key: 'event:1',
      kind: 'event',
      reason: 'event',
      severity: 'warning',
      customerId: undefined,
      account: undefined,
      rule: undefined,
      text: 'Spent <too> much & more',
      since: NOON,
      until: NOON,
    },
  ],
  dashboardUrl: 'https://pk.example.com',
  at: NOON,
  reference: 'AAAAAAAA',
  statusCallback: undefined,
});

it.each([
  ['email', 'anna@example.com', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['slack', 'team', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['webhook', 'own', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['alertmanager', 'ops', `Spent <too> much & more (until ${NOON})`],
  ['teams', 'team', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  [
    'google_chat',
    'team',
    'Spent \u2039too> much & more\nRef pk-AAAAAAAA\n<https://pk.example.com/inbox|Open pacekeeper>',
  ],
  ['discord', 'team', 'Spent \\<too> much & more\nRef pk-AAAAAAAA\n[Open pacekeeper](<https://pk.example.com/inbox>)'],
  ['ntfy', 'phone', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['pagerduty', 'oncall', 'trigger: Spent <too> much & more'],
])('the channel %s is rehearsed by the sandbox', async (name, to, body) => {
  const { send, sandbox } = await rehearsing(name);
  await send(alert(to));
  expect(sandbox.messages()).toMatchObject([{ channel: name, to, body, receivedAt: '2026-11-20T12:00:00.000Z' }]);
});

async function rehearsing(name: string) {
  const sandbox = await freshSandbox();
  const channel = CHANNELS.find((one) => one.name === name) as Channel;
  const area = channel.rehearse?.(sandbox);
  const tools = { http: createHttpClient(), redact: createRedact([]), pauses: {}, isLive: false };
  const { open, textLengthMax } = await channel.load();
  const { send } = open(channel.connect(area, tools as unknown as ConnectionTools, { retry: {} as never }));
  return { sandbox, send, textLengthMax };
}

const REPEATED = 'Sent again, because an earlier attempt may not have arrived.\n\n';

describe.each(['slack', 'teams', 'google_chat', 'discord', 'ntfy', 'pagerduty'])('the longest text on %s', (name) => {
  it.each([
    ['of three bytes each', '\u65e5'],
    ['that are escaped', '|<["\\'],
    ['in short lines', 'Why: thirty letters in each line\n'],
    ['in short paragraphs', 'Why\n\n'],
  ])('is within the limits of the service, with signs %s', async (_, sign) => {
    const { send, sandbox, textLengthMax } = await rehearsing(name);
    const text = REPEATED + sign.repeat(textLengthMax).slice(0, textLengthMax);
    const { alerts, ...rest } = alert('team');
    await send({
      ...rest,
      text,
      alerts: alerts.map((one) => ({ ...one, key: 'k'.repeat(300), text: sign.repeat(5_000) })),
    });
    expect(sandbox.messages()).toMatchObject([{ channel: name }]);
  });
});

const NOTIFICATION = { topic: 'budgets', title: 'x', message: 'x', priority: 3, actions: [] };
const EVENT = {
  routing_key: 'x',
  event_action: 'trigger',
  dedup_key: 'x',
  payload: { summary: 'x', source: 'x', severity: 'info' },
};

describe('the simulated services', () => {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  it.each([
    ['slack/team', 'no JSON', 400, 'invalid_payload'],
    ['slack/team', { blocks: [] }, 400, 'no_text'],
    ['slack/team', { text: 'x', blocks: Array.from({ length: 51 }, () => section('x')) }, 400, 'invalid_blocks'],
    ['slack/team', { text: 'x', blocks: [section('x'.repeat(3_001))] }, 400, 'invalid_blocks'],
    [
      'slack/team',
      { text: 'x', blocks: [{ type: 'image', image_url: 'https://example.com/1.png' }] },
      400,
      'invalid_blocks',
    ],
    [
      'slack/team',
      { text: 'x', blocks: [{ type: 'image', image_url: '1.png', alt_text: 'x' }] },
      400,
      'invalid_blocks',
    ],
    ['teams/team', { type: 'message', attachments: [] }, 400, 'Bad payload received by generic incoming webhook.'],
    ['google_chat/team', { text: '' }, 400, 'INVALID_ARGUMENT'],
    ['google_chat/team', { text: '\u65e5'.repeat(11_000) }, 400, 'INVALID_ARGUMENT'],
    ['discord/team', { content: 'x'.repeat(2_001), allowed_mentions: { parse: [] } }, 400, 'Invalid Form Body'],
    ['discord/team', { content: 'x', allowed_mentions: { parse: ['everyone'] } }, 400, 'Invalid Form Body'],
    ['discord/team', { content: 'x' }, 400, 'Invalid Form Body'],
    ['ntfy/all', { ...NOTIFICATION, topic: 'a/b' }, 400, 'invalid request: request body must be valid JSON'],
    ['ntfy/all', { ...NOTIFICATION, priority: 6 }, 400, 'invalid request: request body must be valid JSON'],
    [
      'ntfy/all',
      { ...NOTIFICATION, message: '\u65e5'.repeat(1_366) },
      400,
      'invalid request: request body must be valid JSON',
    ],
    ['pagerduty/all/v2/enqueue', { ...EVENT, dedup_key: 'k'.repeat(256) }, 400, 'Event object is invalid'],
    ['pagerduty/all/v2/enqueue', { ...EVENT, routing_key: '' }, 400, 'Event object is invalid'],
    ['pagerduty/all/v2/change/enqueue', EVENT, 400, 'Event object is invalid'],
    ['webhook/own', { data: { text: 'x' } }, 401, 'The signature is invalid.'],
    ['email/anna@example.com', { text: 'x' }, 400, '554 The mail has no subject or no text.'],
    ['alertmanager/all/api/v2/alerts', [{ labels: { severity: 'info' } }], 400, 'invalid label set'],
    ['alertmanager/all/api/v2/alerts', { labels: {} }, 400, 'invalid label set'],
  ])('refuse %s %j', async (path, body, status, text) => {
    const sandbox = await freshSandbox();
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${sandbox.url}/posted/${path}`, { method: 'POST', body: sent });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(sandbox.messages()).toEqual([]);
  });
});

it('a file of an earlier version keeps its messages, and takes those of other channels', () => {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  database.exec(`CREATE TABLE message (message_id INTEGER PRIMARY KEY, sid TEXT NOT NULL UNIQUE, to_address TEXT NOT NULL,
    from_address TEXT NOT NULL, body TEXT NOT NULL, media_url TEXT,
    media_attached INTEGER NOT NULL CHECK (media_attached IN (0, 1)), received_at TEXT NOT NULL,
    channel TEXT NOT NULL DEFAULT 'messages' CHECK (channel IN ('messages', 'graph'))) STRICT;
    INSERT INTO message VALUES (7, 'SM1', '+49', '+1', 'before', NULL, 0, '${NOON}', 'graph')`);
  prepareMessages(database);
  database.exec(`INSERT INTO message (sid, to_address, from_address, body, media_attached, received_at, channel)
    VALUES ('SM2', 'team', 'pacekeeper', 'after', 0, '${NOON}', 'slack')`);
  const rows = database.prepare('SELECT message_id AS id, body, channel, status FROM message ORDER BY 1').all();
  expect(rows).toEqual([
    { id: 7, body: 'before', channel: 'graph', status: 'delivered' },
    { id: 8, body: 'after', channel: 'slack', status: 'delivered' },
  ]);
});
