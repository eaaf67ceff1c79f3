import { expect, it } from 'vitest';
import { spentInMemory } from '../../src/dashboard/server/spent-ids.ts';

it('ids of sent forms and ended logins are spent once, and kept until they expire, the latest 10,000 of them', async () => {
  const spent = spentInMemory('origin');
  expect(await spent.spend('short', 10, 0)).toBe(true);
  expect(await spent.spend('short', 10, 0)).toBe(false);
  expect(await spent.spend('1', 100, 9)).toBe(true);
  expect(await spent.isSpent('short')).toBe(true);
  expect(await spent.spend('2', 100, 10)).toBe(true);
  expect(await spent.isSpent('short')).toBe(false);
  for (let id = 3; id <= 10_000; id += 1) await spent.spend(`${id}`, 100, 10);
  expect(await spent.isSpent('1')).toBe(true);
  await spent.spend('10001', 100, 10);
  expect([await spent.isSpent('1'), await spent.isSpent('2')]).toEqual([false, true]);
});
