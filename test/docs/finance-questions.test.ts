import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { recordForeignChange } from '../../src/storage/records/budgets/foreign-change-table.ts';
import { upsertAccounts } from '../../src/storage/records/runs/account-table.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { APPLIED, freshState, intentAfter, NOW_MS, UNKNOWN } from '../support/state.ts';
import { questionsOf } from './bi-page.ts';

const ACCOUNT = {
  customerId: customerId('1234567890'),
  name: 'Alpenkontor',
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
};

/** A month of changes: one before it, one that was taken back, one of two campaigns, one nobody knows of, one by others. */
async function answers(): Promise<Map<number, Record<string, unknown>[]>> {
  const state = await freshState();
  const { db } = state;
  await upsertAccounts(db, [ACCOUNT], NOW_MS);
  await intentAfter(state, APPLIED, { accountDay: civilDate('2026-10-31') });
  const cut = await intentAfter(state, APPLIED);
  const back = {
    kind: 'undo',
    undoes: cut.id,
    actor: 'anna',
    from: cut.to,
    to: cut.from,
    reason: 'sale ends later',
  } as const;
  await intentAfter(state, APPLIED, back);
  const shared = { budgetId: budgetId('202'), campaignId: undefined, campaignName: undefined };
  await intentAfter(state, [...UNKNOWN, 'confirmed'], { ...shared, to: micros(44_500_000n) });
  await intentAfter(state, UNKNOWN, { budgetId: budgetId('203'), campaignName: 'Maps' });
  const stopped = await intentAfter(state, ['superseded'], { budgetId: budgetId('204'), campaignName: 'Tents' });
  const seen = { customerId: ACCOUNT.customerId, accountDay: civilDate('2026-11-20') };
  const tents = { budgetId: budgetId('204'), expected: micros(40_000_000n), found: micros(55_250_000n) };
  await recordForeignChange(db, { ...seen, ...tents, intentId: stopped.id }, NOW_MS);
  const path = join(dirname(state.path), 'warehouse.sqlite');
  await publishWarehouse(state, { path, nowMs: NOW_MS, describe: () => undefined });
  const file = new Database(path, { readonly: true });
  try {
    const rows = (sql: string) => file.prepare(sql).all() as Record<string, unknown>[];
    return new Map([...questionsOf('Three questions from finance')].map(([number, sql]) => [number, rows(sql)]));
  } finally {
    file.close();
  }
}

describe('the three questions of finance', () => {
  it('are answered by the SQL in docs/bi.md', async () => {
    const answer = await answers();
    expect([...answer.keys()]).toEqual([11, 12, 13]);
    const euros = { account: 'Alpenkontor', currency: 'EUR' };
    expect(answer.get(11)).toEqual([
      expect.objectContaining({
        ...euros,
        change: 'B2',
        budget: 'Trail Shoes',
        from_amount: 40,
        to_amount: 34,
        difference: -6,
        actor: 'rule trim@1f2e3d4c5b6a',
        reason: 'cost / clicks = 2.71 > 2.50',
        undone: 'B3 by anna',
      }),
      expect.objectContaining({
        ...euros,
        change: 'B3',
        budget: 'Trail Shoes',
        difference: 6,
        actor: 'anna',
        undone: null,
        reason: 'sale ends later',
      }),
      expect.objectContaining({ ...euros, change: 'B4', budget: 'budget 202', difference: 4.5, undone: null }),
    ]);
    expect(answer.get(12)).toEqual([
      expect.objectContaining({
        ...euros,
        change: 'B5',
        budget: 'Maps',
        from_amount: 40,
        to_amount: 34,
        at_most: 40,
        since: '2026-11-20 12:00:03.000',
      }),
    ]);
    expect(answer.get(13)).toEqual([
      {
        ...euros,
        seen_at: '2026-11-20 12:00:00.000',
        budget: 'Tents',
        expected_amount: 40,
        found_amount: 55.25,
        difference: 15.25,
        stopped: 'B6',
      },
    ]);
  });
});
