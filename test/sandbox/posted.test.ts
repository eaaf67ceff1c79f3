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
      rule: undefined,
      text: 'Spent <too> much & more',
      since: NOON,
      until: NOON,
    },
  ],
  dashboardUrl: 'https://pk.example.com',
  at: NOON,
  reference: 'AAAAAAAA',
  pictureUrl: undefined,
  statusCallback: undefined,
});

it.each([
  ['email', 'anna@example.com', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['slack', 'team', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['webhook', 'own', 'Spent <too> much & more\nRef pk-AAAAAAAA'],
  ['alertmanager', 'ops', `Spent <too> much & more (until ${NOON})`],
])('the channel %s is rehearsed by the sandbox', async (name, to, body) => {
  const sandbox = await freshSandbox();
  const channel = CHANNELS.find((one) => one.name === name) as Channel;
  const area = channel.rehearse?.(sandbox);
  const tools = { http: createHttpClient(), redact: createRedact([]), pauses: {}, isLive: false };
  const { open } = await channel.load();
  await open(channel.connect(area, tools as unknown as ConnectionTools, { retry: {} as never })).send(alert(to));
  expect(sandbox.messages()).toMatchObject([{ channel: name, to, body, receivedAt: '2026-11-20T12:00:00.000Z' }]);
});

describe('the simulated services', () => {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  it.each([
    ['slack/team', 'no JSON', 400, 'invalid_payload'],
    ['slack/team', { blocks: [] }, 400, 'no_text'],
    ['slack/team', { text: 'x', blocks: Array.from({ length: 51 }, () => section('x')) }, 400, 'invalid_blocks'],
    ['slack/team', { text: 'x', blocks: [section('x'.repeat(3_001))] }, 400, 'invalid_blocks'],
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
