import { describe, expect, it } from 'vitest';
import { acknowledgeAlerts } from '../../src/storage/records/alerts/alert-table.ts';
import { lostRows } from '../../src/storage/records/alerts/lost-rows.ts';
import { recordStatus } from '../../src/storage/records/alerts/message-outcome.ts';
import {
  ANNA,
  type DeliveryPath,
  deliveryPath,
  type FaultOf,
  onlyGraph,
  onSend,
  person,
  phonesOfFile,
  withoutGraph,
} from './delivery-path.ts';

const phones = phonesOfFile((sandbox) => {
  sandbox.setPhone('+4915112345601', 'opted_out', 'messages');
  sandbox.setPhone('+4915112345602', 'opted_out');
  sandbox.setPhone('+4915112345603', 'undelivered', 'messages');
  sandbox.setPhone('+4915112345604', 'silent', 'messages');
});

const outbox = (path: DeliveryPath) =>
  path.rows('SELECT channel, state, escalated_at IS NOT NULL AS done FROM outbox ORDER BY id');
const ways = (path: DeliveryPath) => path.sent().map(([channel, , text]) => `${channel}: ${text}`);

describe('an undelivered alert', () => {
  it('goes to area A in the same pass if area C refuses it for good, and the pass has a failure', async () => {
    const path = await deliveryPath(phones, [person('bob', '+4915112345601')]);
    await path.enqueue('Budget cut.');
    expect(await path.deliver()).toMatchObject([
      { channel: 'messages', state: 'failed', error: expect.stringContaining('21610') },
      { channel: 'graph', state: 'accepted', recipient: '4915112345601' },
    ]);
    expect(ways(path)).toEqual(['graph: Budget cut.']);
    expect(path.log).toEqual([]);
    expect(path.rows('SELECT state FROM alert')).toEqual([{ state: 'resolved' }]);
  });

  it('is logged as lost once, with a masked number, if area A refuses it too', async () => {
    const path = await deliveryPath(phones, [person('bob', '+4915112345602')]);
    await path.enqueue('Budget cut.\nBy 15%.');
    await path.enqueue('Account failed.', 'critical');
    const deliveries = await path.deliver();
    expect(deliveries.map(({ channel, state }) => [channel, state])).toEqual([
      ['messages', 'failed'],
      ['graph', 'failed'],
    ]);
    expect(path.log).toEqual([
      expect.stringMatching(
        /^ALERT NOT DELIVERED to graph:\+49…02, all channels failed. Alert: Account failed \(and 1 more\)\. The graph interface answered /,
      ),
    ]);
    expect(await path.deliver()).toEqual([]);
    expect(path.log).toHaveLength(1);
  });

  it('is logged as lost with the meaning of the refusal, stated once', async () => {
    const path = await deliveryPath(phones, [withoutGraph(person('bob', '+4915112345601'))]);
    await path.enqueue('Budget cut.');
    await path.deliver();
    expect(path.log).toHaveLength(1);
    expect(path.log.join().match(/opted out/g)).toHaveLength(1);
  });

  it('is logged as lost in the pass after a failure report if no channel is left', async () => {
    const path = await deliveryPath(phones, [withoutGraph(person('bob', '+4915112345603'))]);
    await path.enqueue('Budget cut.', 'info');
    await path.deliver();
    await reported(path, 'undelivered', '63016');
    expect(await path.deliver()).toMatchObject([{ state: 'failed', error: expect.stringMatching(/63016.*24 hours/) }]);
    expect(path.log).toEqual([
      expect.stringMatching(/^ALERT NOT DELIVERED to whatsapp:\+49…03, .*undelivered \(63016\)/),
    ]);
    expect(await path.deliver()).toEqual([]);
  });

  it.each([
    ['undelivered', '63016'],
    ['without a report', undefined],
  ])('stays where it is after a person has acknowledged it: %s', async (_sentence, code) => {
    const path = await deliveryPath(phones, [person('bob', '+4915112345604')]);
    await path.enqueue('Budget cut.', 'critical');
    await path.deliver();
    const [{ id } = { id: 0n }] = path.rows('SELECT id FROM alert') as { id: bigint }[];
    await acknowledgeAlerts(path.state.db, [id], 'bob', phones.clock.now());
    if (code !== undefined) await reported(path, 'undelivered', code);
    path.wait(31);
    expect([await path.deliver(), ways(path), path.log]).toEqual([[], ['messages: Budget cut.'], []]);
    path.wait(1);
    await path.enqueue('Now gone.', 'critical');
    await path.deliver();
    path.wait(31);
    await path.deliver();
    expect(ways(path).slice(1)).toEqual(['messages: Now gone.', 'graph: Now gone.']);
  });

  it('goes to area A in the pass after a failure report, and never again to area C', async () => {
    const path = await deliveryPath(phones, [person('bob', '+4915112345603')]);
    await path.enqueue('Budget cut.', 'info');
    await path.deliver();
    await reported(path, 'undelivered', '63016');
    expect(await path.deliver()).toMatchObject([{ channel: 'graph', state: 'accepted' }]);
    path.wait(600);
    await path.deliver();
    expect(ways(path)).toEqual(['messages: Budget cut.', 'graph: Budget cut.']);
  });

  it.each([
    ['is logged as lost if no channel is left', withoutGraph(ANNA), []],
    ['goes to area A', ANNA, ['graph: Budget cut.']],
  ] as const)(
    'is noticed if a foreign page answered 200 and the list lacks the message: it %s',
    async (_sentence, recipient, told) => {
      const path = await deliveryPath(phones, [recipient]);
      path.fault = onSend({ kind: 'html' }, 1);
      await path.enqueue('Budget cut.');
      expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
      path.wait(31);
      await path.deliver();
      expect(ways(path)).toEqual(told);
      expect(path.log.map((line) => line.slice(0, 19))).toEqual(told.length === 0 ? ['ALERT NOT DELIVERED'] : []);
      expect(path.rows('SELECT state, error FROM message ORDER BY id LIMIT 1')).toEqual([
        { state: 'failed', error: expect.stringContaining('its list does not have the message') },
      ]);
    },
  );

  it('is searched for again while the list does not answer, if no channel is left', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.fault = onSend({ kind: 'html' }, 1);
    await path.enqueue('Budget cut.');
    await path.deliver();
    path.wait(31);
    path.fault = () => ({ kind: 'html' });
    await path.deliver();
    expect([outbox(path), path.log]).toEqual([[{ channel: 'messages', state: 'accepted', done: 0n }], []]);
    path.fault = undefined;
    await path.deliver();
    expect(path.log).toEqual([expect.stringContaining('ALERT NOT DELIVERED')]);
  });

  const DAY = 24 * 60;

  it.each([
    ['a foreign page', { kind: 'html' }],
    ['an error', { kind: 'status', status: 500 }],
    ['no JSON', { kind: 'replace', body: '{"sid":' }],
    ['a record without a status', { kind: 'replace', body: '{"sid":"SM1"}' }],
  ] as const)('is asked for its status again after %s, until the answer can be used', async (_sentence, fault) => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.', 'critical');
    await path.deliver();
    path.fault = () => fault;
    for (const minutes of [31, DAY]) {
      path.wait(minutes);
      expect(await path.deliver()).toEqual([]);
      expect([outbox(path), path.log]).toEqual([[{ channel: 'messages', state: 'accepted', done: 0n }], []]);
    }
    path.fault = undefined;
    expect(await path.deliver()).toEqual([]);
    expect([outbox(path), ways(path)]).toEqual([
      [{ channel: 'messages', state: 'delivered', done: 0n }],
      ['messages: Budget cut.'],
    ]);
  });

  it.each([
    ['has an id', undefined, '{"sid":1}'],
    ['has no id', { kind: 'html' }, '{"messages":1}'],
  ] as const)(
    'is in doubt after two days of unusable answers, then lost, and not sent again, if it %s',
    async (_sentence, onSending, body) => {
      const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
      if (onSending !== undefined) path.fault = onSend(onSending, 1);
      await path.enqueue('Budget cut.', 'critical');
      await path.deliver();
      const sent = path.sent();
      path.fault = ({ kind }) => (kind === 'message' ? undefined : { kind: 'replace', body });
      path.wait(2 * DAY - 1);
      await path.deliver();
      expect(outbox(path)).toEqual([{ channel: 'messages', state: 'accepted', done: 0n }]);
      path.wait(1);
      await path.deliver();
      expect(outbox(path)).toEqual([{ channel: 'messages', state: 'unknown', done: 0n }]);
      expect(await path.deliver()).toMatchObject([
        {
          state: 'unknown',
          error: expect.stringContaining('The status of the message could not be read for two days'),
        },
      ]);
      path.wait(30);
      expect(await path.deliver()).toMatchObject([{ state: 'unknown', isLost: true }]);
      expect(path.log).toEqual([expect.stringContaining('Budget cut. Delivery not confirmed: it may have arrived.')]);
      expect((await lostRows(path.state.db)).map(({ text }) => text)).toEqual(['Budget cut.']);
      path.wait(2 * DAY);
      await path.deliver();
      expect(path.sent()).toEqual(sent);
    },
  );

  it('in doubt for its status is not sent again if the list no longer has it', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.', 'critical');
    await path.deliver();
    path.fault = () => ({ kind: 'html' });
    path.wait(2 * DAY);
    await path.deliver();
    path.fault = ({ kind }) => (kind === 'message_list' ? { kind: 'replace', body: '{"messages":[]}' } : undefined);
    expect(await path.deliver()).toMatchObject([
      {
        state: 'unknown',
        error: expect.stringContaining('The provider accepted the message, but its list does not have it'),
      },
    ]);
    path.fault = undefined;
    await path.deliver();
    expect([outbox(path), ways(path)]).toEqual([
      [{ channel: 'messages', state: 'delivered', done: 0n }],
      ['messages: Budget cut.'],
    ]);
  });

  it('is checked if no report comes: a message that arrived is delivered, and goes nowhere else', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.', 'critical');
    await path.deliver();
    path.wait(31);
    expect(await path.deliver()).toEqual([]);
    expect(outbox(path)).toEqual([{ channel: 'messages', state: 'delivered', done: 0n }]);
    expect(ways(path)).toHaveLength(1);
  });

  it.each([
    [
      'also goes to area A, once, if its severity is above info',
      'warning',
      ['messages: Budget cut.', 'graph: Budget cut.'],
    ],
    ['goes nowhere else if its severity is info', 'info', ['messages: Budget cut.']],
  ] as const)('without a report for half an hour %s', async (_sentence, severity, told) => {
    const path = await deliveryPath(phones, [person('bob', '+4915112345604')]);
    await path.enqueue('Budget cut.', severity);
    await path.deliver();
    path.wait(29);
    await path.deliver();
    expect(ways(path)).toHaveLength(1);
    path.wait(2);
    await path.deliver();
    path.wait(31);
    expect(await path.deliver()).toEqual([]);
    expect(ways(path)).toEqual(told);
    expect(path.log).toEqual([]);
  });

  it('does not count as lost without a report if no channel is left', async () => {
    const path = await deliveryPath(phones, [withoutGraph(person('bob', '+4915112345604'))]);
    await path.enqueue('Budget cut.', 'critical');
    await path.deliver();
    path.wait(31);
    expect(await path.deliver()).toEqual([]);
    expect(path.log).toEqual([]);
  });

  it('whose outcome is unknown goes to area A after half an hour, and is not searched for there', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.', 'info');
    path.fault = ({ kind }) =>
      kind === 'message'
        ? { kind: 'reset_after' }
        : kind === 'message_list'
          ? { kind: 'status', status: 404 }
          : undefined;
    expect(await path.deliver()).toMatchObject([{ state: 'unknown', instead: undefined, isLost: false }]);
    path.wait(31);
    const deliveries = await path.deliver();
    expect(deliveries).toMatchObject([
      { state: 'unknown', instead: 'graph', isLost: false },
      { channel: 'graph', state: 'accepted', instead: undefined, isLost: false },
    ]);
    expect(await path.deliver()).toEqual([]);
    expect(ways(path)).toEqual(['messages: Budget cut.', 'graph: Budget cut.']);
  });

  it('that was passed on is not sent again if it turns out that it was never sent', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    path.fault = ({ kind }) =>
      kind === 'message' || kind === 'message_list' ? { kind: 'status', status: 500 } : undefined;
    await path.deliver();
    path.wait(31);
    await path.deliver();
    path.fault = undefined;
    expect(await path.deliver()).toEqual([]);
    expect(ways(path)).toEqual(['graph: Budget cut.']);
    expect(outbox(path)[0]).toMatchObject({ channel: 'messages', state: 'failed' });
  });

  it('in doubt at area A, which has no list, is logged as lost after half an hour', async () => {
    const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    path.fault = ({ kind }) => (kind === 'graph_send' ? { kind: 'reset_after' } : undefined);
    expect(await path.deliver()).toMatchObject([{ channel: 'graph', state: 'unknown' }]);
    path.wait(31);
    await path.deliver();
    expect(path.log).toEqual([expect.stringContaining('Budget cut. Delivery not confirmed: it may have arrived.')]);
    expect(await path.deliver()).toEqual([]);
    expect(ways(path)).toHaveLength(1);
  });

  it('in doubt at area A is resolved by a report with our reference', async () => {
    const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    path.fault = ({ kind }) => (kind === 'graph_send' ? { kind: 'reset_after' } : undefined);
    await path.deliver();
    const [{ reference } = {}] = path.rows('SELECT reference FROM message');
    const report = {
      channel: 'graph',
      providerId: 'wamid.1',
      reference: `pk-${reference}`,
      status: 'delivered',
    } as const;
    expect(await recordStatus(path.state.db, report, phones.clock.now())).toBe('moved');
    path.wait(31);
    expect(await path.deliver()).toEqual([]);
  });

  it('goes to area A after half an hour of 429 from area C; info alerts keep waiting', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    path.fault = onSend({ kind: 'status', status: 429 });
    await path.deliver();
    path.wait(31);
    await path.deliver();
    expect(ways(path)).toEqual(['graph: Budget cut.']);
    await path.enqueue('Digest.', 'info');
    await path.deliver();
    path.wait(31);
    await path.deliver();
    expect(ways(path)).toEqual(['graph: Budget cut.']);
    path.fault = undefined;
    await path.deliver();
    expect(ways(path)).toEqual(['graph: Budget cut.', 'messages: Digest.']);
  });

  it('goes to area A at once if credentials are invalid', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    path.fault = onSend({ kind: 'status', status: 401 });
    await path.deliver();
    expect(ways(path)).toEqual(['graph: Budget cut.']);
  });
});

describe('A6: the sender of area A', () => {
  /** The sandbox's account has two numbers, and then it is not clear which. */
  const ONE_NUMBER = JSON.stringify({ data: [{ id: '106540352242922', display_phone_number: '+1 555 010 0001' }] });
  const oneNumber: FaultOf = ({ kind }) =>
    kind === 'graph_phone_numbers' ? { kind: 'replace', body: ONE_NUMBER } : undefined;

  it('is looked up once if the settings name only its business account', async () => {
    const path = await deliveryPath(phones, [ANNA, person('bob', '+4915112345605')]);
    await path.enqueue('Budget cut.');
    const before = phones.sandbox.requests.length;
    path.fault = oneNumber;
    await path.deliver({ messages: undefined, graph: { ...path.graph, phoneNumberId: undefined } });
    const kinds = phones.sandbox.requests.slice(before).map(({ kind }) => kind);
    expect(kinds).toEqual(['graph_phone_numbers', 'graph_send', 'graph_send']);
    expect(ways(path)).toHaveLength(2);
  });

  it('keeps alerts waiting, without sending, if it cannot be determined', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    path.fault = ({ kind }) => (kind === 'graph_phone_numbers' ? { kind: 'status', status: 500 } : undefined);
    const settings = { messages: undefined, graph: { ...path.graph, phoneNumberId: undefined } };
    expect(await path.deliver(settings)).toMatchObject([{ state: 'pending' }]);
    path.fault = undefined;
    expect(await path.deliver(settings)).toMatchObject([
      { state: 'pending', error: expect.stringContaining('2 numbers, expected exactly one sender') },
    ]);
    path.fault = oneNumber;
    expect(await path.deliver(settings)).toMatchObject([{ state: 'accepted' }]);
  });
});

async function reported(path: DeliveryPath, status: string, errorCode: string): Promise<void> {
  const [{ provider_id } = {}] = path.rows('SELECT provider_id FROM message ORDER BY id DESC LIMIT 1');
  const report = { channel: 'messages', providerId: String(provider_id), status, errorCode } as const;
  expect(await recordStatus(path.state.db, report, phones.clock.now())).toBe('moved');
}
