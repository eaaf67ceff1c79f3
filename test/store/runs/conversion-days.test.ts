import { describe, expect, it } from 'vitest';
import { addDays, daysBetween } from '../../../src/domain/civil-date.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { recordReading } from '../../../src/storage/records/runs/account-days.ts';
import { lagSteps } from '../../../src/storage/records/runs/conversion-days.ts';
import { insertSlices } from '../../../src/storage/records/runs/slice-table.ts';
import { beginRun, freshStore } from '../../support/state.ts';

const CUSTOMER = customerId('1');
const DAY = civilDate('2026-10-10');
const ALL = { from: civilDate('2026-01-01'), to: civilDate('2026-12-31') };

/** A reading such as `1:4`: the day's conversions, read so many days after it. Another text of the query stands behind. */
async function stepsOf(readings: string, range = ALL) {
  const { db } = await freshStore();
  for (const [age = '', conversions = '', queryText = 'q'] of readings.split(' ').map((one) => one.split(':'))) {
    const about = { query: 'stats', queryText, customerId: CUSTOMER };
    const [slice] = await insertSlices(db, [{ ...about, runId: await beginRun(db), expected: true, days: undefined }]);
    const readMs = Date.parse(`${addDays(DAY, Number(age))}T12:00:00Z`);
    const totals = conversions === '' ? '{}' : JSON.stringify({ conversions: Number(conversions) });
    const day = {
      date: DAY,
      state: 'settled',
      totals,
      rows: 1n,
      daysAfter: daysBetween(DAY, addDays(DAY, Number(age))),
    } as const;
    await recordReading(db, { ...about, sliceId: slice?.id ?? 0n, readMs, days: [day] });
  }
  const steps = (await lagSteps(db, 'stats', [CUSTOMER], range)).get(CUSTOMER) ?? [];
  return steps
    .map(({ from, until, days, gained }) => `${from}-${until ?? ''} ${days}: ${gained}`)
    .sort()
    .join(', ');
}

describe('how conversions grew from reading to reading', () => {
  it.each([
    ['is known of each age', '1:4 2:6 3:6 4:10 5:10', '1-2 1: 6, 2-4 1: 4, 4- 1: 0'],
    ['may be nothing, if a day was read again', '1:4 8:4', '1- 1: 0'],
    ['may be below zero', '1:4 8:1', '1-8 1: -3, 8- 1: 0'],
    ['is unknown of a day that was read once', '1:4', ''],
    ['is unknown of a day that was first read late', '2:4 8:10', ''],
    ['is unknown without conversions', '1: 8:', ''],
    ['is that of the newest text of the query', '1:4:old 2:6:old 3:9 8:10', ''],
  ])('%s', async (_, readings, steps) => {
    expect(await stepsOf(readings)).toBe(steps);
  });

  it('is asked for some days only', async () => {
    expect(await stepsOf('1:4 8:9', { from: addDays(DAY, 1), to: ALL.to })).toBe('');
    expect(await stepsOf('1:4 8:9', { from: ALL.from, to: addDays(DAY, -1) })).toBe('');
    expect(await stepsOf('1:4 8:9', { from: DAY, to: DAY })).toBe('1-8 1: 5, 8- 1: 0');
  });
});
