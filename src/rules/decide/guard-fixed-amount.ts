import type { BudgetId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { rational } from '../../domain/rational.ts';
import { guardTotals, totalsOf } from './account-totals.ts';
import type { AccountFacts } from './decision.ts';
import { floorAndCeiling, guardPlausible, guardStanding, outsideOf, type Standing } from './guard.ts';
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
  if (budget.amount !== from) {
    const amounts = { from: String(from), to: String(budget.amount), currency };
    return refused('FOREIGN_CHANGE', { budgetId, ...amounts, until: null });
  }
  if (to === from) {
    return refused('NO_CHANGE', { change: null, amount: String(from), currency, unit: null, limit: null });
  }
  const refusal =
    guardPlausible(rational(to), from, currency, null) ??
    outsideOf(to, floorAndCeiling(floor, ceiling), currency) ??
    (to % unit === 0n ? undefined : refused('OUTSIDE_LIMITS', { to: String(to), currency, unit: String(unit) })) ??
    guardTotals(totalsOf(account), standing, to);
  return refusal ?? standing;
}
