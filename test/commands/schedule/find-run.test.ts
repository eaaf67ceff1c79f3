import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findRun } from '../../../src/commands/schedule/tell-progress.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { recordRunAccounts } from '../../../src/storage/records/runs/run-account-table.ts';
import { endRun, startRun } from '../../../src/storage/records/runs/run-table.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { NOW_MS, stateIn } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { toldLog } from '../../support/told-log.ts';

it('the result of a run uses the names that the monitor receives', async () => {
  const folder = tempDir();
  for (const name of ['data', 'queries', 'rules']) mkdirSync(join(folder, name));
  const state = await stateIn(join(folder, 'data'));
  const run = await startRun(state.db, {
    command: 'report',
    target: 'sandbox',
    targetKind: 'sandbox',
    mode: 'apply',
    dryRun: false,
    nowMs: NOW_MS,
  });
  const came = { accounts: 1, rowsRead: 2n, budgetChanges: 3, messagesSent: 4, operations: 5, failures: [] };
  await endRun(state.db, run, { ...came, state: 'done', nowMs: NOW_MS });
  const deps = { clock: fakeClock('2026-11-20T12:00:00Z'), log: toldLog() };
  const found = async () => findRun(await readSettings(folder, {}, {}), deps, Number(run));
  expect(await found()).toEqual({
    id: 1,
    isDone: true,
    isPartial: false,
    counts: { accounts: 1, rows_read: 2, budget_changes: 3, messages_sent: 4, failures: 0 },
  });
  const outcomes = ['failed', 'read'] as const;
  for (const [index, outcome] of outcomes.entries()) {
    const account = {
      customerId: customerId(`123456789${index}`),
      state: outcome,
      reason: outcome === 'read' ? undefined : 'no answer',
    };
    await recordRunAccounts(state.db, run, [account]);
    expect(await found()).toMatchObject({ isPartial: outcome === 'read' });
  }
  await state.close();
});
