import { describe, expect, it } from 'vitest';
import { enqueueReply } from '../../src/storage/records/alerts/alert-table.ts';
import { alertsToNobodyIn } from '../../src/storage/records/alerts/digest-facts.ts';
import {
  ANNA,
  alertsTo,
  type DeliveryPath,
  deliveryPath,
  onSend,
  person,
  phonesOfFile,
  withoutGraph,
} from './delivery-path.ts';

const phones = phonesOfFile();

const BERT = person('bert', '+4915187654321');
const NIGHT = { quietHours: { from: '11:00', to: '14:00' } };
const outbox = (path: DeliveryPath) => path.rows('SELECT channel, recipient, state, error FROM outbox ORDER BY id');
const told = (path: DeliveryPath) => path.sent().map(([channel, to]) => `${channel} ${to}`);
const BY_MESSAGES_ALONE = { graph: undefined };
const BY_GRAPH_ALONE = { messages: undefined };

/** Anna has been given an address by area C, which takes nothing for now. */
async function waiting(recipient = ANNA, status = 429): Promise<DeliveryPath> {
  const path = await deliveryPath(phones, [recipient]);
  await path.enqueue('Budget cut.');
  path.fault = onSend({ kind: 'status', status });
  await path.deliver(BY_MESSAGES_ALONE);
  path.fault = undefined;
  path.wait(2);
  return path;
}

describe('a message that waits for an interface that is no longer configured', () => {
  it.each([
    ['and was certainly not sent', 429],
    ['and is in doubt after a search without result', 500],
  ])('%s goes to the other interface of its recipient', async (_sentence, status) => {
    const path = await waiting(ANNA, status);
    await path.deliver({ ...BY_MESSAGES_ALONE, alerts: alertsTo([{ ...ANNA, ...NIGHT }]) });
    expect(await path.deliver(BY_GRAPH_ALONE)).toMatchObject([{ channel: 'graph', state: 'accepted' }]);
    expect(told(path)).toEqual(['graph 4915112345678']);
    expect(path.log).toEqual([]);
  });

  it('also goes to the interface that is tried first', async () => {
    const path = await deliveryPath(phones, [{ ...ANNA, ...NIGHT }]);
    await path.enqueue('Budget cut.');
    await path.deliver(BY_GRAPH_ALONE);
    path.wait(180);
    await path.deliver(BY_MESSAGES_ALONE);
    expect(told(path)).toEqual(['messages whatsapp:+4915112345678']);
  });

  it('keeps waiting while no interface is configured', async () => {
    const path = await waiting();
    expect(await path.deliver({ messages: undefined, graph: undefined })).toEqual([]);
    expect(outbox(path)).toMatchObject([{ state: 'pending' }]);
  });

  it('is logged as lost once if no other interface reaches its recipient', async () => {
    const path = await waiting(withoutGraph(ANNA));
    expect(await path.deliver(BY_GRAPH_ALONE)).toMatchObject([{ state: 'failed' }]);
    expect(path.log).toEqual([expect.stringMatching(/^ALERT NOT DELIVERED to whatsapp:.*no longer configured/)]);
    expect(await path.deliver(BY_GRAPH_ALONE)).toEqual([]);
    expect(path.rows('SELECT state FROM alert')).toEqual([{ state: 'resolved' }]);
  });

  it('is logged as lost if the other interface had failed before', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    path.fault = ({ kind }) => ({ kind: 'status', status: kind === 'message' ? 401 : 429 });
    await path.deliver();
    path.fault = undefined;
    expect(await path.deliver(BY_MESSAGES_ALONE)).toMatchObject([{ channel: 'graph', state: 'failed' }]);
    expect(path.log).toEqual([expect.stringMatching(/^ALERT NOT DELIVERED to graph:/)]);
  });

  it('is logged as lost once if it answers somebody who is not a recipient', async () => {
    const path = await deliveryPath(phones);
    const reply = { channel: 'graph', recipient: '4917012345678', text: 'Done.', customerId: undefined } as const;
    await enqueueReply(path.state.db, { ...reply, dedupeKey: 'reply:1' }, phones.clock.now());
    const settings = { graph: { ...path.graph, phoneNumberId: undefined, businessAccountId: undefined } };
    expect(await path.deliver(settings)).toMatchObject([{ channel: 'graph', state: 'failed' }]);
    expect(await path.deliver(settings)).toEqual([]);
    expect(path.log).toEqual([expect.stringMatching(/^ALERT NOT DELIVERED to graph:\+49…78, .*Done\./)]);
  });
});

describe('a message that waits for a former recipient', () => {
  it('is withdrawn with the reason, and sent to the current recipients', async () => {
    const path = await deliveryPath(phones, [{ ...ANNA, ...NIGHT }]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    expect(told(path)).toEqual([]);
    await path.deliver({ alerts: alertsTo([BERT]) });
    expect(told(path)).toEqual(['messages whatsapp:+4915187654321']);
    expect(outbox(path)).toMatchObject([
      { state: 'withdrawn', error: 'This address no longer belongs to a recipient.' },
      { recipient: 'whatsapp:+4915187654321', state: 'accepted' },
    ]);
    // The digest counts what went to nobody.
    expect(await alertsToNobodyIn(path.state.db, { since: '2026-11-20T00:00:00Z', now: '2026-11-22T00:00:00Z' })).toBe(
      0,
    );
  });

  it('is not sent there again, although it is in doubt', async () => {
    const path = await waiting(ANNA, 500);
    await path.deliver({ alerts: alertsTo([{ ...ANNA, ...NIGHT }]) });
    await path.deliver({ alerts: alertsTo([BERT]) });
    expect(told(path)).toEqual(['messages whatsapp:+4915187654321']);
  });

  it('is not sent again to recipients who have it already', async () => {
    const path = await deliveryPath(phones, [{ ...ANNA, ...NIGHT }, BERT]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    await path.deliver({ alerts: alertsTo([BERT]) });
    expect(told(path)).toEqual(['messages whatsapp:+4915187654321']);
    expect(path.log).toEqual([]);
  });

  it('waits while there are no recipients, and goes to the same person once they are named again', async () => {
    const path = await deliveryPath(phones, [{ ...ANNA, ...NIGHT }]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    await path.deliver({ alerts: alertsTo([]) });
    expect(outbox(path)).toMatchObject([{ state: 'withdrawn' }, { recipient: null, state: 'pending' }]);
    await path.deliver({ alerts: alertsTo([ANNA]) });
    expect(told(path)).toEqual(['messages whatsapp:+4915112345678']);
  });

  it('goes where it was asked for if it is an answer', async () => {
    const path = await deliveryPath(phones);
    const reply = { channel: 'graph', recipient: '4917012345678', text: 'Done.', customerId: undefined } as const;
    await enqueueReply(path.state.db, { ...reply, dedupeKey: 'reply:1' }, phones.clock.now());
    await path.deliver();
    expect(told(path)).toEqual(['graph 4917012345678']);
  });
});
