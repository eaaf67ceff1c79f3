import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Answer, answerOf, freshSandbox, openSandbox } from './sandbox-client.ts';

const TO = '15550100002';
const TEXT = { messaging_product: 'whatsapp', to: TO, text: { body: 'hello' } };

interface Changes {
  readonly headers?: Record<string, string>;
  readonly token?: string | undefined;
}

async function call(sandbox: Sandbox, method: string, path: string, body?: unknown, changes: Changes = {}) {
  const { token = sandbox.credentials.graph.accessToken, headers = {} } = changes;
  const isText = body === undefined || typeof body === 'string';
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: isText ? String(body) : JSON.stringify(body) }),
  });
  return answerOf(response);
}

const send = (sandbox: Sandbox, body: unknown, changes: Changes = {}): Promise<Answer> =>
  call(sandbox, 'POST', `/v23.0/${sandbox.credentials.graph.phoneNumberId}/messages`, body, changes);

const errorOf = ({ status, json }: Answer) => [status, json.error.code, json.error.error_subcode, json.error.type];

describe('area A', () => {
  let sandbox: Sandbox;
  let ids: Sandbox['credentials']['graph'];
  beforeAll(async () => {
    sandbox = await openSandbox();
    ids = sandbox.credentials.graph;
    return () => sandbox.close();
  });

  it('A1: accepts and keeps a text message, and answers with its id', async () => {
    const body = 'Budget „Öko“: 12 € → 15 € 🎒\nsecond line';
    const answer = await send(sandbox, { ...TEXT, text: { body }, biz_opaque_callback_data: 'pk-7K3Q9ABC' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: TO, wa_id: TO }],
      messages: [{ id: expect.stringMatching(/^wamid\.[\w+/=]+$/) }],
    });
    expect(sandbox.messages().at(-1)).toMatchObject({
      sid: answer.json.messages[0].id,
      channel: 'graph',
      to: TO,
      from: '15550100001',
      body,
      status: 'delivered',
      reference: 'pk-7K3Q9ABC',
      receivedAt: '2026-11-20T12:00:00.000Z',
    });
  });

  it('A1: accepts public fields beyond the specification, and 4,096 characters', async () => {
    const body = 'x'.repeat(4_096);
    const answer = await send(sandbox, { ...TEXT, recipient_type: 'individual', type: 'text', text: { body } });
    expect(answer.status).toBe(200);
  });

  it.each<[sentence: string, body: unknown]>([
    ['a body that is not JSON', '{to:1}'],
    ['a body that is not an object', []],
    ['no product', { ...TEXT, messaging_product: undefined }],
    ['no recipient', { ...TEXT, to: undefined }],
    ['a recipient with a plus', { ...TEXT, to: `+${TO}` }],
    ['a recipient with letters', { ...TEXT, to: '1555CALLUS' }],
    ['no text', { ...TEXT, text: undefined }],
    ['an empty text', { ...TEXT, text: { body: '' } }],
    ['a text of 4,097 characters', { ...TEXT, text: { body: 'x'.repeat(4_097) } }],
    ['a group as recipient', { ...TEXT, recipient_type: 'group' }],
    ['a picture', { ...TEXT, type: 'image' }],
    ['a reference of 513 bytes', { ...TEXT, biz_opaque_callback_data: 'x'.repeat(513) }],
  ])('A1: refuses %s and keeps nothing', async (_, body) => {
    const kept = sandbox.messages().length;
    expect(errorOf(await send(sandbox, body))).toEqual([400, 100, undefined, 'OAuthException']);
    expect(sandbox.messages()).toHaveLength(kept);
  });

  it('A1: refuses a form-encoded message', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(errorOf(await send(sandbox, 'to=1', { headers }))[1]).toBe(100);
  });

  it.each([
    ['15550100021', 131026],
    ['15550100024', 131056],
  ])('A1: %s refuses every message with %d', async (to, code) => {
    expect(errorOf(await send(sandbox, { ...TEXT, to }))).toEqual([400, code, undefined, 'OAuthException']);
  });

  it('A2: lists the phone numbers of the business account and names the senders', async () => {
    const { json } = await call(sandbox, 'GET', `/v15.0/${ids.businessAccountId}/phone_numbers`);
    expect(json.data).toMatchObject([
      { id: ids.phoneNumberId, display_phone_number: '+1 555-010-0001', quality_rating: 'GREEN' },
      { verified_name: expect.any(String), quality_rating: 'NA' },
    ]);
  });

  it('A2: pages phone numbers, forward by the given address', async () => {
    const path = `/v23.0/${ids.businessAccountId}/phone_numbers`;
    const first = await call(sandbox, 'GET', `${path}?limit=1`);
    const next: string = first.json.paging.next;
    expect(next).toContain(`${sandbox.url}${path}?`);
    const second = await call(sandbox, 'GET', next.slice(sandbox.url.length));
    expect(second.json.paging.next).toBeUndefined();
    expect(second.json.data[0].quality_rating).toBe('NA');
    const { after } = second.json.paging.cursors;
    expect((await call(sandbox, 'GET', `${path}?limit=1&after=${after}`)).json).toEqual({ data: [] });
  });

  it.each(['limit=0', 'limit=all', 'after=elsewhere'])('A2: refuses a page by %s', async (query) => {
    const answer = await call(sandbox, 'GET', `/v23.0/${ids.businessAccountId}/phone_numbers?${query}`);
    expect(errorOf(answer)).toEqual([400, 100, undefined, 'OAuthException']);
  });

  it.each<[sentence: string, method: string, path: (graph: typeof ids) => string]>([
    ['a business account as sender', 'POST', (graph) => `/v23.0/${graph.businessAccountId}/messages`],
    ['a sender that does not exist', 'POST', () => '/v23.0/999/messages'],
    ['the phone numbers of a sender', 'GET', (graph) => `/v23.0/${graph.phoneNumberId}/phone_numbers`],
    ['the pages of a business account', 'GET', (graph) => `/v23.0/${graph.businessAccountId}/accounts`],
    ['reading messages', 'GET', (graph) => `/v23.0/${graph.phoneNumberId}/messages`],
  ])('A6: answers 100/33 for %s', async (_, method, path) => {
    const answer = await call(sandbox, method, path(ids), method === 'POST' ? TEXT : undefined);
    expect(errorOf(answer)).toEqual([400, 100, 33, 'GraphMethodException']);
    expect(answer.json.error.fbtrace_id).toMatch(/./);
  });

  it.each<[sentence: string, method: string, path: (graph: typeof ids) => string]>([
    ['A8: marking as read by PUT', 'PUT', () => '/v15.0/messages/wamid.HBgL'],
    ['A7: a message id after /messages', 'GET', (graph) => `/v23.0/${graph.phoneNumberId}/messages/wamid.HBgL`],
    ['A7: an unknown edge', 'GET', (graph) => `/v23.0/${graph.userId}/friends`],
    ['A9: a version without its minor part', 'GET', (graph) => `/v15/${graph.userId}/permissions`],
    ...['v0.0', 'v0.1', 'v00.1', 'v01.0', 'v15.00', 'v15.01', 'v999.0', 'v15.999', 'V15.0'].map(
      (version): [string, string, (graph: typeof ids) => string] => [
        `A9: the version ${version}, which there cannot be,`,
        'GET',
        (graph) => `/${version}/${graph.userId}/permissions`,
      ],
    ),
    ['A9: a version as a word', 'GET', (graph) => `/latest/${graph.userId}/permissions`],
    ['A9: no version', 'GET', (graph) => `/${graph.userId}/permissions`],
  ])('answers 2500 for %s', async (_, method, path) => {
    const answer = await call(sandbox, method, path(ids), method === 'PUT' ? { status: 'read' } : undefined);
    expect(errorOf(answer)).toEqual([400, 2500, undefined, 'OAuthException']);
  });

  it('A8: marks a message as read by a POST to its sender', async () => {
    const read = { messaging_product: 'whatsapp', status: 'read' };
    expect((await send(sandbox, { ...read, message_id: 'wamid.HBgL' })).json).toEqual({ success: true });
    expect(errorOf(await send(sandbox, { ...read, message_id: '' }))[1]).toBe(100);
    expect(errorOf(await send(sandbox, { ...read, status: 'seen', message_id: 'wamid.HBgL' }))[1]).toBe(100);
  });

  it.each(['v3.3', 'v13.0', 'v14.0', 'v15.0', 'v26.0'])('A9: serves version %s', async (version) => {
    expect((await call(sandbox, 'GET', `/${version}/${ids.userId}/permissions`)).status).toBe(200);
  });

  it('A10: takes the token from the query as well, and answers 190 for a wrong or missing one', async () => {
    const url = `${sandbox.url}/v23.0/${ids.userId}/permissions`;
    const inQuery = (token: string) => fetch(`${url}?access_token=${token}`).then(answerOf);
    expect((await inQuery(ids.accessToken)).status).toBe(200);
    const wrong = [await inQuery('wrong'), await fetch(url).then(answerOf), await send(sandbox, TEXT, { token: 'no' })];
    for (const answer of wrong) expect(errorOf(answer)).toEqual([401, 190, undefined, 'OAuthException']);
  });

  it('A10: checks a proof of the app’s secret if sent', async () => {
    const proof = createHmac('sha256', ids.appSecret).update(ids.accessToken).digest('hex');
    const path = `/v23.0/${ids.userId}/permissions?appsecret_proof=`;
    expect((await call(sandbox, 'GET', path + proof)).status).toBe(200);
    const answer = await call(sandbox, 'GET', path + proof.replace(/^./, 'x'));
    expect(errorOf(answer)).toEqual([400, 100, undefined, 'GraphMethodException']);
  });
});

it('A3, A4, A5: page tokens follow both steps of the remedy, and the state survives the sandbox', async () => {
  const stateFile = `${tempDir()}/sandbox.sqlite`;
  const before = await freshSandbox({ stateFile });
  const { userId } = before.credentials.graph;
  const get = async (sandbox: Sandbox, edge: string) =>
    (await call(sandbox, 'GET', `/v23.0/${userId}/${edge}`)).json.data;
  before.deactivateFeatures();
  expect(await get(before, 'accounts')).toEqual([]);
  expect(await get(before, 'permissions')).toContainEqual({ permission: 'pages_show_list', status: 'granted' });
  const revoked = await call(before, 'DELETE', `/v23.0/${userId}/permissions`);
  expect(revoked.json).toEqual({ success: true });
  expect(errorOf(await send(before, TEXT))).toEqual([401, 190, 458, 'OAuthException']);
  expect(errorOf(await call(before, 'GET', `/v23.0/${userId}/permissions`))[2]).toBe(458);
  await before.close();
  const after = await freshSandbox({ stateFile });
  after.deactivateFeatures();
  expect(await get(after, 'permissions')).toContainEqual({ permission: 'pages_show_list', status: 'granted' });
  const first = await call(after, 'GET', `/v23.0/${userId}/accounts?limit=2`);
  const rest = await get(after, `accounts?limit=2&after=${first.json.paging.cursors.after}`);
  expect([first.json.data.length, rest.length]).toEqual([2, 1]);
  expect(rest[0]).toMatchObject({ id: expect.any(String), name: expect.any(String), access_token: expect.any(String) });
});

it('A1, A2, A8: strict mode has no message answer, no pages and no mark as read', async () => {
  const sandbox = await freshSandbox({ strict: true });
  expect(await send(sandbox, TEXT)).toMatchObject({ status: 200, json: {} });
  expect((await send(sandbox, TEXT)).json).toEqual({});
  expect(sandbox.messages()).toHaveLength(2);
  const path = `/v15.0/${sandbox.credentials.graph.businessAccountId}/phone_numbers?limit=1`;
  const { json } = await call(sandbox, 'GET', path);
  expect(Object.keys(json)).toEqual(['data']);
  expect(json.data).toHaveLength(2);
  const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgL' };
  expect(errorOf(await send(sandbox, read))[1]).toBe(100);
});

it('A1: faults also work here', async () => {
  const sandbox = await freshSandbox({
    fault: ({ kind }) => (kind === 'graph_send' ? { kind: 'reset_after' } : undefined),
  });
  await expect(send(sandbox, TEXT)).rejects.toThrow();
  expect(sandbox.messages()).toHaveLength(1);
});
