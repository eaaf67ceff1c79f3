import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchMessage, findMessage } from '../../src/channels/messages/find-message.ts';
import { BODY_LENGTH_MAX, sendMessage } from '../../src/channels/messages/send-message.ts';
import { connectTo } from '../apis/messages/messages-client.ts';
import { failureOf } from '../http/test-client.ts';
import { SECRETS, webhookWorld } from '../server/webhook-client.ts';
import { createProduct } from '../support/product.ts';
import { stubServer } from '../support/stub-server.ts';
import { TRIMMED } from '../support/trim-rule.ts';

const PACKAGE = join(import.meta.dirname, 'node_modules/emulate/dist/api.js');

const ACCOUNT = 'AC0123456789abcdef0123456789abcdef';
const TOKEN = 'a token & more+1!';
const SENDER = 'whatsapp:+15550100001';

interface Emulators {
  createEmulator(options: object): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** What somebody else takes the messaging provider for, on a free port; gone when the test ends. */
async function startEmulator(replyUrl?: string): Promise<{
  readonly url: string;
  /** Something that happens at the provider's: a phone answers, or a status changes. */
  simulate(what: 'inbound-message' | 'message-status', fields: Readonly<Record<string, string>>): Promise<number>;
}> {
  const { createEmulator }: Emulators = await import(pathToFileURL(PACKAGE).href);
  const phone = { phone_number: SENDER, friendly_name: 'The sender', ...(replyUrl ? { sms_url: replyUrl } : {}) };
  const emulator = await createEmulator({
    service: 'twilio',
    port: 0,
    seed: { twilio: { account: { sid: ACCOUNT, auth_token: TOKEN }, phone_numbers: [phone] } },
  });
  onTestFinished(() => emulator.close());
  // It listens on this address alone; what it calls itself may have another one first.
  const url = emulator.url.replace('localhost', '127.0.0.1');
  const authorization = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`;
  return {
    url,
    async simulate(what, fields) {
      const body = new URLSearchParams(fields);
      const address = `${url}/_twilio/simulate/${what}`;
      return (await fetch(address, { method: 'POST', headers: { authorization }, body })).status;
    },
  };
}

const PHONE = 'whatsapp:+4915112345678';
const WANTED = { to: PHONE, sinceMs: Date.now(), reference: 'pk-7K3QX2AB' };
const CREDENTIALS = { accountId: ACCOUNT, username: ACCOUNT, password: TOKEN, from: SENDER };

async function opened(replyUrl?: string) {
  const emulator = await startEmulator(replyUrl);
  return { emulator, connection: connectTo(emulator.url, CREDENTIALS) };
}

describe('our client at a third party’s emulator', () => {
  it.each([
    ['a short text', 'Ref pk-7K3QX2AB'],
    ['a text with many kinds of characters', 'Budget “Öko” & co: 10 → 12 €\n100 % + "x" = 🎒; a=b&c\nRef pk-7K3QX2AB'],
    ['the longest text', 'Ref pk-7K3QX2AB'.padEnd(BODY_LENGTH_MAX, '€')],
  ])('C1, C2, C3, C5: sends %s, finds it by reference and fetches it by id', async (_, body) => {
    const { connection } = await opened();
    const sent = await sendMessage(connection, { to: PHONE, body });
    expect(sent).toMatchObject({ providerId: expect.stringMatching(/^SM[0-9a-f]{32}$/), status: 'queued' });
    expect(JSON.parse(sent.response).body).toBe(body);
    const { providerId = '' } = sent;
    const found = { providerId, status: 'queued', errorCode: undefined };
    expect(await findMessage(connection, WANTED)).toEqual(found);
    expect(await findMessage(connection, { ...WANTED, reference: 'pk-AAAABBBB' })).toBeUndefined();
    expect(await fetchMessage(connection, providerId)).toEqual(found);
    expect(await fetchMessage(connection, `SM${'0'.repeat(32)}`)).toBeUndefined();
  });

  it('finds the oldest of many on a later page, by the emulator’s addresses', async () => {
    const { connection } = await opened();
    const { providerId } = await sendMessage(connection, { to: PHONE, body: 'first\nRef pk-7K3QX2AB' });
    for (let index = 0; index < 205; index++) await sendMessage(connection, { to: PHONE, body: `newer ${index}` });
    expect(await findMessage(connection, WANTED)).toMatchObject({ providerId });
  });

  it('C4: attaches media', async () => {
    const { connection } = await opened();
    const media = await stubServer((_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end());
    const { providerId = '', response } = await sendMessage(connection, {
      to: PHONE,
      body: 'a',
      mediaUrl: `${media.url}/chart.png?size=2&kind=a,b`,
    });
    expect([providerId.slice(0, 2), JSON.parse(response).num_media]).toEqual(['MM', '1']);
    expect(await fetchMessage(connection, providerId)).toMatchObject({ providerId });
  });

  it.each([
    ['another password', { password: 'another' }, { httpStatus: 401, status: '20003' }],
    ['another account', { accountId: `AC${'0'.repeat(32)}` }, { httpStatus: 403, status: '20003' }],
    ['a sender of another account', { from: 'whatsapp:+15550100009' }, { httpStatus: 400, status: '21606' }],
  ])('C2: reads the refusal of %s as permanent', async (_, changes, failure) => {
    const { connection } = await opened();
    const sending = sendMessage({ ...connection, ...changes }, { to: PHONE, body: 'a' });
    const told = { ...failure, outcome: 'not_processed', transient: false, nextStep: expect.stringMatching(/./) };
    expect(await failureOf(sending)).toMatchObject(told);
  });
});

it('the whole program notifies a phone at the emulator of a rule’s finding', async () => {
  const { emulator, connection } = await opened();
  const watch = 'description: Tells of clicks.\nfrom: stats\nfor: campaign\nover: 7 days\nwhen: clicks >= 1\n';
  const alert = 'alert: { severity: critical, text: "{campaign_name}: {clicks} clicks" }\n';
  const product = await createProduct({ rules: { 'watch.yaml': watch + alert } });
  const env = {
    MESSAGES_URL: emulator.url,
    MESSAGES_ACCOUNT_ID: ACCOUNT,
    MESSAGES_USERNAME: ACCOUNT,
    MESSAGES_PASSWORD: TOKEN,
    MESSAGES_FROM: SENDER,
    MESSAGES_TO: PHONE,
  };
  const { code, stdout } = await product.run(['report', '--verbose'], { env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Alerts\n {2}sent to whatsapp:\+49…78: /)]);
  expect(await findMessage(connection, { ...WANTED, reference: TRIMMED.campaignName })).toMatchObject({
    status: 'queued',
  });
  expect(product.sandbox.messages()).toEqual([]);
});

describe('our receiver of signed emulator events', () => {
  const receiver = () => webhookWorld({ secrets: { ...SECRETS, MESSAGES_PASSWORD: TOKEN } });

  it('accepts every delivery report of a message, in order, and a reply from the phone', async () => {
    const { address, inbox } = await receiver();
    const url = `${address}/webhooks/messages`;
    const { emulator, connection } = await opened(url);
    const { providerId = '' } = await sendMessage(connection, { to: PHONE, body: 'Öko: 12 €', statusCallback: url });
    for (const Status of ['sent', 'delivered', 'read']) {
      expect(await emulator.simulate('message-status', { MessageSid: providerId, Status })).toBe(200);
    }
    const answer = { To: SENDER, From: PHONE, Body: 'Ja, größer & YES 7K3Q 🎒' };
    expect(await emulator.simulate('inbound-message', answer)).toBe(201);
    expect((await inbox.waiting()).map(({ kind, status, text }) => [kind, status, text])).toEqual([
      ['status', 'queued', undefined],
      ['status', 'sent', undefined],
      ['status', 'delivered', undefined],
      ['status', 'read', undefined],
      ['message', undefined, answer.Body],
    ]);
    expect((await inbox.waiting()).at(-1)).toMatchObject({ channel: 'messages', sender: PHONE });
  });

  it('refuses a signature with another secret, and stores nothing', async () => {
    const { address, inbox } = await webhookWorld();
    const url = `${address}/webhooks/messages`;
    const { connection } = await opened();
    await sendMessage(connection, { to: PHONE, body: 'a', statusCallback: url });
    expect(await inbox.countWaiting()).toBe(0);
  });
});
