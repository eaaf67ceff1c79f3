import type { BudgetId } from '../domain/ids.ts';
import { formatMoney, type Micros } from '../domain/micros.ts';
import { rational } from '../domain/rational.ts';
import { guardTotals, totalsOf } from './account-totals.ts';
import type { AccountFacts } from './decision.ts';
import { outsideOf } from './guard-limits.ts';
import { guardPlausible } from './guard-plausible.ts';
import { guardStanding, type Standing } from './guard-standing.ts';
import { floorAndCeiling } from './limit-bounds.ts';
import { type Refusal, refused } from './refusal.ts';

/** The amount that a person approves, or goes back to. */
export interface FixedAmount {
  readonly budgetId: BudgetId;
  /** What the budget showed when it was decided on, and must still show. */
  readonly from: Micros;
  readonly to: Micros;
  /** The limits that were stored with the decision. */
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
}

/**
 * The guards on a person's approval or undo, in order: those of `guardStanding`, FOREIGN_CHANGE (the budget does not show
 * `from`), NO_CHANGE, NOT_POSITIVE, UNIT_SANITY, OUTSIDE_LIMITS (floor, ceiling, no multiple of the smallest unit), and
 * for an increase ACCOUNT_TOTAL and EXPOSURE. The amount is never altered: a person agreed to this one.
 */
export function guardFixedAmount(wanted: FixedAmount, account: AccountFacts): Standing | Refusal {
  const { budgetId, from, to, floor, ceiling } = wanted;
  const standing = guardStanding(budgetId, `budget ${budgetId}`, account);
  if (standing.kind === 'refused') return standing;
  const { budget, currency, unit } = standing;
  const money = (amount: Micros) => formatMoney(amount, currency);
  if (budget.amount !== from) {
    const reason = `Budget ${budgetId} is at ${money(budget.amount)} and not at ${money(from)} any more: it was changed since.`;
    return refused('FOREIGN_CHANGE', reason);
  }
  const text = `set budget to ${money(to)}`;
  if (to === from) return refused('NO_CHANGE', `"${text}" leaves ${money(from)} as it is.`);
  const refusal =
    guardPlausible(rational(to), from, currency, text) ??
    outsideOf(to, floorAndCeiling(floor, ceiling, currency), currency) ??
    (to % unit === 0n
      ? undefined
      : refused('OUTSIDE_LIMITS', `${money(to)} is no multiple of ${money(unit)}, the smallest amount.`)) ??
    guardTotals(totalsOf(account), standing, to);
  return refusal ?? standing;
}
