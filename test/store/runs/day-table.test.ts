import { expect, it } from 'vitest';
import { daysOf } from '../../../src/domain/civil-date.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { readingsOf, recordReading } from '../../../src/storage/records/runs/account-days.ts';
import { insertSlices } from '../../../src/storage/records/runs/slice-table.ts';
import { beginRun, freshStore } from '../../support/state.ts';

it('a reading is compared with the newest one of the same query, not of another query text in between', async () => {
  const { db } = await freshStore();
  const day = civilDate('2026-11-12');
  const customer = customerId('1');
  const runId = await beginRun(db);
  const record = ['A X', 'B Y', 'A Y', 'A Y', 'B Y', 'A Z'];
  for (const [place, reading] of record.entries()) {
    const [queryText = '', totals = ''] = reading.split(' ');
    const about = {
      runId,
      query: 'stats',
      queryText,
      customerId: customer,
      days: { from: day, to: day },
      expected: true,
    };
    const [slice] = await insertSlices(db, [about]);
    const days = [{ date: day, state: 'settled' as const, rows: 1n, totals: `{"clicks":"${totals}"}`, daysAfter: 1 }];
    const at = { sliceId: slice?.id ?? 0n, readMs: place * 1000 };
    await recordReading(db, { query: 'stats', queryText, customerId: customer, days, ...at });
  }
  const read = async (text: string) => {
    const { record } = await readingsOf(db, { name: 'stats', text }, customer, { from: day, to: day });
    return record.map(({ totals, readAt }) => [JSON.parse(totals).clicks, readAt]);
  };
  expect(await read('A')).toEqual([
    ['X', '1970-01-01T00:00:00Z'],
    ['Y', '1970-01-01T00:00:02Z'],
    ['Z', '1970-01-01T00:00:05Z'],
  ]);
  expect(await read('B')).toEqual([['Y', '1970-01-01T00:00:01Z']]);
});

it('a reading of many years is recorded whole, although a statement takes only so many values', async () => {
  const { db } = await freshStore();
  const customer = customerId('1');
  const range = { from: civilDate('2000-01-01'), to: civilDate('2020-12-31') };
  const asked = { query: 'stats', queryText: 'A', customerId: customer };
  const [slice] = await insertSlices(db, [{ ...asked, runId: await beginRun(db), days: range, expected: true }]);
  const days = daysOf(range).map((date) => ({ date, state: 'settled' as const, rows: 1n, totals: '{}', daysAfter: 1 }));
  await recordReading(db, { ...asked, sliceId: slice?.id ?? 0n, readMs: 0, days });
  const { now, record } = await readingsOf(db, { name: 'stats', text: 'A' }, customer, range);
  expect([now.length, record.length]).toEqual([days.length, days.length]);
});
