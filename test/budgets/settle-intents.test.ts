import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { micros } from '../../src/domain/micros.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import { recordUnfreeze } from '../../src/storage/records/budgets/freeze-record.ts';
import { insertIntent, moveIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { CUT, cut, onChange, onReading, type SendPath, sendPath } from './send-path.ts';

const live = (path: SendPath) => path.amounts()[0];
const kinds = async (path: SendPath, mode?: 'propose' | 'approve' | 'apply') =>
  (await path.settle(mode)).map(({ state }) => state);
const alertCount = (path: SendPath) => path.rows('SELECT id FROM alert').length;

/** A change that is unknown: made (`reset_after`) or not. */
async function lost(fault: Fault, count = 1): Promise<SendPath> {
  const path = await sendPath();
  path.fault = onChange(fault);
  expect(await path.change(count)).toEqual(Array(count).fill('unknown'));
  path.fault = undefined;
  return path;
}

describe('a change in doubt', () => {
  it('is resolved together with others, each by its own amount', async () => {
    const path = await lost({ kind: 'reset_before' }, 3);
    const [one, two] = path.budgets;
    path.sandbox.setBudget(EUR, one?.budgetId ?? '', micros((one?.amount ?? 0n) - CUT));
    path.sandbox.setBudget(EUR, two?.budgetId ?? '', micros(99_000_000n));
    expect(await kinds(path)).toEqual(['confirmed', 'superseded', 'applied']);
    expect(path.sends().at(-1)).toEqual([path.budgets[2]?.budgetId]);
    expect(path.rows('SELECT budget_id, found_micros FROM foreign_change')).toEqual([
      { budget_id: BigInt(two?.budgetId ?? 0), found_micros: 99_000_000n },
    ]);
  });

  it('is read but not sent while budgets are frozen, and continues when unfrozen', async () => {
    const path = await lost({ kind: 'reset_before' }, 2);
    const [one] = path.budgets;
    path.sandbox.setBudget(EUR, one?.budgetId ?? '', micros((one?.amount ?? 0n) - CUT));
    const file = join(path.folder, 'FREEZE');
    writeFileSync(file, '');
    expect(await kinds(path)).toEqual(['confirmed', 'unknown']);
    expect(path.sends()).toHaveLength(1);
    rmSync(file);
    await recordUnfreeze(path.state.db, { by: 'anna', why: 'over' }, path.clock.now());
    expect(await kinds(path)).toEqual(['applied']);
  });

  it('shows its result to a second intent of the same budget', async () => {
    const path = await lost({ kind: 'reset_before' });
    const [budget] = path.budgets;
    if (!budget) throw new Error('No budget.');
    const { db } = path.state;
    const later = cut(budget, addDays(path.today(), 1), { to: micros(budget.amount - 2n * CUT) });
    let second = await insertIntent(db, undefined, later, path.clock.now());
    for (const to of ['validated', 'sending', 'unknown'] as const) {
      second = second && (await moveIntent(db, second, { to }, path.clock.now()));
    }
    expect(await kinds(path)).toEqual(['applied', 'superseded']);
    expect(live(path)).toBe(budget.amount - CUT);
  });
});

describe('a change of a dead process', () => {
  /** Plans, and dies at the place. */
  const diedAt = async (point: string, fault?: SendPath['fault']) => {
    const path = await sendPath();
    path.fault = fault;
    path.passes = (passed) => {
      if (passed === point) throw new Error('died');
    };
    await expect(path.change(3)).rejects.toThrow('died');
    path.passes = () => undefined;
    path.fault = undefined;
    await path.restart();
    return path;
  };

  it('is sent again only for the part that was not made', async () => {
    const errorCode = { databaseError: 'CONCURRENT_MODIFICATION' };
    const path = await diedAt('mutate:after-answer', onChange({ kind: 'refuse_operations', indexes: [1], errorCode }));
    expect(await kinds(path)).toEqual(['confirmed', 'applied', 'confirmed']);
    expect(path.sends().map((ids) => ids.length)).toEqual([3, 1]);
    expect(path.amounts().slice(0, 3)).toEqual(path.budgets.slice(0, 3).map(({ amount }) => amount - CUT));
  });

  it('is in doubt and reported if it cannot be read', async () => {
    const path = await diedAt('sending:after-commit');
    path.fault = onReading({ kind: 'status', status: 503 });
    expect(await kinds(path)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(await path.states()).toEqual(['unknown', 'unknown', 'unknown']);
    expect(alertCount(path)).toBe(3);
  });
});
