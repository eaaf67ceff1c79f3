import { describe, expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { type RunAccountRecord, recordRunAccounts } from '../../../src/storage/records/runs/run-account-table.ts';
import { type AnyStore, beginRun, freshStore } from '../../support/state.ts';

async function stateWithRun(): Promise<{ readonly state: AnyStore; readonly runId: bigint }> {
  const state = await freshStore();
  return { state, runId: await beginRun(state.db) };
}

const record = (id: string, state: RunAccountRecord['state'], reason?: string): RunAccountRecord => ({
  customerId: customerId(id),
  state,
  reason,
});

describe('the accounts of a run', () => {
  it('are recorded by the thousand, and a later entry replaces an earlier one', async () => {
    const { state, runId } = await stateWithRun();
    const many = Array.from({ length: 2_001 }, (_, index) => record(String(1000 + index), 'not_reached', 'no quota'));
    await recordRunAccounts(state.db, runId, many);
    await recordRunAccounts(state.db, runId, [record('1000', 'read'), record('1001', 'failed', 'HTTP 403')]);
    const query = 'SELECT state, reason, count(*) AS n FROM run_account GROUP BY state, reason ORDER BY state';
    expect(state.connection.prepare(query).all()).toEqual([
      { state: 'failed', reason: 'HTTP 403', n: 1n },
      { state: 'not_reached', reason: 'no quota', n: 1_999n },
      { state: 'read', reason: null, n: 1n },
    ]);
  });

  it('may be empty', async () => {
    const { state, runId } = await stateWithRun();
    await recordRunAccounts(state.db, runId, []);
    expect(state.connection.prepare('SELECT * FROM run_account').all()).toEqual([]);
  });

  it.each([
    ['a failure without a reason', record('1', 'failed')],
    ['a reason without a failure', record('1', 'read', 'why')],
  ])('are refused by the table with %s', async (_, row) => {
    const { state, runId } = await stateWithRun();
    await expect(recordRunAccounts(state.db, runId, [row])).rejects.toThrow(/check constraint/i);
  });
});
