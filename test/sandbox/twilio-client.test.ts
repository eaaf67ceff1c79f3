import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { fetchMessage, findMessage } from '../../src/channels/messages/find-message.ts';
import { sendMessage } from '../../src/channels/messages/send-message.ts';
import { connectToSandbox } from '../apis/messages/messages-client.ts';
import { fakeClock } from '../support/fake-time.ts';
import { stubServer } from '../support/stub-server.ts';
import { officialClient } from './official-client.ts';
import { freshSandbox, NOON } from './sandbox-client.ts';

const BODY = 'Budget “Öko” & co: 12 € → 15 € 🎒\nRef pk-7K3QX2AB';
const WANTED = { reference: 'pk-7K3QX2AB', sinceMs: Date.parse(NOON) };

describe('the official client', () => {
  it('C1, C2, C3: lists the messages of our client unchanged', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { providerId } = await sendMessage(connectToSandbox(sandbox), { to, body: BODY });
    const listed = await officialClient(sandbox).messages.list({ to, from, dateSentAfter: new Date('2026-11-20') });
    expect(listed).toMatchObject([{ sid: providerId, to, from, body: BODY, direction: 'outbound-api' }]);
  });

  it('C1, C3: sends messages that our client finds by reference and fetches by id', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    const { sid } = await messages.create({ to, from, body: BODY });
    await messages.create({ to, from, body: 'later' });
    const connection = connectToSandbox(sandbox);
    expect(await findMessage(connection, { to, ...WANTED })).toMatchObject({ providerId: sid });
    expect(await findMessage(connection, { to, ...WANTED, reference: 'pk-AAAABBBB' })).toBeUndefined();
    expect(await fetchMessage(connection, sid)).toMatchObject({ providerId: sid, errorCode: undefined });
  });

  it('C2, C3, C4: reads refusals like the provider’s, and sees that a calendar is dropped', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    await expect(messages.create({ to: '+15550100002', from, body: 'a' })).rejects.toMatchObject({
      status: 400,
      code: 21211,
      moreInfo: 'https://www.twilio.com/docs/errors/21211',
    });
    await expect(messages.create({ to, from, body: 'x'.repeat(1_601) })).rejects.toMatchObject({ code: 21617 });
    const stranger = officialClient(sandbox, 'another password');
    await expect(stranger.messages.create({ to, from, body: 'a' })).rejects.toMatchObject({ status: 401, code: 20003 });
    const calendar = await messages.create({ to, from, body: 'b', mediaUrl: ['https://example.com/meeting.ics'] });
    expect(calendar.numMedia).toBe('0');
  });

  it('pages through every message once, newest first, with any page size', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    const sids: string[] = [];
    for (let index = 0; index < 7; index++) sids.unshift((await messages.create({ to, from, body: `${index}` })).sid);
    for (const pageSize of [1, 3, 7, 50]) {
      expect((await messages.list({ pageSize })).map(({ sid }) => sid)).toEqual(sids);
    }
    expect((await messages.list({ limit: 4, pageSize: 3 })).map(({ sid }) => sid)).toEqual(sids.slice(0, 4));
    const first = await messages.page({ pageSize: 3 });
    const second = await first.nextPage();
    const back = await second?.previousPage();
    expect([first, second, back].map((page) => page?.instances.map(({ sid }) => sid))).toEqual([
      sids.slice(0, 3),
      sids.slice(3, 6),
      sids.slice(0, 3),
    ]);
  });

  it('finds messages by day, and by instants before and after', async () => {
    const clock = fakeClock(NOON);
    const sandbox = await freshSandbox({ clock });
    const { to, from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    for (const at of ['2026-11-19T23:59:59Z', '2026-11-20T00:00:00Z', '2026-11-21T12:00:00Z']) {
      clock.set(at);
      await messages.create({ to, from, body: at });
    }
    const bodies = async (options: object) => (await messages.list(options)).map(({ body }) => body.slice(8, 10));
    expect(await bodies({ dateSent: new Date('2026-11-20') })).toEqual(['20']);
    expect(await bodies({ dateSentAfter: new Date('2026-11-20') })).toEqual(['21', '20']);
    expect(await bodies({ dateSentBefore: new Date('2026-11-20') })).toEqual(['20', '19']);
    expect(await bodies({ to: 'whatsapp:+4915112345678' })).toEqual([]);
  });

  it('reads every field of a message', async () => {
    const sandbox = await freshSandbox();
    const { to, from, accountId } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    const mediaUrl = ['https://example.com/chart.png'];
    const created = await messages.create({ to, from, body: BODY, mediaUrl });
    expect(created).toMatchObject({ status: 'queued', dateSent: null, numMedia: '1', errorCode: null, price: null });
    const { dateCreated, dateSent, status } = await messages(created.sid).fetch();
    expect([dateCreated, dateSent, status]).toEqual([new Date(NOON), new Date(NOON), 'delivered']);
    expect(created).toMatchObject({ accountSid: accountId, apiVersion: '2010-04-01', numSegments: '1', body: BODY });
    expect(created.uri).toBe(`/2010-04-01/Accounts/${accountId}/Messages/${created.sid}.json`);
  });

  it('learns later that a message was not delivered, and the code', async () => {
    const sandbox = await freshSandbox();
    const { from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    const { sid } = await messages.create({ to: 'whatsapp:+15550100012', from, body: 'a' });
    expect(await messages(sid).fetch()).toMatchObject({ status: 'undelivered', errorCode: 63024 });
  });

  it.each([
    ['an opted-out phone', '+15550100011', { status: 400, code: 21610 }],
    ['a rate-limited phone', '+15550100014', { status: 429, code: 20429 }],
  ])('reads the refusal of %s', async (_, number, refusal) => {
    const sandbox = await freshSandbox();
    const { from } = sandbox.credentials.messages;
    const sending = officialClient(sandbox).messages.create({ to: `whatsapp:${number}`, from, body: 'a' });
    await expect(sending).rejects.toMatchObject(refusal);
  });

  it('gets delivery reports with signatures that its own package accepts', async () => {
    const sandbox = await freshSandbox();
    const { to, from, password } = sandbox.credentials.messages;
    const receiver = await stubServer((_, response) => response.end());
    const statusCallback = `${receiver.url}/reports?area=c&x=a%20b`;
    const { sid } = await officialClient(sandbox).messages.create({ to, from, body: 'a', statusCallback });
    await sandbox.settled();
    const reports = receiver.requests.map(({ headers, body }) => {
      const fields = Object.fromEntries(new URLSearchParams(body));
      const signature = String(headers['x-twilio-signature']);
      return [
        fields.MessageSid,
        fields.MessageStatus,
        twilio.validateRequest(password, signature, statusCallback, fields),
      ];
    });
    expect(reports).toEqual([
      [sid, 'sent', true],
      [sid, 'delivered', true],
    ]);
  });

  it('gets errors for missing features: redacting, removing, another account, an unknown message', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    const { sid } = await messages.create({ to, from, body: BODY });
    await expect(messages(sid).update({ body: '' })).rejects.toMatchObject({ status: 404 });
    await expect(messages(sid).remove()).rejects.toMatchObject({ status: 404 });
    await expect(messages(`SM${'0'.repeat(32)}`).fetch()).rejects.toMatchObject({ status: 404, code: 20404 });
    expect(await messages(sid).fetch()).toMatchObject({ body: BODY });
  });
});
