import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  GRAPH_MESSAGE,
  graphBody,
  graphSignature,
  graphStatus,
  METADATA,
  SECRETS,
  webhookWorld,
} from './webhook-client.ts';

describe('GET /webhooks/graph', () => {
  const asked = (parts: ConstructorParameters<typeof URLSearchParams>[0]) =>
    `/webhooks/graph?${new URLSearchParams(parts)}`;
  const RIGHT = {
    'hub.mode': 'subscribe',
    'hub.verify_token': SECRETS.GRAPH_VERIFY_TOKEN,
    'hub.challenge': '1158201444',
  };
  const TWICE = `hub.mode=subscribe&hub.verify_token=x&hub.verify_token=${SECRETS.GRAPH_VERIFY_TOKEN}&hub.challenge=1`;

  it('echoes the challenge as plain text for the right verify token', async () => {
    const { send, log } = await webhookWorld();
    expect(await send(asked(RIGHT))).toEqual({
      status: 200,
      type: 'text/plain; charset=utf-8',
      allow: null,
      body: '1158201444',
    });
    expect(log).toEqual([]);
  });

  it.each<[sentence: string, parts: ConstructorParameters<typeof URLSearchParams>[0], status: number]>([
    ['a wrong verify token', { ...RIGHT, 'hub.verify_token': 'a-verify-tokem' }, 403],
    ['a longer verify token', { ...RIGHT, 'hub.verify_token': 'a-verify-token-and-more' }, 403],
    ['no verify token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }, 403],
    ['two verify tokens, the second one right', TWICE, 403],
    ['another mode', { ...RIGHT, 'hub.mode': 'unsubscribe' }, 403],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': SECRETS.GRAPH_VERIFY_TOKEN }, 400],
    ['nothing', {}, 403],
  ])('refuses %s, and the log names neither token nor challenge', async (_sentence, parts, status) => {
    const { send, log } = await webhookWorld();
    const answer = await send(asked(parts));
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain('1158201444');
    expect(log).toEqual([expect.stringMatching(new RegExp(`^Refused GET /webhooks/graph with ${status}: hub\\.`))]);
    expect(log.join()).not.toMatch(/a-verify-tok|1158201444/);
  });
});

describe('POST /webhooks/graph', () => {
  it.each([
    ['no signature', '', 401],
    ['an invalid signature', 'x-hub-signature-256: sha256=0\r\n', 403],
  ])('refuses a body with %s before it is read', async (_sentence, header, status) => {
    const { raw } = await webhookWorld();
    const head = `POST /webhooks/graph HTTP/1.1\r\nhost: h\r\n${header}content-length: 4000000\r\n\r\n`;
    expect(await raw(head)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('A11: keeps a message before it answers 200', async () => {
    const { graph, inbox, told } = await webhookWorld();
    expect((await graph(graphBody(GRAPH_MESSAGE))).status).toBe(200);
    expect(await inbox.waiting()).toEqual([
      {
        id: 1n,
        channel: 'graph',
        kind: 'message',
        dedupeKey: 'graph:message:wamid.ONE',
        providerId: 'wamid.ONE',
        sender: '4915112345678',
        status: undefined,
        text: 'yes 7K3Q',
        payload: JSON.stringify({
          object: 'whatsapp_business_account',
          entry_id: '102290129340398',
          metadata: METADATA,
          message: GRAPH_MESSAGE.messages[0],
        }),
        receivedAt: '2026-11-20T12:00:00Z',
      },
    ]);
    expect(told.times).toBe(1);
  });

  it('checks the signature over the raw bytes, with escapes and spaces as sent', async () => {
    const { graph, inbox } = await webhookWorld();
    const body = graphBody(GRAPH_MESSAGE).replace('Änne', '\\u00c4nne').replaceAll(':', ' : ');
    expect(body).toContain('\\u00c4');
    expect((await graph(body)).status).toBe(200);
    expect(await inbox.countWaiting()).toBe(1);
    const readAndWrittenAgain = graphSignature(JSON.stringify(JSON.parse(body)));
    expect((await graph(body, readAndWrittenAgain)).status).toBe(403);
  });

  it('answers a replayed request as before, and keeps it once', async () => {
    const { graph, inbox, told } = await webhookWorld();
    const first = await graph(graphBody(GRAPH_MESSAGE));
    expect(await graph(graphBody(GRAPH_MESSAGE))).toEqual(first);
    await Promise.all(Array.from({ length: 20 }, () => graph(graphBody(GRAPH_MESSAGE))));
    expect([await inbox.countWaiting(), told.times]).toEqual([1, 1]);
  });

  const BODY = graphBody(GRAPH_MESSAGE);
  const LENGTH = `content-length: ${Buffer.byteLength(BODY)}\r\n`;
  const SIGNED = `x-hub-signature-256: ${graphSignature(BODY)}\r\n`;
  const SHA1 = `x-hub-signature: sha1=${createHmac('sha1', SECRETS.GRAPH_APP_SECRET).update(BODY).digest('hex')}\r\n`;
  it.each<[sentence: string, start: string, headers: string, status: number]>([
    ['with a full address of another host', 'http://evil.example/webhooks/graph HTTP/1.1', SIGNED + LENGTH, 200],
    ['of HTTP/1.0', '/webhooks/graph HTTP/1.0', SIGNED + LENGTH, 200],
    ['with expect: 100-continue', '/webhooks/graph HTTP/1.1', `${SIGNED + LENGTH}expect: 100-continue\r\n`, 200],
    [
      'declared as HTML',
      '/webhooks/graph HTTP/1.1',
      `${SIGNED + LENGTH}content-type: text/html; charset=utf-16\r\n`,
      200,
    ],
    ['with two lengths', '/webhooks/graph HTTP/1.1', `${SIGNED + LENGTH}transfer-encoding: chunked\r\n`, 400],
    ['signed twice', '/webhooks/graph HTTP/1.1', SIGNED + SIGNED + LENGTH, 403],
    [
      'signed in upper case',
      '/webhooks/graph HTTP/1.1',
      `x-hub-signature-256: sha256=${'A'.repeat(64)}\r\n${LENGTH}`,
      403,
    ],
    ['signed by SHA-1 only', '/webhooks/graph HTTP/1.1', SHA1 + LENGTH, 401],
  ])('answers a request %s by its signature and length alone', async (_sentence, start, headers, status) => {
    const { raw, inbox } = await webhookWorld();
    const answer = await raw(`POST ${start}\r\nhost: h\r\nconnection: close\r\n${headers}\r\n${BODY}`);
    expect(answer).toMatch(new RegExp(`^(HTTP/1\\.1 100 Continue\\r\\n\\r\\n)?HTTP/1\\.1 ${status} `));
    expect(await inbox.countWaiting()).toBe(status === 200 ? 1 : 0);
  });

  it('keeps the first of two messages with the same id', async () => {
    const { graph, inbox } = await webhookWorld();
    const [message] = GRAPH_MESSAGE.messages;
    const messages = [message, { ...message, text: { body: 'no 7K3Q' } }];
    await graph(graphBody({ ...GRAPH_MESSAGE, messages }));
    await graph(graphBody({ messages: messages.slice(1) }).replace('102290129340398', '1'));
    expect((await inbox.waiting()).map(({ text }) => text)).toEqual(['yes 7K3Q']);
  });

  it('keeps each status of a message once', async () => {
    const { graph, inbox } = await webhookWorld();
    for (const status of ['sent', 'delivered', 'sent', 'read', 'delivered'])
      await graph(graphBody(graphStatus(status)));
    expect((await inbox.waiting()).map(({ kind, status }) => [kind, status])).toEqual([
      ['status', 'sent'],
      ['status', 'delivered'],
      ['status', 'read'],
    ]);
  });

  it.each<[sentence: string, body: string, kinds: readonly string[]]>([
    ['an unknown change', graphBody({ event: 'FLAGGED' }, 'account_update'), ['other']],
    ['an unknown object', graphBody(GRAPH_MESSAGE, 'messages', 'page'), ['other']],
    ['an entry without changes', '{"object":"page","entry":[{"id":"1","messaging":[{}]}]}', ['other']],
    ['a body without entries', '{"object":"whatsapp_business_account"}', ['other']],
    ['a list as body', '[1,2]', ['other']],
    ['a message without an id', graphBody({ messages: [{ from: '4915112345678' }] }), ['other']],
    [
      'a status without an id, beside one with',
      graphBody({ statuses: [{ status: 'sent' }, { id: 'a', status: 'sent' }] }),
      ['other', 'status'],
    ],
    ['something new beside a message', graphBody({ ...GRAPH_MESSAGE, calls: [{ id: 'c' }] }), ['message', 'other']],
    [
      'something new beside the entries',
      graphBody(GRAPH_MESSAGE).replace(/}$/, ',"more":{"id":"c"}}'),
      ['message', 'other'],
    ],
    [
      'something new beside a change',
      graphBody(GRAPH_MESSAGE).replace('"changes"', '"more":[1],"changes"'),
      ['message', 'other'],
    ],
    [
      'something new in a change',
      graphBody(GRAPH_MESSAGE).replace('"field"', '"more":[1],"field"'),
      ['message', 'other'],
    ],
    [
      'the time of an entry, as nothing new,',
      graphBody(GRAPH_MESSAGE).replace('"changes"', '"time":1,"changes"'),
      ['message'],
    ],
    [
      'two messages with an empty id',
      graphBody({ messages: ['YES', 'NO'].map((body) => ({ id: '', from: '49', type: 'text', text: { body } })) }),
      ['other', 'other'],
    ],
    ['a status with an empty id', graphBody({ statuses: [{ id: '', status: 'sent' }] }), ['other']],
    [
      'a change without a value',
      '{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages"}]}]}',
      ['other'],
    ],
    ['a text that is a number', graphBody({ messages: [{ id: 'm', from: '49', type: 'text', text: 5 }] }), ['message']],
  ])('A11: keeps %s whole, once, and answers 200', async (_sentence, body, kinds) => {
    const { graph, inbox } = await webhookWorld();
    expect((await graph(body)).status).toBe(200);
    expect((await graph(body)).status).toBe(200);
    expect((await inbox.waiting()).map(({ kind }) => kind)).toEqual(kinds);
    const kept = (await inbox.waiting()).map(({ payload }) => payload);
    expect(kept.join().includes('more')).toBe(body.includes('"more"'));
  });

  it.each<[sentence: string, from: object, sender: string]>([
    ['an id in the place of a number', { from: 'US.13491208655302741918' }, 'US.13491208655302741918'],
    ['only an id', { from_user_id: 'US.13491208655302741918' }, 'user:US.13491208655302741918'],
    ['an id that looks like a number', { from_user_id: '4915112345678' }, 'user:4915112345678'],
    ['both', { from: '4915112345678', from_user_id: 'US.1' }, '4915112345678'],
  ])('keeps the message of a sender with %s', async (_sentence, from, sender) => {
    const { graph, inbox } = await webhookWorld();
    await graph(graphBody({ messages: [{ ...from, id: 'm', type: 'text', text: { body: 'YES 7K3Q' } }] }));
    expect(await inbox.waiting()).toMatchObject([{ kind: 'message', sender, text: 'YES 7K3Q' }]);
  });

  const NUMBERS = '"id":12345678901234567890,"share":1.0,"tiny":1E-7,"zero":-0,"huge":1e400,"plain":17';
  it.each<[sentence: string, body: string]>([
    ['an unknown change', graphBody({}, 'account_update').replace('"value":{}', `"value":{${NUMBERS}}`)],
    ['an unknown object', `{"object":"page",${NUMBERS}}`],
    ['a message', graphBody(GRAPH_MESSAGE).replace('"type":"text"', `"type":"text","more":{${NUMBERS}}`)],
    ['a status', graphBody(graphStatus('sent')).replace('"status":"sent"', `"status":"sent","more":{${NUMBERS}}`)],
  ])('A11: keeps the numbers of %s as written', async (_sentence, body) => {
    const { graph, inbox } = await webhookWorld();
    expect((await graph(body)).status).toBe(200);
    expect((await inbox.waiting()).map(({ payload }) => payload)).toEqual([expect.stringContaining(NUMBERS)]);
  });

  it('A11: keeps a body of unknown shape as its original text', async () => {
    const { graph, inbox } = await webhookWorld();
    const body = '{ "object": "page", "a": 1, "a": 2,\n "2": "\\u00e4", "1": [] }';
    await graph(body);
    expect(await inbox.waiting()).toMatchObject([{ kind: 'other', payload: body }]);
  });

  it('reads the title of a pressed button', async () => {
    const { graph, inbox } = await webhookWorld();
    const from = '4915112345678';
    const messages = [
      { id: 'm1', from, type: 'button', button: { text: 'YES 7K3Q', payload: 'x' } },
      {
        id: 'm2',
        from,
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { title: 'NO 7K3Q' } },
      },
      { id: 'm3', from, type: 'image', image: { id: '5' } },
    ];
    await graph(graphBody({ messages }));
    expect((await inbox.waiting()).map(({ text }) => text)).toEqual(['YES 7K3Q', 'NO 7K3Q', undefined]);
  });

  const RIGHT = graphSignature(graphBody(GRAPH_MESSAGE));
  it.each<[sentence: string, signature: string]>([
    ['made with another secret', graphSignature(graphBody(GRAPH_MESSAGE), 'another-secret')],
    ['of another body', graphSignature(`${graphBody(GRAPH_MESSAGE)} `)],
    ['without its name', RIGHT.slice('sha256='.length)],
    ['cut short', RIGHT.slice(0, -1)],
    ['with extra characters', `${RIGHT}00`],
    ['empty', ''],
  ])(
    'refuses a signature that is %s, keeps nothing, and logs a line without secret or body',
    async (_sentence, signature) => {
      const { graph, inbox, log } = await webhookWorld();
      expect((await graph(graphBody(GRAPH_MESSAGE), signature)).status).toBe(403);
      expect(await inbox.countWaiting()).toBe(0);
      expect(log).toEqual(['Refused POST /webhooks/graph with 403: X-Hub-Signature-256 is wrong.']);
    },
  );

  it('refuses a request without a signature', async () => {
    const { send, inbox, log } = await webhookWorld();
    const answer = await send('/webhooks/graph', { method: 'POST', body: graphBody(GRAPH_MESSAGE) });
    expect([answer.status, await inbox.countWaiting()]).toEqual([401, 0]);
    expect(log).toEqual(['Refused POST /webhooks/graph with 401: X-Hub-Signature-256 is missing.']);
  });

  it.each<[sentence: string, body: string]>([
    ['incomplete JSON', '{"object":'],
    ['no JSON', 'hello'],
    ['an empty body', ''],
  ])('refuses %s with 400 although signed, and keeps serving', async (_sentence, body) => {
    const { graph, inbox } = await webhookWorld();
    expect((await graph(body)).status).toBe(400);
    expect(await inbox.countWaiting()).toBe(0);
    expect((await graph(graphBody(GRAPH_MESSAGE))).status).toBe(200);
  });

  it('refuses extremely nested JSON and keeps serving', async () => {
    const { graph, inbox } = await webhookWorld();
    const body = '['.repeat(60_000) + ']'.repeat(60_000);
    expect((await graph(body)).status).toBe(400);
    expect(await inbox.countWaiting()).toBe(0);
    expect((await graph(graphBody(GRAPH_MESSAGE))).status).toBe(200);
  });
});
