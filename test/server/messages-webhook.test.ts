import { validateRequest } from 'twilio/lib/webhooks/webhooks.js';
import { describe, expect, it } from 'vitest';
import { isSignedByMessages } from '../../src/channels/messages/receive-webhooks.ts';
import { DELIVERED, INBOUND, messagesSignature, SECRETS, webhookWorld } from './webhook-client.ts';

const EMPTY = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

describe('POST /webhooks/messages', () => {
  it('keeps an inbound message and answers with an empty TwiML response', async () => {
    const { messages, inbox, told } = await webhookWorld();
    const answer = await messages(INBOUND);
    expect(answer).toEqual({ status: 200, type: 'text/xml; charset=utf-8', allow: null, body: EMPTY });
    expect(await inbox.waiting()).toMatchObject([
      {
        channel: 'messages',
        kind: 'message',
        dedupeKey: `messages:message:${INBOUND.MessageSid}`,
        providerId: INBOUND.MessageSid,
        sender: INBOUND.From,
        text: 'Yes 7K3Q',
        payload: JSON.stringify(INBOUND),
      },
    ]);
    expect(told.times).toBe(1);
  });

  it('keeps a delivery report once per status, in any order', async () => {
    const { messages, inbox } = await webhookWorld();
    for (const MessageStatus of ['delivered', 'sent', 'delivered', 'read', 'sent']) {
      expect((await messages({ ...DELIVERED, MessageStatus })).status).toBe(200);
    }
    expect((await inbox.waiting()).map(({ kind, status }) => [kind, status])).toEqual([
      ['status', 'delivered'],
      ['status', 'sent'],
      ['status', 'read'],
    ]);
  });

  it('answers a replayed message as before, and keeps it once', async () => {
    const { messages, inbox, told } = await webhookWorld();
    const answers = await Promise.all(Array.from({ length: 20 }, () => messages(INBOUND)));
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set([EMPTY]));
    expect([await inbox.countWaiting(), told.times]).toEqual([1, 1]);
  });

  it('accepts signatures for the public address only', async () => {
    const publicUrl = 'https://hooks.example.com/pace';
    const { messages, inbox, address, log } = await webhookWorld({ publicUrl });
    const elsewhere = messagesSignature(`${address}/webhooks/messages`, INBOUND);
    expect((await messages(INBOUND, elsewhere)).status).toBe(403);
    expect(await inbox.countWaiting()).toBe(0);
    expect(log).toEqual([
      'Refused POST /webhooks/messages with 403: X-Twilio-Signature does not match this form and SERVE_PUBLIC_URL.',
    ]);
    expect((await messages(INBOUND)).status).toBe(200);
    const withPort = messagesSignature('https://hooks.example.com:443/pace/webhooks/messages', INBOUND);
    expect((await messages(INBOUND, withPort)).status).toBe(200);
  });

  it('includes the query in the signature', async () => {
    const { send, address } = await webhookWorld();
    const path = '/webhooks/messages?area=c&x=1';
    const post = (signed: string) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(INBOUND),
        headers: { 'x-twilio-signature': messagesSignature(address + signed, INBOUND) },
      });
    expect((await post(path)).status).toBe(200);
    expect((await post('/webhooks/messages')).status).toBe(403);
  });

  it.each<[sentence: string, signature: string]>([
    ['made with another password', messagesSignature('https://h.example/webhooks/messages', INBOUND, 'another')],
    ['of another form', messagesSignature('https://h.example/webhooks/messages', { ...INBOUND, Body: 'NO 7K3Q' })],
    ['not a signature', 'not-base64'],
    ['empty', ''],
  ])(
    'refuses a signature that is %s, keeps nothing, and logs a line without secret, text or number',
    async (_sentence, signature) => {
      const { messages, inbox, log } = await webhookWorld({ publicUrl: 'https://h.example' });
      expect((await messages(INBOUND, signature)).status).toBe(403);
      expect(await inbox.countWaiting()).toBe(0);
      expect(log).toHaveLength(1);
      expect(log.join()).not.toMatch(/7K3Q|4915|an-auth-token/);
    },
  );

  it('refuses a request without a signature', async () => {
    const { send, inbox } = await webhookWorld();
    const answer = await send('/webhooks/messages', { method: 'POST', body: new URLSearchParams(INBOUND) });
    expect([answer.status, await inbox.countWaiting()]).toEqual([401, 0]);
  });

  it.each<[sentence: string, body: string, type: string]>([
    ['an incomplete escape', 'MessageSid=SM1&Body=%4', 'application/x-www-form-urlencoded'],
    ['invalid UTF-8', 'MessageSid=SM1&Body=%ff%fe', 'application/x-www-form-urlencoded'],
    ['empty', '', 'application/x-www-form-urlencoded'],
    ['JSON', '{"MessageSid":"SM1"}', 'application/json'],
  ])('refuses a correctly signed form with 400: %s', async (_sentence, body, type) => {
    const { send, inbox, address } = await webhookWorld();
    const fields = Object.fromEntries(new URLSearchParams(body));
    const signature = messagesSignature(`${address}/webhooks/messages`, fields);
    const headers = { 'content-type': type, 'x-twilio-signature': signature };
    expect((await send('/webhooks/messages', { method: 'POST', body, headers })).status).toBe(400);
    expect(await inbox.countWaiting()).toBe(0);
  });

  it.each<[sentence: string, fields: Readonly<Record<string, string>>]>([
    ['without a message id', { From: 'whatsapp:+4915112345678', Body: 'YES 7K3Q' }],
    ['of another event', { EventType: 'READ', ChannelPrefix: 'whatsapp' }],
  ])('A11: keeps a form %s whole and once', async (_sentence, fields) => {
    const { messages, inbox } = await webhookWorld();
    expect((await messages(fields)).status).toBe(200);
    expect((await messages(fields)).status).toBe(200);
    expect(await inbox.waiting()).toMatchObject([{ kind: 'other', payload: JSON.stringify(fields) }]);
  });
});

describe('a form of area C with a field that the provider added', () => {
  it.each<[sentence: string, fields: Readonly<Record<string, string>>, kind: string]>([
    ['of a message, first of all', { ...INBOUND, AaFirst: '{"Token":"From Munich"}' }, 'message'],
    ['of a message, after the sender', { ...INBOUND, FromRegion: 'Bavaria', Geo: '' }, 'message'],
    ['of a message, last of all', { ...INBOUND, Zone: '+1' }, 'message'],
    ['between its text and its sender', { ...INBOUND, ChannelMetadata: '{}', Country: 'DE' }, 'message'],
    ['of a picture without a text', { ...INBOUND, Body: '', BodyType: 'image' }, 'message'],
    ['of a delivery report', { ...DELIVERED, BodyType: 'text', Extra: '', MessageCost: '0.05' }, 'status'],
  ])('is kept whole: %s', async (_sentence, fields, kind) => {
    const { messages, inbox } = await webhookWorld();
    expect((await messages(fields)).status).toBe(200);
    expect(await inbox.waiting()).toMatchObject([{ kind, sender: kind === 'message' ? INBOUND.From : undefined }]);
    expect((await inbox.waiting())[0]?.payload).toBe(JSON.stringify(fields));
  });

  it('is refused with a name that no provider gives', async () => {
    const { messages, inbox } = await webhookWorld();
    for (const name of ['extra', 'Two words', '5', 'X'.repeat(65), '']) {
      expect((await messages({ ...INBOUND, [name]: '' })).status, name).toBe(400);
    }
    expect(await inbox.countWaiting()).toBe(0);
  });
});

describe('a message of area C from a sender without a number', () => {
  const { From: _, ...REST } = INBOUND;

  it.each<[sentence: string, fields: Readonly<Record<string, string>>, sender: string]>([
    ['an id', { From: 'whatsapp:US.13491208655302741918' }, 'whatsapp:US.13491208655302741918'],
    ['a username', { From: 'whatsapp:anna.b', ExternalUserId: 'US.1' }, 'whatsapp:anna.b'],
    ['only an id beside it', { ExternalUserId: '4915112345678' }, 'user:4915112345678'],
  ])('is kept as a message: %s', async (_sentence, fields, sender) => {
    const { messages, inbox } = await webhookWorld();
    expect((await messages({ ...REST, ...fields })).status).toBe(200);
    expect(await inbox.waiting()).toMatchObject([{ kind: 'message', sender, text: INBOUND.Body }]);
  });
});

describe('a form of area C is refused before its body is read', () => {
  const TYPE = 'content-type: application/x-www-form-urlencoded';
  const SIGNATURE = `x-twilio-signature: ${'A'.repeat(27)}=`;

  it.each<[sentence: string, headers: string[], status: number]>([
    ['has no signature', [TYPE], 401],
    ['has an invalid signature', [TYPE, 'x-twilio-signature: AAAA'], 403],
    ['is of another type', ['content-type: application/json', SIGNATURE], 400],
    ['is too large', [TYPE, SIGNATURE, 'content-length: 65537'], 413],
  ])('that %s', async (_sentence, headers, status) => {
    const { raw, inbox } = await webhookWorld();
    const head = ['POST /webhooks/messages HTTP/1.1', 'host: h', ...headers];
    const length = headers.some((header) => header.startsWith('content-length')) ? [] : ['content-length: 60000'];
    expect(await raw([...head, ...length, '', ''].join('\r\n'))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(await inbox.countWaiting()).toBe(0);
  });

  it('that has too many fields is refused before it is sorted and checked', async () => {
    const { send, log } = await webhookWorld();
    const body = Array.from({ length: 9000 }, (_, index) => `x${index}`).join('&');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': `${'A'.repeat(27)}=`,
    };
    expect((await send('/webhooks/messages', { method: 'POST', body, headers })).status).toBe(400);
    expect(log).toEqual(['Refused POST /webhooks/messages with 400: the form has more than 100 fields.']);
  });
});

describe('a signed form of area C with moved field borders', () => {
  const ATTACKER = 'whatsapp:+4915199999999';
  const APPROVER = 'whatsapp:+4915112345678';
  const REST = { NumMedia: '0', NumSegments: '1', To: 'whatsapp:+15550100001', WaId: '4915199999999' };
  const SID = `SM${'1'.repeat(32)}`;
  const NEW_SID = `SM${'2'.repeat(32)}`;

  it.each<[sentence: string, sent: Readonly<Record<string, string>>, cut: Readonly<Record<string, string>>]>([
    [
      'with an unknown field name',
      { Body: 'YES 7K3QExtra', From: APPROVER, MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', Extra: '', From: APPROVER, MessageSid: SID, ...REST },
    ],
    [
      'with an unknown field before the text',
      { Body: 'Never BodyYES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
      { Bo: 'dyNever ', Body: 'YES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
    ],
    [
      'with the beginning of the text in another field',
      { ApiVersion: '2010-04-01', Body: 'Never BodyYES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
      { ApiVersion: '2010-04-01BodyNever ', Body: 'YES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
    ],
    [
      'with the sender in an unknown field',
      { Body: `YES 7K3QFrom${APPROVER}Ggg`, From: ATTACKER, MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', From: APPROVER, GggFrom: ATTACKER, MessageSid: SID, ...REST },
    ],
    [
      'with half the sender’s name in an unknown field',
      { Body: `YES 7K3QFrom${APPROVER}Ggg`, From: ATTACKER, MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', From: APPROVER, GggFr: `om${ATTACKER}`, MessageSid: SID, ...REST },
    ],
    [
      'with a sender that has no number in another field',
      { Body: `YES 7K3QFrom${APPROVER}ListTitle`, From: 'whatsapp:evil', MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', From: APPROVER, ListTitle: 'Fromwhatsapp:evil', MessageSid: SID, ...REST },
    ],
    [
      'with a sender that is only an id in another field',
      { Body: `YES 7K3QFrom${APPROVER}Label`, ExternalUserId: 'US.1', MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', From: APPROVER, Label: 'ExternalUserIdUS.1', MessageSid: SID, ...REST },
    ],
    [
      'as a message that was not forwarded',
      { Body: 'YES 7K3Q', ButtonText: '', Forwarded: 'true', From: APPROVER, MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', ButtonText: '', Forward: 'edtrue', From: APPROVER, MessageSid: SID, ...REST },
    ],
    [
      'as a message to nobody in particular',
      { Body: 'YES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
      {
        Body: 'YES 7K3Q',
        From: APPROVER,
        MessageSid: SID,
        NumMedia: '0',
        NumSegments: '1',
        T: `o${REST.To}`,
        WaId: '4915199999999',
      },
    ],
    [
      'as a message to any account',
      { AccountSid: `AC${'1'.repeat(32)}`, Body: 'YES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
      { Acc: `ountSidAC${'1'.repeat(32)}`, Body: 'YES 7K3Q', From: APPROVER, MessageSid: SID, ...REST },
    ],
    [
      'with another sender',
      { Body: `YES 7K3QFrom${APPROVER}ListTitle`, From: ATTACKER, MessageSid: SID, ...REST },
      { Body: 'YES 7K3Q', From: APPROVER, ListTitle: `From${ATTACKER}`, MessageSid: SID, ...REST },
    ],
    [
      'with another message id',
      {
        Body: `YES 7K3QMessageSid${NEW_SID}NumMedia0NumSegments1ProfileName`,
        From: APPROVER,
        MessageSid: SID,
        ...REST,
      },
      {
        Body: 'YES 7K3Q',
        MessageSid: NEW_SID,
        NumMedia: '0',
        NumSegments: '1',
        ProfileName: `From${APPROVER}MessageSid${SID}NumMedia0NumSegments1`,
        To: REST.To,
        WaId: REST.WaId,
      },
    ],
    [
      'as a failure report of our message',
      { Body: `xMessageSid${NEW_SID}MessageStatusfailedProfileName`, From: ATTACKER, MessageSid: SID, ...REST },
      {
        Body: 'x',
        MessageSid: NEW_SID,
        MessageStatus: 'failed',
        To: REST.To,
        WaId: REST.WaId,
        ProfileName: `From${ATTACKER}MessageSid${SID}NumMedia0NumSegments1`,
      },
    ],
  ])('%s has the same signature and is refused', async (_sentence, sent, cut) => {
    const { messages, address, inbox } = await webhookWorld();
    const url = `${address}/webhooks/messages`;
    const signature = messagesSignature(url, sent);
    expect(validateRequest(SECRETS.MESSAGES_PASSWORD, signature, url, cut)).toBe(true);
    expect((await messages(cut, signature)).status).toBe(400);
    expect(await inbox.countWaiting()).toBe(0);
  });

  it('is refused with a duplicate field', async () => {
    const { send, address, inbox } = await webhookWorld();
    const signature = messagesSignature(`${address}/webhooks/messages`, { ...INBOUND, Body: ['NO 7K3Q', 'YES 7K3Q'] });
    const body = new URLSearchParams({ ...INBOUND, Body: 'NO 7K3Q' });
    body.append('Body', 'YES 7K3Q');
    const answer = await send('/webhooks/messages', {
      method: 'POST',
      body,
      headers: { 'x-twilio-signature': signature },
    });
    expect([answer.status, await inbox.countWaiting()]).toEqual([400, 0]);
  });

  it('is no second message if its id was kept', async () => {
    const { messages, inbox } = await webhookWorld();
    await messages(INBOUND);
    expect((await messages({ ...INBOUND, Body: 'NO 7K3Q' })).status).toBe(200);
    expect(await inbox.waiting()).toMatchObject([{ text: INBOUND.Body }]);
  });

  it.each(['location', 'media', 'place', 'answer to a template'])('does not block a %s', async (kind) => {
    const { messages, inbox } = await webhookWorld();
    const more: Readonly<Record<string, Record<string, string>>> = {
      location: { Latitude: '48.1', Longitude: '11.5', Address: 'From Munich', Label: 'Office' },
      media: { NumMedia: '2', MediaUrl0: 'https://x/0', MediaContentType0: 'image/png', MediaUrl1: 'https://x/1' },
      place: { FromCity: 'Munich', FromCountry: 'DE', ToCountry: 'US', ToZip: '94105' },
      'answer to a template': {
        ButtonText: 'YES 7K3Q',
        ButtonPayload: 'yes',
        SmsMessageSid: SID,
        ChannelMetadata: '{"type":"whatsapp"}',
        OriginalRepliedMessageSid: NEW_SID,
        OriginalRepliedMessageSender: 'whatsapp:+15550100001',
      },
    };
    expect((await messages({ ...INBOUND, ...more[kind] })).status).toBe(200);
    expect(await inbox.countWaiting()).toBe(1);
  });
});

describe('the signature of area C', () => {
  const url = 'https://hooks.example.com/webhooks/messages';

  it.each<[sentence: string, fields: Readonly<Record<string, string>>]>([
    ['a plain form', INBOUND],
    ['letters of every script', { Body: 'Ja, größer – 7K3Q 🎒', From: 'whatsapp:+4915112345678' }],
    ['names in any order', { b: '2', B: '1', a: '4', 'a b': '3' }],
    ['empty values', { Body: '', MessageSid: 'SM1' }],
  ])('of %s matches the provider’s own package', (_sentence, fields) => {
    const form = new URLSearchParams(fields);
    const signature = messagesSignature(url, fields);
    expect(validateRequest(SECRETS.MESSAGES_PASSWORD, signature, url, fields)).toBe(true);
    expect(isSignedByMessages(signature, SECRETS.MESSAGES_PASSWORD, url, form)).toBe(true);
    form.append('Label', 'one more');
    expect(isSignedByMessages(signature, SECRETS.MESSAGES_PASSWORD, url, form)).toBe(false);
  });

  it.each([
    ['https://h.example/x', 'https://h.example:443/x', true],
    ['http://h.example/x', 'http://h.example:80/x', true],
    ['http://[::1]:4020/x', 'http://[::1]/x', true],
    ['https://h.example:8443/x', 'https://h.example/x', true],
    ['https://h.example/x', 'https://h.example:8443/x', false],
    ['https://h.example/x', 'https://h.example/y', false],
  ])('made for %s and configured as %s: %s', (configured, signed, expected) => {
    const signature = messagesSignature(signed, INBOUND);
    expect(isSignedByMessages(signature, SECRETS.MESSAGES_PASSWORD, configured, new URLSearchParams(INBOUND))).toBe(
      expected,
    );
  });
});
