import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeClock } from '../support/fake-time.ts';
import { stubServer } from '../support/stub-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Answer, answerOf, freshSandbox, NOON, openSandbox } from './sandbox-client.ts';

async function send(
  sandbox: Sandbox,
  fields: Record<string, string>,
  changes: { account?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { accountId, username, password, to, from } = sandbox.credentials.messages;
  const response = await fetch(`${sandbox.url}/2010-04-01/Accounts/${changes.account ?? accountId}/Messages.json`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...changes.headers,
    },
    body: changes.body ?? new URLSearchParams({ To: to, From: from, Body: 'hello', ...fields }).toString(),
  });
  return answerOf(response);
}

it('C1: accepts a form-encoded message, answers 201 and keeps it', async () => {
  const sandbox = await freshSandbox();
  const { to, from } = sandbox.credentials.messages;
  const body = 'Budget “Öko” & co: 12 € → 15 € 🎒\nsecond line';
  const answer = await send(sandbox, { Body: body });
  expect(answer.status).toBe(201);
  expect(answer.json).toMatchObject({
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    status: 'queued',
    to,
    from,
    body,
    num_media: '0',
    num_segments: '1',
    price: null,
    error_code: null,
    date_created: 'Fri, 20 Nov 2026 12:00:00 +0000',
  });
  expect(sandbox.messages()).toEqual([
    {
      sid: answer.json.sid,
      channel: 'messages',
      to,
      from,
      body,
      mediaUrl: undefined,
      mediaAttached: false,
      receivedAt: '2026-11-20T12:00:00.000Z',
      status: 'delivered',
      errorCode: undefined,
      statusCallback: undefined,
      reference: undefined,
    },
  ]);
});

it.each<[sentence: string, status: number, code: number, fields: Record<string, string>]>([
  ['C2: To without a channel', 400, 21211, { To: '+15550100002' }],
  ['C2: To without a plus', 400, 21211, { To: 'whatsapp:15550100002' }],
  ['C2: To of another channel than From', 400, 21910, { To: 'sms:+15550100002' }],
  ['C2: From of another channel than To', 400, 21910, { From: 'sms:+15550100001' }],
  ['C2: From without a plus', 400, 21606, { From: 'whatsapp:15550100001' }],
  ['C2: an unencoded plus', 400, 21211, { To: 'whatsapp: 15550100002' }],
  ['C2: From with letters', 400, 21606, { From: 'whatsapp:+1555CALLUS' }],
  ['C3: an empty Body', 400, 21602, { Body: '' }],
  ['C3: a Body of 1,601 characters', 400, 21617, { Body: 'x'.repeat(1_601) }],
  ['C3: an invalid MediaUrl', 400, 21620, { MediaUrl: 'chart.jpg' }],
])('%s is refused and not kept', async (_, status, code, fields) => {
  const sandbox = await freshSandbox();
  const answer = await send(sandbox, fields);
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({
    code,
    status,
    message: expect.any(String),
    more_info: expect.stringContaining(String(code)),
  });
  expect(sandbox.messages()).toEqual([]);
});

const templateOf = (value: unknown, more: Record<string, string> = {}) => ({
  ContentSid: 'HX0000000000000000000000000000a1e7',
  ContentVariables: typeof value === 'string' ? value : JSON.stringify(value),
  ...more,
});

it.each<[sentence: string, code: number, fields: Record<string, string>]>([
  ['an unknown template', 21655, templateOf({ 1: 'a' }, { ContentSid: `HX${'0'.repeat(32)}` })],
  ['variables that are no JSON', 21656, templateOf('{')],
  ['an empty variable', 21656, templateOf({ 1: '' })],
  ['a variable that is null', 21656, templateOf({ 1: null })],
  ['a variable with a line end', 21656, templateOf({ 1: 'a\nb' })],
  ['a variable with five spaces', 21656, templateOf({ 1: 'a     b' })],
  ['a text beside the template', 20001, templateOf({ 1: 'a' }, { Body: 'a' })],
])('%s is refused and not kept', async (_sentence, code, fields) => {
  const sandbox = await freshSandbox();
  const { to, from } = sandbox.credentials.messages;
  const answer = await send(sandbox, {}, { body: new URLSearchParams({ To: to, From: from, ...fields }).toString() });
  expect([answer.status, answer.json.code, sandbox.messages()]).toEqual([400, code, []]);
});

it('a template arrives when a day has passed since the phone wrote, and free text does not', async () => {
  const clock = fakeClock(NOON);
  const stateFile = join(tempDir(), 'sandbox.sqlite');
  const first = await openSandbox({ stateFile, clock });
  await first.close();
  clock.set('2026-11-21T12:00:00Z');
  // A restart opens no window.
  const sandbox = await freshSandbox({ stateFile, clock, faults: ['template-withdrawn,at=message,nth=4'] });
  const { to, from } = sandbox.credentials.messages;
  const template = { body: new URLSearchParams({ To: to, From: from, ...templateOf({ 1: 'Cut' }) }).toString() };
  await send(sandbox, {});
  await send(sandbox, {}, template);
  await sandbox.receive({ channel: 'messages', from: to, text: 'Hello' }, 'http://127.0.0.1:9');
  await send(sandbox, {});
  expect(sandbox.messages()).toMatchObject([
    { status: 'undelivered', errorCode: 63016 },
    { status: 'delivered', body: 'Pacekeeper: Cut\nAnswer to get messages in full for a day.' },
    { status: 'delivered', body: 'hello' },
  ]);
  expect((await send(sandbox, {}, template)).json.code).toBe(21655);
});

it('C3: accepts a Body of 1,600 characters', async () => {
  const sandbox = await freshSandbox();
  expect((await send(sandbox, { Body: 'x'.repeat(1_600) })).status).toBe(201);
});

it.each([
  ['https://example.com/chart.jpg', true],
  ['https://example.com/chart.JPEG?size=2', true],
  ['https://example.com/report.pdf', true],
  ['https://example.com/meeting.ics', false],
  ['https://example.com/notes.txt', false],
  ['https://example.com/chart?file=a.jpg', false],
])('C4: accepts the message with media %s; attached: %s', async (mediaUrl, mediaAttached) => {
  const sandbox = await freshSandbox();
  const answer = await send(sandbox, { MediaUrl: mediaUrl });
  expect(answer.status).toBe(201);
  expect(answer.json.num_media).toBe(mediaAttached ? '1' : '0');
  expect(sandbox.messages()).toMatchObject([{ mediaUrl, mediaAttached }]);
});

it.each<[sentence: string, status: number, type: string, seen: object]>([
  ['attaches a picture', 200, 'image/png', { status: 'delivered', mediaAttached: true }],
  ['drops a calendar, whatever its name', 200, 'text/calendar', { status: 'delivered', mediaAttached: false }],
  ['does not deliver without the media', 404, 'image/png', { status: 'undelivered', errorCode: 63019 }],
])('C4: fetches media of this machine after it accepted the message, and %s', async (_, status, type, seen) => {
  const { url, requests } = await stubServer((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end('a'),
  );
  const sandbox = await freshSandbox();
  const answer = await send(sandbox, { MediaUrl: `${url}/chart.png` });
  expect(answer.json).toMatchObject({ status: 'queued', num_media: '1' });
  await sandbox.settled();
  expect(requests).toMatchObject([{ method: 'GET', path: '/chart.png' }]);
  expect(sandbox.messages()).toMatchObject([seen]);
});

it('C1: answers 401 for wrong credentials, 404 for an unknown account, 400 for JSON', async () => {
  const sandbox = await freshSandbox();
  const wrong = await send(sandbox, {}, { headers: { authorization: 'Basic bm86' } });
  expect(wrong.json).toMatchObject({ code: 20003, status: 401 });
  const unknown = await send(sandbox, {}, { account: 'AC1' });
  expect(unknown.json).toMatchObject({ code: 20404, status: 404 });
  const json = await send(sandbox, {}, { headers: { 'content-type': 'application/json' }, body: '{"To":"x"}' });
  expect(json.status).toBe(400);
  expect(sandbox.messages()).toEqual([]);
});

it('C5: strict mode sends no response body', async () => {
  const sandbox = await freshSandbox({ strict: true });
  const answer = await send(sandbox, {});
  expect([answer.status, answer.json]).toEqual([201, {}]);
  expect(sandbox.messages()).toHaveLength(1);
});
