import { describe, expect, it } from 'vitest';
import { type BudgetId, budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { BudgetDeps } from '../../src/engine/budgets/budget-deps.ts';
import { proveInDoubt, type SendOutcome } from '../../src/engine/budgets/carry-out.ts';
import type { Entry } from '../../src/engine/budgets/check-intents.ts';
import { fakeClock } from '../support/fake-time.ts';
import { type AnyStore, APPLIED, freshStore, intentAfter, someIntent } from '../support/state.ts';
import { answering, type Said, showing } from './answering.ts';

const SILENT = { kind: 'accepted', named: false, requestId: undefined } as const;
const NAMED = { ...SILENT, named: true } as const;
const STOPPED = { kind: 'stopped' } as const;

/** A sent change of the budget from 40.00 to 34.00 EUR. */
function entry(id: string, amountSource: 'read' | 'declared' = 'read'): Entry {
  const intent = { ...someIntent({ budgetId: budgetId(id), amountSource }), id: 1n } as Entry['intent'];
  return { intent, sentBefore: false, provenUnmade: true, read: {} };
}

const NO_BUDGETS: Said = [200, []];

async function prove(
  said: Said,
  entries: readonly Entry[],
  outcomes: readonly SendOutcome[],
  { declares = false, state = undefined as AnyStore | undefined } = {},
) {
  const declared = new Map(declares ? [[budgetId('201'), { amount: micros(40_000_000n), campaigns: [] }]] : []);
  const clock = fakeClock('2026-11-20T12:00:00Z');
  const other: Partial<BudgetDeps> = { state: state ?? (await freshStore()), clock, declared: () => declared };
  const { deps, asked } = answering([said], other);
  const given = new Map<BudgetId, SendOutcome>(
    entries.flatMap(({ intent }, index) => (outcomes[index] ? [[intent.budgetId, outcomes[index]]] : [])),
  );
  const proven = await proveInDoubt(deps, someIntent().customerId, entries, given);
  const words = [...proven.values()].map((one) => (one.kind === 'failed' ? one.error.message : one.kind));
  return { given, proven, words, asked };
}

describe('a success without a budget name', () => {
  it('is accepted if the budget shows the amount', async () => {
    expect((await prove(showing('34000000'), [entry('201')], [SILENT])).words).toEqual(['accepted']);
  });

  it('is in doubt if the budget shows another amount', async () => {
    const { words, proven } = await prove(showing('40000000'), [entry('201')], [SILENT]);
    expect(words).toEqual([expect.stringContaining('without naming a budget, and the budget shows 40.00 EUR')]);
    expect([...proven.values()]).toMatchObject([{ kind: 'failed', error: { outcome: 'unknown', transient: false } }]);
  });

  it('is in doubt if the amount may be an old reading: the budget had it until a minute ago', async () => {
    const state = await freshStore();
    const earlier = { from: micros(34_000_000n), to: micros(40_000_000n), accountDay: civilDate('2026-11-19') };
    await intentAfter(state, APPLIED, { ...earlier, budgetId: budgetId('201') });
    const { words } = await prove(showing('34000000'), [entry('201')], [SILENT], { state });
    expect(words).toEqual([expect.stringContaining('the budget shows 34.00 EUR')]);
  });

  it('is in doubt if the budget is not shown', async () => {
    const { words } = await prove(showing('34000000'), [entry('999')], [SILENT]);
    expect(words).toEqual([expect.stringContaining('the budget shows no amount')]);
  });

  it('is in doubt if the budgets cannot be read', async () => {
    const { words, proven } = await prove([503, 'No.'], [entry('201')], [SILENT]);
    expect(words).toEqual([
      expect.stringMatching(
        /^The service reported success without naming a budget, and the budgets could not be read: [^.]+/,
      ),
    ]);
    expect(words[0]).not.toMatch(/\.\./);
    expect([...proven.values()]).toMatchObject([{ kind: 'failed', error: { outcome: 'unknown' } }]);
  });

  it('is accepted if the budget was never readable, and in doubt if it was', async () => {
    expect((await prove(NO_BUDGETS, [entry('201', 'declared')], [SILENT], { declares: true })).words).toEqual([
      'accepted',
    ]);
    expect((await prove(NO_BUDGETS, [entry('201', 'read')], [SILENT], { declares: true })).words).toEqual([
      expect.stringContaining('the budget shows no amount'),
    ]);
  });
});

describe('an outcome without need of proof', () => {
  it.each<[string, readonly SendOutcome[]]>([
    ['a success that names the budget', [NAMED]],
    ['an unsent change', [STOPPED]],
    ['no answer', []],
  ])('%s', async (_, outcomes) => {
    const { given, proven, asked } = await prove(showing('40000000'), [entry('201')], outcomes);
    expect([proven === given, asked]).toEqual([true, []]);
  });

  it('stays unchanged beside one that needs proof', async () => {
    const entries = [entry('201'), entry('202'), entry('203')];
    const { words, asked } = await prove(showing('34000000'), entries, [SILENT, NAMED, STOPPED]);
    expect([words, asked]).toEqual([['accepted', 'accepted', 'stopped'], ['read']]);
  });
});

it('an internal error is no outcome of a change', async () => {
  await expect(prove(new TypeError('broken'), [entry('201')], [SILENT])).rejects.toThrow('broken');
});
