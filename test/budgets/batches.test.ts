import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { batchesOf } from '../../src/engine/budgets/carry-out.ts';
import type { Intent } from '../../src/storage/records/budgets/intent-table.ts';

const intentsOf = (budgets: readonly number[]) =>
  budgets.map((budget, index) => ({ id: BigInt(index), budgetId: budgetId(String(budget)) })) as Intent[];
const shown = (budgets: readonly number[], most: number) =>
  batchesOf(intentsOf(budgets), most).map((batch) => batch.map(({ id }) => Number(id)));

describe('batches', () => {
  it.each<[string, readonly number[], number, readonly (readonly number[])[]]>([
    ['are empty without changes', [], 2, []],
    ['are as full as the limit allows', [1, 2, 3, 4, 5], 2, [[0, 1], [2, 3], [4]]],
    ['contain a budget once, and its second intent later', [1, 1], 10, [[0], [1]]],
    ['fill up while a budget waits', [1, 1, 2], 2, [[0, 2], [1]]],
    ['skip full batches', [1, 2, 1, 3, 1], 2, [[0, 1], [2, 3], [4]]],
    [
      'that are full in the middle move a second intent further back',
      [1, 2, 1, 3, 2, 4],
      2,
      [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
    ],
    ['contain one change with a limit of one', [1, 2, 1], 1, [[0], [1], [2]]],
  ])('%s', (_, budgets, most, expected) => {
    expect(shown(budgets, most)).toEqual(expected);
  });

  it('lose nothing, repeat no budget, keep order and limit, and are never empty', () => {
    const budgets = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(budgets, fc.integer({ min: 1, max: 4 }), (wanted, most) => {
        const batches = shown(wanted, most);
        expect(batches.flat().sort((a, b) => a - b)).toEqual(wanted.map((_, index) => index));
        for (const batch of batches) {
          expect(batch.length >= 1 && batch.length <= most).toBe(true);
          expect(new Set(batch.map((index) => wanted[index])).size).toBe(batch.length);
        }
        for (const budget of new Set(wanted)) {
          const order = batches.flat().filter((index) => wanted[index] === budget);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});
