import { expect, it } from 'vitest';
import { instantText } from '../../src/domain/civil-date.ts';
import {
  acknowledgeAlerts,
  type Notification,
  notify,
  readAlert,
} from '../../src/storage/records/alerts/alert-table.ts';
import { tellsToo } from '../../src/storage/records/alerts/condition-table.ts';
import { type DeliveryPath, deliveryPath, person, phonesOfFile } from './delivery-path.ts';

const SILENT = '+4915112345604';
const phones = phonesOfFile((sandbox) => sandbox.setPhone(SILENT, 'silent', 'messages'));

const told = (path: DeliveryPath) => path.sent().map(([channel, , text]) => `${channel}: ${text}`);

function condition(dedupeKey: string, other: Partial<Pick<Notification, 'reason' | 'severity' | 'text'>> = {}) {
  const says = { reason: 'first', severity: 'warning', text: 'Stopped.', ...other } as const;
  return { dedupeKey, customerId: undefined, rule: 'stopped', kind: 'condition', ...says } as const;
}

async function idOf(path: DeliveryPath, dedupeKey: string): Promise<bigint> {
  return (await readAlert(path.state.db, dedupeKey))?.id ?? 0n;
}

async function acknowledge(path: DeliveryPath, dedupeKey: string): Promise<void> {
  await acknowledgeAlerts(path.state.db, [await idOf(path, dedupeKey)], 'bob', phones.clock.now());
}

it.each([
  ['in the same second', 0],
  ['after the clock was set back', -10],
])('an alert that comes %s as its acknowledgement is new, so it goes to the next channel', async (_when, minutes) => {
  const path = await deliveryPath(phones, [person('bob', SILENT)]);
  await notify(path.state.db, condition('c'), phones.clock.now());
  await path.deliver();
  await acknowledge(path, 'c');
  path.wait(minutes);
  const worse = condition('c', { reason: 'escalated', severity: 'critical', text: 'Now critical.' });
  await notify(path.state.db, worse, phones.clock.now());
  await path.deliver();
  path.wait(45);
  await path.deliver();
  expect(told(path).at(-1)).toMatch(/^graph: Now critical\./);
});

it('an alert about a change goes on until all conditions that it told are acknowledged', async () => {
  const path = await deliveryPath(phones, [person('bob', SILENT)]);
  const nowMs = phones.clock.now();
  await path.enqueue('Budget changed.', 'critical');
  const [{ id, key } = { id: 0n, key: '' }] = path.rows('SELECT id, dedupe_key AS key FROM alert') as {
    id: bigint;
    key: string;
  }[];
  expect(key).toMatch(/^event:/);
  for (const one of ['one', 'other']) {
    await notify(path.state.db, condition(one), nowMs);
    await tellsToo(path.state.db, id, one, { at: instantText(nowMs), as: 'first', severity: 'critical' }, nowMs);
  }
  path.state.connection.exec(`DELETE FROM outbox WHERE alert_id <> ${id}`);
  await path.deliver();
  await acknowledge(path, 'one');
  path.wait(31);
  await path.deliver();
  expect(told(path)).toEqual(['messages: Budget changed.', 'graph: Budget changed.']);
});

it('an acknowledged alert is asked for no longer, and its doubt fails no later run', async () => {
  const path = await deliveryPath(phones, [person('bob', SILENT)]);
  await path.enqueue('Seen.', 'critical');
  await path.deliver();
  await acknowledge(path, (path.rows('SELECT dedupe_key AS key FROM alert')[0]?.key ?? '') as string);
  path.wait(31);
  await path.deliver();
  const before = phones.sandbox.requests.length;
  path.wait(31);
  expect(await path.deliver()).toEqual([]);
  expect(phones.sandbox.requests.slice(before)).toEqual([]);
});
