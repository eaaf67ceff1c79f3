import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { fetchMessage, findMessage } from '../../src/channels/messages/find-message.ts';
import { sendMessage } from '../../src/channels/messages/send-message.ts';
import { connectToSandbox } from '../apis/messages/messages-client.ts';
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
