import { describe, expect, it } from 'vitest';
import type { BudgetDeps } from '../../src/budgets/budget-deps.ts';
import { proveInDoubt, type SendOutcome } from '../../src/budgets/carry-out.ts';
import type { Entry } from '../../src/budgets/check-intents.ts';
import { type BudgetId, budgetId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { freshState, someIntent } from '../support/state.ts';
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

async function prove(said: Said, entries: readonly Entry[], outcomes: readonly SendOutcome[], declares = false) {
  const declared = new Map(declares ? [[budgetId('201'), { amount: micros(40_000_000n), campaigns: [] }]] : []);
  const other: Partial<BudgetDeps> = { state: await freshState(), declared: () => declared };
  const { deps, asked } = answering([said], other);
  const given = new Map<BudgetId, SendOutcome>(
    entries.flatMap(({ intent }, index) => (outcomes[index] ? [[intent.budgetId, outcomes[index]]] : [])),
  );
  const proven = await proveInDoubt(deps, someIntent().customerId, entries, given);
  const words = [...proven.values()].map((one) => (one.kind === 'failed' ? one.error.message : one.kind));
  return { given, proven, words, asked };
}

describe('a success that names no budget', () => {
  it('is believed when the budget shows the amount', async () => {
    expect((await prove(showing('34000000'), [entry('201')], [SILENT])).words).toEqual(['accepted']);
  });

  it('is doubted when the budget shows another', async () => {
    const { words, proven } = await prove(showing('40000000'), [entry('201')], [SILENT]);
    expect(words).toEqual([expect.stringContaining('without naming a budget, and the budget shows 40.00 EUR')]);
    expect([...proven.values()]).toMatchObject([{ kind: 'failed', error: { outcome: 'unknown', transient: false } }]);
  });

  it('is doubted when the budget is not among those that are shown', async () => {
    const { words } = await prove(showing('34000000'), [entry('999')], [SILENT]);
    expect(words).toEqual([expect.stringContaining('the budget shows no amount')]);
  });

  it('is doubted when the budgets cannot be read', async () => {
    const { words, proven } = await prove([503, 'No.'], [entry('201')], [SILENT]);
    expect(words).toEqual([
      expect.stringMatching(
        /^The service reported success without naming a budget, and the budgets could not be read: [^.]+/,
      ),
    ]);
    expect(words[0]).not.toMatch(/\.\./);
    expect([...proven.values()]).toMatchObject([{ kind: 'failed', error: { outcome: 'unknown' } }]);
  });

  it('is believed where the budget never could be read, and doubted where it could', async () => {
    expect((await prove(NO_BUDGETS, [entry('201', 'declared')], [SILENT], true)).words).toEqual(['accepted']);
    expect((await prove(NO_BUDGETS, [entry('201', 'read')], [SILENT], true)).words).toEqual([
      expect.stringContaining('the budget shows no amount'),
    ]);
  });
});

describe('what needs no proof', () => {
  it.each<[string, readonly SendOutcome[]]>([
    ['a success that names the budget', [NAMED]],
    ['what was not sent', [STOPPED]],
    ['what has no answer', []],
  ])('%s', async (_, outcomes) => {
    const { given, proven, asked } = await prove(showing('40000000'), [entry('201')], outcomes);
    expect([proven === given, asked]).toEqual([true, []]);
  });

  it('stays as it was beside what needs one', async () => {
    const entries = [entry('201'), entry('202'), entry('203')];
    const { words, asked } = await prove(showing('34000000'), entries, [SILENT, NAMED, STOPPED]);
    expect([words, asked]).toEqual([['accepted', 'accepted', 'stopped'], ['read']]);
  });
});

it('an error that is no answer is nobody’s outcome', async () => {
  await expect(prove(new TypeError('broken'), [entry('201')], [SILENT])).rejects.toThrow('broken');
});
