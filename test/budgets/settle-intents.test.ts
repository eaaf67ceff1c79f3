import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { micros } from '../../src/domain/micros.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import { recordUnfreeze } from '../../src/storage/records/budgets/freeze-record.ts';
import { insertIntent, moveIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { EUR } from '../sandbox/sandbox-client.ts';
import { sample } from '../support/effort.ts';
import { CUT, cut, onChange, onReading, onValidation, type SendPath, saying, sendPath } from './send-path.ts';

const first = (path: SendPath) => path.budgets[0]?.amount ?? 0n;
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
  it('is confirmed by reading if it was made, without a second send', async () => {
    const path = await lost({ kind: 'reset_after' });
    expect(await kinds(path)).toEqual(['confirmed']);
    expect([live(path), path.sends().length, await path.states()]).toEqual([first(path) - CUT, 1, ['confirmed']]);
    expect(await kinds(path)).toEqual([]);
  });

  it('is sent again once with the same amount if it was not made', async () => {
    const path = await lost({ kind: 'reset_before' });
    expect(await kinds(path)).toEqual(['applied']);
    expect([live(path), path.sends().length, await path.states()]).toEqual([first(path) - CUT, 2, ['applied']]);
  });

  it('counts for the day on which it was sent again', async () => {
    const path = await lost({ kind: 'reset_before' });
    const day = path.today();
    path.clock.set('2026-11-21T12:00:00Z');
    await path.settle();
    expect((await path.intents())[0]?.accountDay).toBe(addDays(day, 1));
  });

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

  it('stays in doubt while the service shows no budgets', async () => {
    const path = await lost({ kind: 'reset_after' });
    path.fault = onReading({ kind: 'replace', body: '[]' });
    expect([await kinds(path), await path.states()]).toEqual([['unknown'], ['unknown']]);
    path.fault = undefined;
    expect(await kinds(path)).toEqual(['confirmed']);
  });

  it('is given up if someone else changed the budget', async () => {
    const path = await lost({ kind: 'reset_before' });
    path.sandbox.setBudget(EUR, path.budgets[0]?.budgetId ?? '', micros(99_000_000n));
    expect(await path.settle()).toMatchObject([
      {
        state: 'superseded',
        outcome: expect.stringMatching(/^Expected \d+\.00 EUR, but the budget is now 99\.00 EUR\.$/),
      },
    ]);
    expect([live(path), path.sends().length]).toEqual([99_000_000n, 1]);
  });

  it.each(
    sample<[string, Fault]>([
      ['the interface is down', { kind: 'status', status: 503 }],
      ['the query is refused', { kind: 'status', status: 400 }],
    ]),
  )('stays in doubt while it cannot be checked, and nothing is sent: %s', async (_, fault) => {
    const path = await lost({ kind: 'reset_before' });
    path.fault = onReading(fault);
    expect(await kinds(path)).toEqual(['unknown']);
    expect(await kinds(path)).toEqual(['unknown']);
    expect([path.sends().length, await path.states(), alertCount(path)]).toEqual([1, ['unknown'], 1]);
  });

  it('stays in doubt if the second validation gets no answer', async () => {
    const path = await lost({ kind: 'reset_before' });
    path.fault = onValidation({ kind: 'status', status: 503 });
    expect([await kinds(path), await path.states()]).toEqual([['unknown'], ['unknown']]);
  });

  it('stays in doubt if the second request is refused for now: the first may still arrive', async () => {
    const path = await lost({ kind: 'reset_before' });
    path.fault = onChange(saying(429));
    expect([await kinds(path), await path.states()]).toEqual([['unknown'], ['unknown']]);
  });

  it('is rejected if the budget has its old amount and the service refuses the change', async () => {
    const path = await lost({ kind: 'reset_before' });
    path.fault = onValidation(saying(400));
    expect([await kinds(path), live(path)]).toEqual([['rejected'], first(path)]);
  });

  it.each(sample(['propose', 'approve'] as const))('is not sent again in mode %s', async (mode) => {
    const path = await lost({ kind: 'reset_before' });
    expect(await path.settle(mode)).toMatchObject([
      { state: 'rejected', outcome: 'The change was never made. The rule is no longer allowed to make this change.' },
    ]);
    expect([path.sends().length, live(path)]).toEqual([1, first(path)]);
  });

  it('is confirmed in every mode', async () => {
    expect(await kinds(await lost({ kind: 'reset_after' }), 'propose')).toEqual(['confirmed']);
  });

  it.each(
    sample([
      ['approve', 'applied'],
      ['propose', 'rejected'],
    ] as const),
  )('approved by a person continues in mode %s: %s', async (mode, end) => {
    const path = await sendPath();
    path.fault = onChange({ kind: 'reset_before' });
    await path.change(1, { origin: 'approval', actor: 'approved by anna' });
    path.fault = undefined;
    expect(await kinds(path, mode)).toEqual([end]);
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

  it('is resolved even if its budget has a decision of today, after a clock was set back', async () => {
    const path = await lost({ kind: 'reset_before' });
    const [budget] = path.budgets;
    if (!budget) throw new Error('No budget.');
    const day = path.today();
    const tomorrow = cut(budget, addDays(day, 1));
    const given = await insertIntent(path.state.db, undefined, tomorrow, path.clock.now());
    if (given) await moveIntent(path.state.db, given, { to: 'expired' }, path.clock.now());
    path.clock.set('2026-11-21T12:00:00Z');
    expect(await kinds(path)).toEqual(['applied']);
    expect((await path.intents())[0]?.accountDay).toBe(day);
  });

  it('blocks its budget: no decision is committed for it, today or tomorrow', async () => {
    const path = await lost({ kind: 'reset_before' });
    expect(await path.plan()).toEqual([]);
    path.clock.set('2026-11-21T12:00:00Z');
    expect(await path.plan(2)).toMatchObject([{ budgetId: path.budgets[1]?.budgetId }]);
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

  it('is given up if never sent, and rules may decide again', async () => {
    const path = await diedAt('validated:after-commit');
    expect(await path.states()).toEqual(['validated', 'validated', 'validated']);
    expect(await kinds(path)).toEqual(['expired', 'expired', 'expired']);
    expect(await path.change(3)).toEqual(['applied', 'applied', 'applied']);
    expect(path.sends()).toHaveLength(1);
  });

  it('is confirmed if found made: a batch of three', async () => {
    const path = await diedAt('mutate:after-answer');
    expect(await path.states()).toEqual(['sending', 'sending', 'sending']);
    expect(await kinds(path)).toEqual(['confirmed', 'confirmed', 'confirmed']);
    expect(path.sends()).toHaveLength(1);
    // Nobody was told that the outcome was unknown: by the time that anybody could be, it was known.
    expect(path.rows("SELECT text FROM alert WHERE text LIKE '%may have been made%'")).toEqual([]);
  });

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

describe('an unreadable budget', () => {
  /** A service that has no budgets to show; the settings declare the first. */
  const declaredPath = async () => {
    const path = await sendPath({ strict: true });
    declare(path, first(path));
    return path;
  };
  const declare = (path: SendPath, amount: bigint) => {
    const [budget] = path.budgets;
    if (budget) path.declared = new Map([[budget.budgetId, { amount: micros(amount), campaigns: [] }]]);
  };
  const DECLARED = (path: SendPath) => ({ amountSource: 'declared', declared: micros(first(path)) }) as const;
  const lostDeclared = async (fault: Fault) => {
    const path = await declaredPath();
    path.fault = onChange(fault);
    expect(await path.change(1, DECLARED(path))).toEqual(['unknown']);
    path.fault = undefined;
    return path;
  };

  it('is changed by its declaration and the status of the answer', async () => {
    const path = await declaredPath();
    expect(await path.change(1, DECLARED(path))).toEqual(['applied']);
    expect(live(path)).toBe(first(path) - CUT);
  });

  it.each(sample<Fault>([{ kind: 'reset_before' }, { kind: 'reset_after' }]))(
    'gets the same absolute amount again: %j',
    async (fault) => {
      const path = await lostDeclared(fault);
      expect(await kinds(path)).toEqual(['applied']);
      expect([live(path), path.sends().length]).toEqual([first(path) - CUT, 2]);
    },
  );

  it('stays in doubt if the second request is refused, because the first may have been made', async () => {
    const path = await lostDeclared({ kind: 'reset_after' });
    path.fault = onChange(saying(400));
    expect(await kinds(path)).toEqual(['unknown']);
  });

  it('is left to the person who corrected the declaration', async () => {
    const path = await lostDeclared({ kind: 'reset_before' });
    declare(path, 88_000_000n);
    expect(await kinds(path)).toEqual(['superseded']);
    expect([live(path), path.sends().length]).toEqual([first(path), 1]);
    expect(path.rows('SELECT found_micros, declared_micros FROM foreign_change')).toEqual([
      { found_micros: 88_000_000n, declared_micros: 88_000_000n },
    ]);
  });

  it.each(
    sample([
      ['the old amount', 0n],
      ['the target', CUT],
    ]),
  )('gets its amount again if the declaration was corrected to %s', async (_, less) => {
    const path = await declaredPath();
    path.fault = onChange({ kind: 'reset_before' });
    await path.change(1, { ...DECLARED(path), declared: micros(1_000_000n) });
    path.fault = undefined;
    declare(path, first(path) - less);
    expect(await kinds(path)).toEqual(['applied']);
  });

  it('is not sent again without evidence if its amount was read before', async () => {
    const path = await declaredPath();
    expect(await path.change(1, { amountSource: 'read' })).toEqual(['planned']);
    expect(path.sends()).toEqual([]);
  });
});
