import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { asciiJson, signBytes, signForm } from '../../src/sandbox/webhooks/compose-webhook.ts';
import { isLoopback } from '../../src/sandbox/webhooks/webhooks.ts';
import { type StubRequest, stubServer } from '../support/stub-server.ts';
import { freshSandbox, post } from './sandbox-client.ts';

const REPLY = 'Ja – YES 7K3Q, “bitte” & danke+1 🎒\nzweite Zeile';
const { validateRequest } = twilio;

const taken = (_: StubRequest, response: ServerResponse): void => {
  response.writeHead(200).end();
};

/** A receiver of webhooks, and a sandbox that knows it. */
async function pair(options: Partial<SandboxOptions> = {}, answer = taken) {
  const receiver = await stubServer(answer);
  const sandbox = await freshSandbox({ webhookUrl: receiver.url, ...options });
  return { receiver, sandbox };
}

/** Sends by area C; answers with the HTTP status. */
async function sendForm({ url, credentials }: Sandbox, fields: Record<string, string> = {}): Promise<number> {
  const { accountId, password, to, from } = credentials.messages;
  const response = await fetch(`${url}/2010-04-01/Accounts/${accountId}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${accountId}:${password}`).toString('base64')}` },
    body: new URLSearchParams({ To: to, From: from, Body: 'hello', ...fields }),
  });
  return response.status;
}

const sendText = (sandbox: Sandbox, fields: object = {}) => {
  const { phoneNumberId, accessToken } = sandbox.credentials.graph;
  const body = { messaging_product: 'whatsapp', to: '15550100002', text: { body: 'hello' }, ...fields };
  return post(sandbox, `/v23.0/${phoneNumberId}/messages`, body, { authorization: `Bearer ${accessToken}` });
};

const formOf = ({ body }: StubRequest) => Object.fromEntries(new URLSearchParams(body));
const header = ({ headers }: StubRequest, name: string) => String(headers[name]);
const changeOf = ({ body }: StubRequest) => JSON.parse(body).entry[0].changes[0].value;

describe('signatures', () => {
  it.each<[sentence: string, url: string, fields: Record<string, string>]>([
    ['plain fields', 'https://example.com/webhooks/messages', { Body: 'yes', From: 'whatsapp:+15550100002' }],
    ['no fields', 'https://example.com/webhooks/messages', {}],
    [
      'a port and a query',
      'http://127.0.0.1:4020/webhooks/messages?a=b',
      { MessageSid: 'SM1', Ab: '1', AB: '2', ab: '3' },
    ],
    ['letters of all kinds', 'https://example.com/w', { Body: REPLY, ProfileName: 'Ärger 日本' }],
  ])('C1: signs a form of %s as the provider’s own package does', (_, url, fields) => {
    const signature = signForm('token', url, fields);
    expect(signature).toBe(twilio.getExpectedTwilioSignature('token', url, fields));
    expect(validateRequest('token', signature, url, fields)).toBe(true);
    expect(validateRequest('another token', signature, url, fields)).toBe(false);
    expect(validateRequest('token', signature, url, { ...fields, Body: 'NO 7K3Q' })).toBe(false);
  });

  it('A11: sends JSON as ASCII and signs the sent bytes', () => {
    const body = asciiJson({ body: REPLY });
    expect(body).toMatch(/^[ -~]+$/);
    expect(body).toContain('Ja \\u2013 YES 7K3Q, \\u201cbitte\\u201d & danke+1 \\ud83c\\udf92\\nzweite Zeile');
    expect(JSON.parse(body)).toEqual({ body: REPLY });
    const expected = createHmac('sha256', 'secret').update(Buffer.from(body, 'ascii')).digest('hex');
    expect(signBytes('secret', body)).toBe(`sha256=${expected}`);
  });
});

describe('a phone that answers', () => {
  it('C1: replies by area C in a signed form that the provider’s own package accepts', async () => {
    const { receiver, sandbox } = await pair();
    expect(await sandbox.receive({ channel: 'messages', from: '+15550100002', text: REPLY })).toBe(200);
    const [request] = receiver.requests;
    if (!request) throw new Error('Nothing came.');
    const { accountId, password, from, to } = sandbox.credentials.messages;
    expect(request).toMatchObject({ method: 'POST', path: '/webhooks/messages' });
    const fields = formOf(request);
    expect(fields).toMatchObject({
      From: to,
      To: from,
      Body: REPLY,
      AccountSid: accountId,
      NumMedia: '0',
      WaId: '15550100002',
      MessageSid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    });
    const url = receiver.url + request.path;
    expect(validateRequest(password, header(request, 'x-twilio-signature'), url, fields)).toBe(true);
  });

  it('A11: replies by area A in a change of the business account, signed over its bytes', async () => {
    const { receiver, sandbox } = await pair();
    const { appSecret, businessAccountId, phoneNumberId } = sandbox.credentials.graph;
    await sandbox.receive({ channel: 'graph', from: '+15550100002', text: REPLY, id: 'wamid.ABC=' });
    const [request] = receiver.requests;
    if (!request) throw new Error('Nothing came.');
    expect(request.path).toBe('/webhooks/graph');
    expect(request.body).toMatch(/^[ -~]+$/);
    expect(header(request, 'x-hub-signature-256')).toBe(signBytes(appSecret, request.body));
    const message = { from: '15550100002', id: 'wamid.ABC=', timestamp: '1795176000', type: 'text' };
    expect(JSON.parse(request.body)).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [{ id: businessAccountId, changes: [{ field: 'messages' }] }],
    });
    expect(changeOf(request)).toEqual({
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550100001', phone_number_id: phoneNumberId },
      contacts: [{ profile: { name: expect.any(String) }, wa_id: '15550100002' }],
      messages: [{ ...message, text: { body: REPLY } }],
    });
  });

  it('A11: learns what the receiver answered, or that it did not', async () => {
    const { sandbox } = await pair({}, (_, response) => response.writeHead(403).end('no'));
    const reply = { channel: 'graph', from: '+15550100002', text: 'x' } as const;
    expect(await sandbox.receive(reply)).toBe(403);
    expect(await sandbox.receive(reply, 'http://127.0.0.1:1')).toBeUndefined();
    expect(await sandbox.receive(reply, 'nowhere')).toBeUndefined();
    expect(sandbox.webhooks.map(({ answer }) => answer)).toEqual([
      { kind: 'answered', status: 403, text: 'no' },
      { kind: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') },
      { kind: 'unreachable', reason: 'invalid address "nowhere/webhooks/graph"' },
    ]);
    const deaf = await freshSandbox();
    await expect(deaf.receive(reply)).rejects.toThrow('No webhook address is set');
  });
});

describe('delivery reports', () => {
  it('C1: go to the message’s own address, in order, without the first status', async () => {
    const { receiver, sandbox } = await pair({ webhookUrl: 'http://127.0.0.1:1' });
    const callback = `${receiver.url}/reports?run=1`;
    expect(await sendForm(sandbox, { StatusCallback: callback })).toBe(201);
    await sandbox.settled();
    const { accountId, password, from, to } = sandbox.credentials.messages;
    const sid = sandbox.messages()[0]?.sid;
    const told = { MessageSid: sid, To: to, From: from, AccountSid: accountId };
    expect(receiver.requests.map(formOf)).toMatchObject([
      { ...told, MessageStatus: 'sent' },
      { ...told, MessageStatus: 'delivered' },
    ]);
    for (const request of receiver.requests) {
      expect(validateRequest(password, header(request, 'x-twilio-signature'), callback, formOf(request))).toBe(true);
      expect(formOf(request)).not.toHaveProperty('ErrorCode');
    }
  });

  it.each([
    ['+15550100012', [['sent'], ['undelivered', '63024']]],
    ['+15550100013', [['sent']]],
  ])('C1: %s reports %j', async (number, expected) => {
    const { receiver, sandbox } = await pair();
    await sendForm(sandbox, { To: `whatsapp:${number}` });
    await sandbox.settled();
    const told = receiver.requests.map(formOf).map(({ MessageStatus, ErrorCode }) => [MessageStatus, ErrorCode]);
    expect(told).toEqual(expected.map(([status, code]) => [status, code]));
  });

  it.each([
    ['15550100002', [{ status: 'sent' }, { status: 'delivered' }]],
    ['15550100022', [{ status: 'failed', errors: [expect.objectContaining({ code: 131026 })] }]],
    ['15550100023', [{ status: 'sent' }]],
  ])('A11: reports of %s carry the message’s own reference', async (to, expected) => {
    const { receiver, sandbox } = await pair();
    const { json } = await sendText(sandbox, { to, biz_opaque_callback_data: 'pk-7K3Q9ABC' });
    await sandbox.settled();
    const [{ id }] = json.messages;
    const told = { id, recipient_id: to, biz_opaque_callback_data: 'pk-7K3Q9ABC', timestamp: '1795176000' };
    expect(receiver.requests.map(changeOf).map(({ statuses }) => statuses)).toEqual(
      expected.map((status) => [{ ...told, ...status }]),
    );
  });

  it('C1: stay on this machine unless the sandbox’s user names the address', async () => {
    const sandbox = await freshSandbox();
    expect(await sendForm(sandbox, { StatusCallback: 'https://example.com/webhooks/messages' })).toBe(201);
    expect(await sendForm(sandbox, { StatusCallback: 'ftp://127.0.0.1/' })).toBe(400);
    expect(await sendForm(sandbox, { StatusCallback: 'http:127.0.0.1@example.com/' })).toBe(201);
    await sandbox.settled();
    expect(sandbox.webhooks).toEqual([]);
    const addresses = [
      'http://localhost:1/',
      'http://[::1]/',
      'http://127.0.0.1.example.com/',
      'http://10.0.0.1/',
      '?',
    ];
    expect(addresses.map(isLoopback)).toEqual([true, true, false, false, false]);
  });

  it('C1: never delay or fail the request that caused them', async () => {
    const { sandbox } = await pair({ webhookTimeoutMs: 20 }, () => undefined);
    expect(await sendForm(sandbox)).toBe(201);
    await sandbox.settled();
    const reason = 'no answer within 20 ms';
    expect(sandbox.webhooks).toMatchObject([{ answer: { reason } }, { answer: { reason } }]);
  });

  it('C1: arrive although the answer to the request was lost', async () => {
    const { receiver, sandbox } = await pair({ fault: () => ({ kind: 'reset_after' }) });
    await expect(sendForm(sandbox)).rejects.toThrow();
    await sandbox.settled();
    expect(receiver.requests.map(formOf)).toMatchObject([{ MessageStatus: 'sent' }, { MessageStatus: 'delivered' }]);
  });

  it('C1: a closed sandbox sends planned reports and does not wait twice for a missing receiver', async () => {
    const { receiver, sandbox } = await pair();
    await sendForm(sandbox);
    await sandbox.close();
    expect(receiver.requests).toHaveLength(2);
    let arrive: (response: ServerResponse) => void = () => undefined;
    const arrived = new Promise<ServerResponse>((resolve) => {
      arrive = resolve;
    });
    const { sandbox: lonely } = await pair({}, (_, response) => arrive(response));
    await Promise.all([sendForm(lonely), sendForm(lonely)]);
    const unanswered = await arrived;
    const closed = lonely.close();
    unanswered.destroy();
    await closed;
    expect(lonely.webhooks).toMatchObject([{ answer: { kind: 'unreachable' } }]);
  });

  it('A11: the receiver consents by returning the challenge', async () => {
    const token = 'sandbox-verify-token';
    const { sandbox } = await pair({}, ({ path }, response) => {
      const query = new URL(path, 'http://receiver').searchParams;
      const right = query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === token;
      response.writeHead(right ? 200 : 403).end(right ? query.get('hub.challenge') : '');
    });
    expect(await sandbox.subscribe()).toBe(true);
    const { sandbox: refused } = await pair({}, (_, response) => response.writeHead(403).end());
    expect(await refused.subscribe()).toBe(false);
  });

  it('C1: use the receiver’s own secrets for signatures', async () => {
    const { receiver, sandbox } = await pair({ webhookSecrets: { messages: 'other-token', graph: 'other-secret' } });
    await sandbox.receive({ channel: 'messages', from: '+15550100002', text: 'x' });
    await sandbox.receive({ channel: 'graph', from: '+15550100002', text: 'x' });
    const [form, json] = receiver.requests;
    if (!form || !json) throw new Error('Nothing came.');
    const url = `${receiver.url}/webhooks/messages`;
    expect(validateRequest('other-token', header(form, 'x-twilio-signature'), url, formOf(form))).toBe(true);
    expect(header(json, 'x-hub-signature-256')).toBe(signBytes('other-secret', json.body));
  });
});
