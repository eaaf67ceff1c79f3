import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openState } from '../../src/store/open-state.ts';
import { endRun, operationsOfDay, startRun } from '../../src/store/run-table.ts';
import { tempDir } from '../support/temp-dir.ts';

const NOON_MS = Date.parse('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;

describe('the operations of the last 24 hours', () => {
  it('are those of the runs that began in them, failed ones too', async () => {
    const state = await openState(join(tempDir(), 'state.sqlite'));
    onTestFinished(() => state.close());
    expect(await operationsOfDay(state.db, NOON_MS)).toBe(0);
    const nothing = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, failures: [] };
    for (const [hoursAgo, operations, end] of [
      [25, 1_000, 'done'],
      [24, 100, 'done'],
      [23, 10, 'failed'],
      [1, 1, 'refused'],
    ] as const) {
      const nowMs = NOON_MS - hoursAgo * HOUR_MS;
      const about = { command: 'report', target: 'x', mode: 'apply', dryRun: false, nowMs };
      const runId = await startRun(state.db, about);
      await endRun(state.db, runId, { ...nothing, state: end, nowMs, operations });
    }
    expect(await operationsOfDay(state.db, NOON_MS)).toBe(11);
  });
});
