import { describe, expect, it } from 'vitest';
import { countOperations, endRun, operationsOfDay } from '../../../src/storage/records/runs/run-table.ts';
import { beginRun, freshStore } from '../../support/state.ts';

const NOON_MS = Date.parse('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;

const NOTHING = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, failures: [] };
const hoursAgo = (hours: number) => NOON_MS - hours * HOUR_MS;

describe('the operations of the last 24 hours', () => {
  it('include runs that ended in this time, failed ones too', async () => {
    const { db } = await freshStore();
    expect(await operationsOfDay(db, NOON_MS)).toBe(0);
    for (const [hours, operations, state] of [
      [25, 1_000, 'done'],
      [24, 100, 'done'],
      [23, 10, 'failed'],
      [1, 1, 'refused'],
    ] as const) {
      const nowMs = hoursAgo(hours);
      await endRun(db, await beginRun(db, { nowMs }), { ...NOTHING, state, nowMs, operations });
    }
    expect(await operationsOfDay(db, NOON_MS)).toBe(11);
  });

  it('include a run that began before this time and ended in it', async () => {
    const { db } = await freshStore();
    const runId = await beginRun(db, { nowMs: hoursAgo(25) });
    await endRun(db, runId, { ...NOTHING, state: 'done', nowMs: NOON_MS - 60_000, operations: 7 });
    expect(await operationsOfDay(db, NOON_MS)).toBe(7);
  });

  it('use the run’s own count before it died, or its slices if they are more', async () => {
    const { db } = await freshStore();
    const runId = await beginRun(db, { nowMs: hoursAgo(2) });
    await countOperations(db, runId, 7);
    await countOperations(db, runId, 5);
    await beginRun(db, { nowMs: hoursAgo(1) });
    expect(await operationsOfDay(db, NOON_MS)).toBe(7);
  });
});
