import { beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeClock } from '../support/fake-time.ts';
import { officialClient } from './official-client.ts';
import { answerOf, freshSandbox, NOON, openSandbox } from './sandbox-client.ts';

const ask = async ({ url, credentials }: Sandbox, path: string, password = credentials.messages.password) => {
  const { accountId } = credentials.messages;
  const authorization = `Basic ${Buffer.from(`${accountId}:${password}`).toString('base64')}`;
  return answerOf(await fetch(`${url}/2010-04-01/Accounts/${accountId}${path}`, { headers: { authorization } }));
};

const OTHER = 'whatsapp:+15550100077';

describe('messages of three days, read with the official client', () => {
  const clock = fakeClock(NOON);
  let sandbox: Sandbox;
  let client: ReturnType<typeof officialClient>;

  beforeAll(async () => {
    sandbox = await openSandbox({ clock });
    client = officialClient(sandbox);
    const { from, to } = sandbox.credentials.messages;
    const days = ['2026-11-18T23:59:59.500Z', '2026-11-19T00:00:00Z', '2026-11-19T15:00:00Z', '2026-11-20T08:00:00Z'];
    for (const [index, day] of days.entries()) {
      clock.set(day);
      await client.messages.create({ to: index === 2 ? OTHER : to, from, body: `message ${index}` });
    }
    return () => sandbox.close();
  });

  it('C1: creates a message in the shape that the client reads', async () => {
    const { from, to } = sandbox.credentials.messages;
    clock.set('2026-11-21T08:00:00Z');
    const created = await client.messages.create({
      to,
      from,
      body: 'Öko 12 € → 15 €',
      mediaUrl: ['https://example.com/chart.jpg'],
    });
    expect(created).toMatchObject({ status: 'queued', body: 'Öko 12 € → 15 €', numMedia: '1', errorCode: null });
    expect(created.dateCreated).toEqual(new Date('2026-11-21T08:00:00Z'));
    const fetched = await client.messages(created.sid).fetch();
    expect(fetched).toMatchObject({ sid: created.sid, status: 'delivered', direction: 'outbound-api', to, from });
    expect(fetched.dateSent).toEqual(new Date('2026-11-21T08:00:00Z'));
  });

  it.each<[sentence: string, filter: Parameters<typeof client.messages.list>[0], bodies: string[]]>([
    ['a recipient', { to: OTHER }, ['message 2']],
    ['a recipient without messages', { to: 'whatsapp:+15550100078' }, []],
    ['a sender without messages', { from: OTHER }, []],
    ['a day', { dateSent: new Date('2026-11-19') }, ['message 2', 'message 1']],
    ['an instant and earlier', { dateSentBefore: new Date('2026-11-19') }, ['message 1', 'message 0']],
    [
      'an instant and later',
      { dateSentAfter: new Date('2026-11-19T15:00:00Z'), dateSentBefore: new Date('2026-11-20T08:00:00Z') },
      ['message 3', 'message 2'],
    ],
  ])('C1: finds messages by %s, newest first', async (_, filter, bodies) => {
    const found = await client.messages.list(filter);
    expect(found.map(({ body }) => body)).toEqual(bodies);
  });

  it('C1: pages a list to its end while messages arrive', async () => {
    const { from, to } = sandbox.credentials.messages;
    const first = await client.messages.page({ to, pageSize: 2 });
    await client.messages.create({ to, from, body: 'meanwhile' });
    const second = await first.nextPage();
    const bodies = [...first.instances, ...(second?.instances ?? [])].map(({ body }) => body);
    expect(bodies).toEqual(['Öko 12 € → 15 €', 'message 3', 'message 1', 'message 0']);
    expect(second?.nextPage()).toBeUndefined();
    const all = await client.messages.list({ to, pageSize: 1 });
    expect(all.map(({ body }) => body)).toEqual(['meanwhile', ...bodies]);
  });

  it('C1: a page states its position', async () => {
    const { json } = await ask(sandbox, '/Messages.json?PageSize=2&Page=1');
    const { accountId } = sandbox.credentials.messages;
    const uri = `/2010-04-01/Accounts/${accountId}/Messages.json`;
    expect(json).toMatchObject({
      page: 1,
      page_size: 2,
      start: 2,
      end: 3,
      uri: `${uri}?PageSize=2&Page=1`,
      first_page_uri: `${uri}?PageSize=2&Page=0`,
      previous_page_uri: `${uri}?PageSize=2&Page=0`,
      next_page_uri: expect.stringMatching(/\?PageSize=2&Page=2&PageToken=PASM[0-9a-f]{32}$/),
    });
  });

  it.each([
    ['an invalid date', '/Messages.json?DateSent=yesterday', 400, 20001],
    ['a page size that is not a number', '/Messages.json?PageSize=many', 400, 20001],
    ['a page size of 0', '/Messages.json?PageSize=0', 400, 20001],
    ['a page below the first', '/Messages.json?Page=-1', 400, 20001],
    ['a message that does not exist', `/Messages/SM${'0'.repeat(32)}.json`, 404, 20404],
  ])('C1: refuses %s', async (_, path, status, code) => {
    expect(await ask(sandbox, path)).toMatchObject({ status, json: { status, code } });
  });

  it('C1: shows no list and no message to another account', async () => {
    expect(await ask(sandbox, '/Messages.json', 'wrong')).toMatchObject({ status: 401, json: { code: 20003 } });
    const sid = sandbox.messages()[0]?.sid;
    expect((await ask(sandbox, `/Messages/${sid}.json`, 'wrong')).status).toBe(401);
  });

  it('C1: refuses opted-out and rate-limited numbers with the provider’s errors', async () => {
    const { from } = sandbox.credentials.messages;
    const kept = sandbox.messages().length;
    const send = (to: string) => client.messages.create({ to, from, body: 'x' });
    await expect(send('whatsapp:+15550100011')).rejects.toMatchObject({ status: 400, code: 21610 });
    await expect(send('whatsapp:+15550100014')).rejects.toMatchObject({ status: 429, code: 20429 });
    expect(sandbox.messages()).toHaveLength(kept);
  });

  it.each([
    ['+15550100012', 'undelivered', 63024],
    ['+15550100013', 'sent', null],
  ])('C1: %s takes a message, which ends as %s', async (number, status, errorCode) => {
    const { from } = sandbox.credentials.messages;
    const created = await client.messages.create({ to: `whatsapp:${number}`, from, body: 'x' });
    expect(created).toMatchObject({ status: 'queued', errorCode: null });
    expect(await client.messages(created.sid).fetch()).toMatchObject({ status, errorCode });
  });

  it('C1: sets how a phone takes messages, on one channel or both', async () => {
    const { from } = sandbox.credentials.messages;
    const number = '+15550100050';
    sandbox.setPhone(number, 'opted_out', 'messages');
    const send = () => client.messages.create({ to: `whatsapp:${number}`, from, body: 'x' });
    await expect(send()).rejects.toMatchObject({ code: 21610 });
    sandbox.setPhone(number, 'reachable');
    expect((await send()).status).toBe('queued');
  });
});

it('C5: strict mode has no list and no message to show', async () => {
  const sandbox = await freshSandbox({ strict: true });
  for (const path of ['/Messages.json', `/Messages/SM${'0'.repeat(32)}.json`]) {
    expect(await ask(sandbox, path)).toMatchObject({ status: 404, json: { code: 20404 } });
  }
});
