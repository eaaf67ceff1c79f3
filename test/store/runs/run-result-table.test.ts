import { expect, it } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { forgetRun } from '../../../src/storage/records/runs/forget-records.ts';
import {
  lastReportSince,
  notesOfRun,
  type RunTarget,
  recordRunResult,
  reportsWithoutLedger,
  targetsOfRun,
} from '../../../src/storage/records/runs/run-result-table.ts';
import { endRun } from '../../../src/storage/records/runs/run-table.ts';
import { type AnyStore, beginRun, freshStore, NOW_MS } from '../../support/state.ts';

const TARGET: RunTarget = {
  rule: 'month-pacing',
  customerId: customerId('1234567890'),
  accountName: undefined,
  subject: 'Trail',
  currency: undefined,
  state: 'low',
  // Beyond int64.
  target: 9_223_372_036_854_775_808n,
  spent: 0n,
  idealToDate: 1n,
  projected: undefined,
  budget: 75_000_000n,
  covers: ['Boots', '2 campaigns'],
  shouldBe: -1n,
  dateFrom: civilDate('2026-11-01'),
  dateTo: undefined,
  unsettled: 2n,
  mode: undefined,
  members: [customerId('1234567890')],
  rates: [{ date: civilDate('2026-11-19'), from: 'GBP', to: 'EUR', rate: '1.17' }],
  reason: 'No rate.',
};
const DAY = { date: civilDate('2026-11-01'), ideal: 9_223_372_036_854_775_808n, cost: undefined };
const RECORDED = { ...TARGET, days: [DAY] };
const NOTES = ['No budget is changed.'];
const END = { accounts: 0, rowsRead: 0n, budgetChanges: 0, messagesSent: 0, operations: 0, failures: [] };

async function run({ db }: Pick<AnyStore, 'db'>, command: string): Promise<bigint> {
  const id = await beginRun(db, { command });
  await endRun(db, id, { ...END, state: 'done', nowMs: NOW_MS });
  return id;
}

it('keeps a run’s notes and targets unchanged, with amounts beyond any integer', async () => {
  const state = await freshStore();
  const id = await run(state, 'report');
  await recordRunResult(state.db, id, { notes: NOTES, targets: [RECORDED, RECORDED] });
  await recordRunResult(state.db, id, { notes: NOTES, targets: [RECORDED] });
  expect(await notesOfRun(state.db, id)).toEqual(NOTES);
  expect(await targetsOfRun(state.db, id)).toEqual([TARGET]);
});

it('finds the newest report with a result by its notes, and counts one from before notes were recorded', async () => {
  const state = await freshStore();
  const old = await run(state, 'report');
  expect([
    await notesOfRun(state.db, old),
    await lastReportSince(state.db, ''),
    await reportsWithoutLedger(state.db, ''),
  ]).toEqual([undefined, undefined, 1]);
  const id = await run(state, 'report');
  await recordRunResult(state.db, id, { notes: [], targets: [] });
  await recordRunResult(state.db, await run(state, 'extract'), { notes: [], targets: [] });
  // It broke off.
  await run(state, 'report');
  expect(await lastReportSince(state.db, '')).toMatchObject({ id });
  expect(await reportsWithoutLedger(state.db, '')).toBe(1);
});

it('forgets targets with the accounts of their run', async () => {
  const state = await freshStore();
  const id = await run(state, 'report');
  await recordRunResult(state.db, id, { notes: NOTES, targets: [RECORDED] });
  expect(
    await forgetRun(
      state,
      id,
      () => undefined,
      () => true,
    ),
  ).toBe(true);
  expect([await targetsOfRun(state.db, id), await notesOfRun(state.db, id)]).toEqual([[], NOTES]);
});
