import { describe, expect, it } from 'vitest';
import { DELIVERY_POINTS, type DeliveryDeps, type DeliveryPoint } from '../../src/alerts/delivery-pass.ts';
import {
  ANNA,
  type DeliveryPath,
  deliveryPath,
  onSend,
  person,
  phonesOfFile,
  startPhones,
  withoutGraph,
} from './delivery-path.ts';

class Crash extends Error {}

const phones = phonesOfFile((sandbox) => {
  sandbox.setPhone('+4915112345601', 'opted_out', 'messages');
});

/** A process that ends the first time it passes there. */
function endingAt(point: DeliveryPoint): Pick<DeliveryDeps, 'deliveryPasses'> {
  return {
    deliveryPasses: (passed) => {
      if (passed === point) throw new Crash(point);
    },
  };
}

const ways = (path: DeliveryPath) =>
  path
    .sent()
    .map(([channel, to]) => `${channel} ${to}`)
    .sort();

describe('two processes that deliver at the same time', () => {
  it('send one message', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    const deliveries = await Promise.all([path.deliver(), path.deliver()]);
    expect(deliveries.flat()).toHaveLength(1);
    expect(ways(path)).toEqual(['messages whatsapp:+4915112345678']);
  });

  it('do not send a message that the other one is sending', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    let second: Promise<unknown> | undefined;
    await path.deliver({
      deliveryPasses: (point) => {
        if (point === 'send:before-send') second = path.deliver();
      },
    });
    expect(await second).toEqual([]);
    expect(ways(path)).toHaveLength(1);
  });
});

describe('a process that died while sending', () => {
  it('keeps its message for its lease; then the message is searched for, and sent if not found', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.');
    await expect(path.deliver(endingAt('send:before-send'))).rejects.toThrow(Crash);
    path.wait(4);
    expect(await path.deliver()).toEqual([]);
    path.wait(1);
    expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
    expect(path.rows('SELECT state, attempts FROM message')).toEqual([{ state: 'accepted', attempts: 2n }]);
  });

  it('leaves a message that is not sent again if it is found', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    await expect(path.deliver(endingAt('send:after-answer'))).rejects.toThrow(Crash);
    path.wait(5);
    expect(await path.deliver()).toEqual([]);
    expect(ways(path)).toHaveLength(1);
  });

  it('but answers after its lease is believed if the message was accepted', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    let others: Promise<unknown> | undefined;
    await path.deliver({
      deliveryPasses: (point) => {
        if (point !== 'send:after-answer') return;
        path.wait(6);
        path.fault = ({ kind }) => (kind === 'message_list' ? { kind: 'status', status: 500 } : undefined);
        others = path.deliver();
      },
    });
    await others;
    expect(path.rows('SELECT state FROM message')).toEqual([{ state: 'accepted' }]);
    expect(ways(path)).toHaveLength(1);
  });
});

describe('a process that is killed', () => {
  it.each(DELIVERY_POINTS)('at %s causes no lost and no repeated alert', async (point) => {
    const path = await deliveryPath(phones, [ANNA, person('bob', '+4915112345601')]);
    await path.enqueue('Budget cut.');
    // Anna's answer is lost, so it is looked for; Bob has opted out, so area A tells him.
    path.fault = onSend({ kind: 'reset_after' }, 1);
    await expect(path.deliver(endingAt(point))).rejects.toThrow(Crash);
    path.wait(6);
    await path.deliver();
    await path.deliver();
    expect(ways(path)).toEqual(['graph 4915112345601', 'messages whatsapp:+4915112345678']);
    expect(path.rows('SELECT state FROM alert')).toEqual([{ state: 'resolved' }]);
  });
});

describe('an interface without a message list, as specified', () => {
  it('C5: accepts messages; a message in doubt is never sent again, and is logged as lost', async () => {
    const strict = await startPhones({ strict: true });
    try {
      const path = await deliveryPath(strict, [withoutGraph(ANNA)]);
      await path.enqueue('Budget cut.');
      expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
      await path.enqueue('Account failed.', 'critical');
      path.fault = onSend({ kind: 'reset_after' }, 1);
      expect(await path.deliver()).toMatchObject([{ state: 'unknown' }]);
      path.wait(31);
      expect(await path.deliver()).toMatchObject([{ state: 'unknown' }]);
      expect(path.log).toEqual([expect.stringMatching(/^ALERT NOT DELIVERED to whatsapp:\+49…78, .*Account failed\./)]);
      path.wait(31);
      expect(await path.deliver()).toEqual([]);
      expect(path.sent()).toHaveLength(2);
    } finally {
      await strict.close();
    }
  });
});
