import { describe, expect, it } from 'vitest';
import { fetchMessage } from '../../src/apis/messages/fetch-message.ts';
import { findMessage } from '../../src/apis/messages/find-message.ts';
import { sendMessage } from '../../src/apis/messages/send-message.ts';
import { connectToSandbox } from '../apis/messages/messages-client.ts';
import { officialClient } from './official-client.ts';
import { freshSandbox, NOON } from './sandbox-client.ts';

const BODY = 'Budget “Öko” & co: 12 € → 15 € 🎒\nRef pk-7K3QX2AB';
const WANTED = { reference: 'pk-7K3QX2AB', sinceMs: Date.parse(NOON) };

describe('the official client', () => {
  it('C1, C2, C3: lists what our client sent, as it was sent', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { providerId } = await sendMessage(connectToSandbox(sandbox), { to, body: BODY });
    const listed = await officialClient(sandbox).messages.list({ to, from, dateSentAfter: new Date('2026-11-20') });
    expect(listed).toMatchObject([{ sid: providerId, to, from, body: BODY, direction: 'outbound-api' }]);
  });

  it('C1, C3: sends what our client finds by its reference and asks for by its id', async () => {
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

  it('C2, C3, C4: reads refusals as it reads its own, and that a calendar is dropped', async () => {
    const sandbox = await freshSandbox();
    const { to, from } = sandbox.credentials.messages;
    const { messages } = officialClient(sandbox);
    await expect(messages.create({ to: '+15550100002', from, body: 'a' })).rejects.toMatchObject({
      ...{ status: 400, code: 21211, moreInfo: 'https://www.twilio.com/docs/errors/21211' },
    });
    await expect(messages.create({ to, from, body: 'x'.repeat(1_601) })).rejects.toMatchObject({ code: 21617 });
    const stranger = officialClient(sandbox, 'another password');
    await expect(stranger.messages.create({ to, from, body: 'a' })).rejects.toMatchObject({ status: 401, code: 20003 });
    const calendar = await messages.create({ to, from, body: 'b', mediaUrl: ['https://example.com/meeting.ics'] });
    expect(calendar.numMedia).toBe('0');
  });
});
