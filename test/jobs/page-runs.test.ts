import { describe, expect, it } from 'vitest';
import { lastRunOf } from '../../src/jobs/page-runs.ts';
import { endRun, startRun } from '../../src/store/run-table.ts';
import { freshState, NOW_MS } from '../support/state.ts';

const redact = (text: string) => text.replace('somebody', '…');

describe('the last run that a report tells of', () => {
  it('is the newest report, or the newest run of all before the first, with its failures one by one', async () => {
    const { db } = await freshState();
    const end = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, nowMs: NOW_MS };
    const ended = async (command: string, failures: readonly string[]) => {
      const run = await startRun(db, {
        command,
        target: 'sandbox',
        targetKind: 'sandbox',
        mode: 'apply',
        dryRun: false,
        nowMs: NOW_MS,
      });
      await endRun(db, run, { ...end, state: failures.length === 0 ? 'done' : 'failed', failures });
    };
    expect(await lastRunOf(db, redact)).toBeUndefined();
    await ended('extract', []);
    expect(await lastRunOf(db, redact)).toMatchObject({ id: 1n, command: 'extract', failures: [] });
    await ended('report', ['One of somebody.', 'Another.']);
    await ended('extract', []);
    const told = await lastRunOf(db, redact);
    expect(told).toMatchObject({ id: 2n, command: 'report', failures: ['One of ….', 'Another.'] });
    // What was not redacted goes no further.
    expect(told).not.toHaveProperty('error');
  });
});
