import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { appendEvent } from '../../../src/storage/records/budgets/event-table.ts';
import { recordForeignChange } from '../../../src/storage/records/budgets/foreign-change-table.ts';
import { insertIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { changesSince, lastSet } from '../../../src/storage/records/budgets/past-changes.ts';
import { APPLIED, freshStore, intentAfter, NOW_MS, someIntent, UNKNOWN } from '../../support/state.ts';

const { customerId: CUSTOMER } = someIntent();
const BUDGET = budgetId('201');
const TODAY = civilDate('2026-11-20');
const foreign = (expected: bigint, found: bigint) => ({
  customerId: CUSTOMER,
  budgetId: BUDGET,
  accountDay: TODAY,
  expected: micros(expected),
  found: micros(found),
});

describe('our ledger of past budget changes', () => {
  it('lists changes by anyone in the order they became known', async () => {
    const state = await freshStore();
    // Sent first and confirmed last, after another budget's.
    const first = await intentAfter(state, [...UNKNOWN, 'confirmed'], { accountDay: civilDate('2026-11-18') });
    await recordForeignChange(state.db, foreign(34_000_000n, 50_000_000n), NOW_MS);
    await intentAfter(state, APPLIED, { from: micros(50_000_000n), to: micros(45_000_000n), declared: micros(1n) });
    await intentAfter(state, APPLIED, {
      kind: 'undo',
      undoes: first.id,
      from: micros(45_000_000n),
      to: micros(50_000_000n),
    });
    const all = [
      { day: '2026-11-18', by: 'rule', from: 40_000_000n, to: 34_000_000n },
      { day: '2026-11-20', by: 'foreign', from: 34_000_000n, to: 50_000_000n },
      { day: '2026-11-20', by: 'rule', from: 50_000_000n, to: 45_000_000n },
      { day: '2026-11-20', by: 'undo', from: 45_000_000n, to: 50_000_000n },
    ];
    expect(await changesSince(state.db, CUSTOMER, civilDate('2026-11-18'))).toEqual(new Map([[BUDGET, all]]));
    expect(await changesSince(state.db, CUSTOMER, civilDate('2026-11-19'))).toEqual(new Map([[BUDGET, all.slice(1)]]));
    expect(await changesSince(state.db, customerId('1'), civilDate('2026-11-01'))).toEqual(new Map());
    expect(await lastSet(state.db, CUSTOMER)).toMatchObject(
      new Map([[BUDGET, { to: 50_000_000n, declared: undefined }]]),
    );
  });

  it('omits changes that were not made or are in doubt', async () => {
    const state = await freshStore();
    await intentAfter(state, UNKNOWN);
    await intentAfter(state, ['rejected'], { budgetId: budgetId('202') });
    await insertIntent(state.db, undefined, someIntent({ budgetId: budgetId('203') }), NOW_MS);
    expect(await changesSince(state.db, CUSTOMER, civilDate('2026-11-01'))).toEqual(new Map());
    expect(await lastSet(state.db, CUSTOMER)).toEqual(new Map());
  });

  it('orders changes of the same second by event', async () => {
    const state = await freshStore();
    await intentAfter(state, APPLIED);
    await recordForeignChange(state.db, foreign(34_000_000n, 50_000_000n), NOW_MS);
    expect(await lastSet(state.db, CUSTOMER)).toMatchObject(new Map([[BUDGET, { to: 50_000_000n }]]));
  });

  it('orders a change that an upgrade recorded as made by the event of the upgrade', async () => {
    const state = await freshStore();
    await recordForeignChange(state.db, foreign(30_000_000n, 40_000_000n), NOW_MS);
    const old = await intentAfter(state, ['validated', 'sending']);
    await state.db.updateTable('budgetIntent').set({ state: 'applied' }).where('id', '=', old.id).execute();
    const recorded = { intentId: old.id, kind: 'recorded', actor: 'rule trim', detail: { state: 'applied' } } as const;
    await appendEvent(state.db, recorded, NOW_MS);
    expect(await lastSet(state.db, CUSTOMER)).toMatchObject(new Map([[BUDGET, { to: 34_000_000n }]]));
  });
});

describe('a change by someone else', () => {
  it('is recorded once, with its event', async () => {
    const state = await freshStore();
    const declared = { declared: micros(60_000_000n) };
    expect(await recordForeignChange(state.db, { ...foreign(40n, 50n), ...declared }, NOW_MS)).toBe(true);
    expect(await recordForeignChange(state.db, { ...foreign(40n, 50n), ...declared }, NOW_MS)).toBe(false);
    expect(await recordForeignChange(state.db, foreign(50n, 50n), NOW_MS)).toBe(false);
    expect(await lastSet(state.db, CUSTOMER)).toMatchObject(new Map([[BUDGET, { to: 50n, declared: 60_000_000n }]]));
    expect(state.connection.prepare('SELECT kind, actor, detail FROM budget_event').all()).toEqual([
      {
        kind: 'foreign_change',
        actor: 'someone else',
        detail:
          '{"account_day":"2026-11-20","budget_id":"201","customer_id":"1234567890","declared_micros":"60000000","expected_micros":"40","found_micros":"50","version":2}',
      },
    ]);
  });

  it('counts as two if it goes back and forth', async () => {
    const state = await freshStore();
    expect(await recordForeignChange(state.db, foreign(40n, 50n), NOW_MS)).toBe(true);
    expect(await recordForeignChange(state.db, foreign(50n, 40n), NOW_MS)).toBe(true);
    expect(await recordForeignChange(state.db, foreign(40n, 50n), NOW_MS)).toBe(true);
  });
});
