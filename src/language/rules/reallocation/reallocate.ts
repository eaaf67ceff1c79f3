import type { BudgetId } from '../../../domain/ids.ts';
import { type Micros, micros, roundDownToUnit } from '../../../domain/micros.ts';
import { compare, multiply, rational } from '../../../domain/rational.ts';
import { larger, smaller } from '../pacing/paced-budgets.ts';
import { boundsInUnits } from '../pacing/share-amount.ts';
import type { Limits } from '../rule.ts';
import type { MeasuredBudget } from './measured-budget.ts';

/**
 * The worst budget gives to the best, then the next ones, until both meet. No budget gives or receives more than the step, and
 * nothing is given that no budget can receive. So the total is the same to the micro. Returns the new amounts. Text says why
 * nothing moves.
 */
export function reallocate(
  budgets: readonly MeasuredBudget[],
  { floor, ceiling, step = rational(0n) }: Pick<Limits, 'floor' | 'ceiling' | 'step'>,
  unit: Micros,
): ReadonlyMap<BudgetId, Micros> | string {
  const unknown = budgets.find(({ value }) => value === undefined);
  if (unknown !== undefined) return unknown.words;
  const uneven = budgets.find(({ amount }) => amount <= 0n || amount % unit !== 0n);
  if (uneven !== undefined) return `the amount of budget ${uneven.budgetId} is not a multiple of the smallest amount`;
  const bounds = boundsInUnits({ floor, ceiling }, unit);
  const worstFirst = budgets
    .map(({ budgetId, amount, value = rational(0n) }) => {
      const most = roundDownToUnit(multiply(rational(amount), step), unit);
      const gives = bounds.floor === undefined ? most : smaller(most, larger(amount - bounds.floor, 0n));
      const takes = bounds.ceiling === undefined ? most : smaller(most, larger(bounds.ceiling - amount, 0n));
      return { budgetId, amount, value, gives, takes, to: BigInt(amount) };
    })
    .sort((one, other) => compare(one.value, other.value));
  const why = whyNothing(worstFirst);
  if (why !== undefined) return why;
  for (let low = 0, high = worstFirst.length - 1; low < high; ) {
    const giver = worstFirst[low];
    const taker = worstFirst[high];
    if (giver === undefined || taker === undefined || compare(giver.value, taker.value) === 0) break;
    const part = smaller(giver.gives, taker.takes);
    giver.gives -= part;
    giver.to -= part;
    taker.takes -= part;
    taker.to += part;
    if (giver.gives === 0n) low += 1;
    if (taker.takes === 0n) high -= 1;
  }
  const moved = worstFirst.filter(({ amount, to }) => to !== amount);
  if (moved.length === 0) return 'no amount can move within the step, the floor and the ceiling';
  return new Map(moved.map(({ budgetId, to }) => [budgetId, micros(to)]));
}

function whyNothing(worstFirst: readonly Pick<MeasuredBudget, 'budgetId' | 'value'>[]): string | undefined {
  const [worst] = worstFirst;
  const best = worstFirst.at(-1);
  if (worst?.value === undefined || best?.value === undefined) return 'none of its budgets is running';
  if (worst === best) return `only budget ${worst.budgetId} is running`;
  return compare(worst.value, best.value) === 0 ? 'all budgets have the same value' : undefined;
}
