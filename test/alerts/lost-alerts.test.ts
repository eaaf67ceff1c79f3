import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/alerts/delivery-pass.ts';
import { acknowledgeAlerts, enqueueTest } from '../../src/storage/records/alerts/alert-table.ts';
import { lostRows } from '../../src/storage/records/alerts/lost-rows.ts';
import { recordStatus } from '../../src/storage/records/alerts/message-outcome.ts';
import { insertReply } from '../../src/storage/records/alerts/reply-table.ts';
import {
  ANNA,
  alertsTo,
  type DeliveryPath,
  deliveryPath,
  onlyGraph,
  person,
  phonesOfFile,
  withoutGraph,
} from './delivery-path.ts';

const phones = phonesOfFile();

const lost = async (path: DeliveryPath) => (await lostRows(path.state.db)).map(({ text }) => text);
const ways = (path: DeliveryPath) => path.sent().map(([channel, , text]) => `${channel}: ${text}`);

/** The provider refuses each message that it took, as after 24 hours without a message from the recipient. */
async function refused(path: DeliveryPath, errorCode: string): Promise<Delivery[]> {
  for (const { channel, provider_id } of path.rows(
    "SELECT channel, provider_id FROM message WHERE state = 'accepted'",
  )) {
    const report = { channel: channel as 'messages' | 'graph', providerId: String(provider_id), errorCode };
    const status = channel === 'graph' ? 'failed' : 'undelivered';
    expect(await recordStatus(path.state.db, { ...report, status }, phones.clock.now())).toBe('moved');
  }
  return path.deliver();
}

const written = (path: DeliveryPath, channel: 'messages' | 'graph', sender: string) =>
  insertReply(
    path.state.db,
    {
      dedupeKey: `${channel} ${phones.clock.now()}`,
      channel,
      sender,
      text: 'Hello',
      proposalCode: undefined,
      outcome: 'not_an_approver',
      answer: undefined,
      receivedAt: new Date(phones.clock.now()).toISOString().replace('.000', ''),
    },
    phones.clock.now(),
  );

describe('an alert that no channel delivered', () => {
  it.each([
    ['messages', '63016', withoutGraph(ANNA), 'whatsapp:+4915112345678'],
    ['graph', '131047', onlyGraph(ANNA), '4915112345678'],
  ] as const)(
    'by %s (%s) stays lost until its recipient writes, then goes out once',
    async (channel, code, recipient, to) => {
      const path = await deliveryPath(phones, [recipient]);
      await path.enqueue('Budget cut.', 'critical');
      await path.deliver();
      await refused(path, code);
      path.wait(60);
      expect(await path.deliver()).toEqual([]);
      expect([await lost(path), ways(path)]).toEqual([['Budget cut.'], [`${channel}: Budget cut.`]]);
      await written(path, channel, to);
      path.wait(1);
      expect(await path.deliver()).toMatchObject([{ state: 'accepted', channel }]);
      expect(await path.deliver()).toEqual([]);
      expect([await lost(path), ways(path)]).toEqual([[], Array(2).fill(`${channel}: Budget cut.`)]);
      await refused(path, code);
      expect(await lost(path)).toEqual(['Budget cut.']);
    },
  );

  it('is in the result of the pass that lost it, once for each message, with its number of alerts', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    await path.enqueue('Account failed.');
    await path.deliver();
    path.wait(1);
    await path.enqueue('Budget raised.');
    await path.deliver();
    const lost = { channel: 'messages', state: 'failed', counted: 0, instead: undefined, isLost: true };
    expect(await refused(path, '63016')).toMatchObject([
      { ...lost, text: expect.stringContaining('Budget cut.'), alerts: 2 },
      { ...lost, text: 'Budget raised.', alerts: 1 },
    ]);
    expect(await path.deliver()).toEqual([]);
  });

  it('is tried again once a day, whatever the reason was', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    await refused(path, '30008');
    path.wait(24 * 60 - 1);
    await path.deliver();
    expect(ways(path)).toHaveLength(1);
    path.wait(1);
    await path.deliver();
    expect(ways(path)).toHaveLength(2);
  });

  it('by both channels goes out by the one to which its recipient wrote', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    await path.deliver();
    await refused(path, '63016');
    await refused(path, '131047');
    expect(ways(path)).toEqual(['messages: Budget cut.', 'graph: Budget cut.']);
    path.wait(1);
    await written(path, 'messages', 'whatsapp:+4915112345678');
    await path.deliver();
    expect(ways(path).slice(2)).toEqual(['messages: Budget cut.']);
    path.wait(24 * 60);
    await path.deliver();
    expect([await lost(path), ways(path).slice(3)]).toEqual([[], []]);
  });

  it('is not tried again after somebody acknowledged it', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    await refused(path, '63016');
    const ids = (await lostRows(path.state.db)).map(({ alertId }) => alertId);
    await acknowledgeAlerts(path.state.db, ids, 'anna', phones.clock.now());
    path.wait(48 * 60);
    expect([await path.deliver(), await lost(path)]).toEqual([[], []]);
  });

  it('whose outcome is unknown stays lost, and is never sent again without a look-up', async () => {
    const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    path.fault = ({ kind }) => (kind === 'graph_send' ? { kind: 'reset_after' } : undefined);
    await path.deliver();
    path.fault = undefined;
    path.wait(31);
    await path.deliver();
    await written(path, 'graph', '4915112345678');
    path.wait(48 * 60);
    expect(await path.deliver()).toEqual([]);
    expect([await lost(path), ways(path)]).toEqual([['Budget cut.'], ['graph: Budget cut.']]);
  });

  it('waits for its channel, and goes out when the channel is configured again', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    await path.deliver({ messages: undefined });
    expect(await lost(path)).toEqual(['Budget cut.']);
    await path.deliver({ messages: undefined });
    expect(path.log).toHaveLength(1);
    await path.deliver();
    expect([await lost(path), ways(path)]).toEqual([[], ['messages: Budget cut.']]);
  });

  it('goes to the recipients of today if its number is of none of them', async () => {
    const path = await deliveryPath(phones, [withoutGraph(person('bob', '+4915112345699'))]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    await refused(path, '63016');
    await path.deliver({ alerts: alertsTo([withoutGraph(ANNA)]) });
    expect(path.sent().map(([, to]) => to)).toEqual(['whatsapp:+4915112345699', 'whatsapp:+4915112345678']);
    expect(await lost(path)).toEqual([]);
  });

  it('is no test message', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    const to = { channel: 'messages', recipient: 'whatsapp:+4915112345678' } as const;
    await enqueueTest(path.state.db, { dedupeKey: 'test', severity: 'info', text: 'Test.', ...to }, phones.clock.now());
    await path.deliver();
    await refused(path, '63016');
    expect(await lost(path)).toEqual([]);
  });
});
