import type { BudgetId } from '../domain/ids.ts';
import { type Micros, smallestUnit } from '../domain/micros.ts';
import type { AccountFacts, BudgetFacts } from './decision.ts';
import { type Refusal, refused } from './refusal.ts';

/** A budget that may be changed at all, by a rule or by a person. */
export interface Standing {
  readonly kind: 'standing';
  readonly account: AccountFacts;
  readonly budget: BudgetFacts;
  readonly currency: string;
  /** The currency's smallest amount, micros. */
  readonly unit: Micros;
}

/**
 * The guards that hold for everybody, in this order: FROZEN, BUDGET_NOT_KNOWN, BUDGET_REMOVED, CURRENCY_NOT_KNOWN,
 * OUTCOME_OPEN, AMOUNT_IN_DOUBT. `label` says for a person whose budget it is where the budget itself is not known.
 */
export function guardStanding(
  budgetId: BudgetId | undefined,
  label: string,
  account: AccountFacts,
): Standing | Refusal {
  const { currency } = account;
  if (account.frozen !== undefined) return refused('FROZEN', { why: account.frozen });
  const budget = budgetId && account.budgets.get(budgetId);
  if (budget === undefined || budget.amount <= 0n) {
    const amount = budget === undefined ? null : String(budget.amount);
    const facts = { subject: label, budgetId: budgetId ?? null, amount, currency: currency ?? null };
    return refused('BUDGET_NOT_KNOWN', facts);
  }
  const { removed, outcomeOpen, inDoubt } = budget;
  if (removed) return refused('BUDGET_REMOVED', { budgetId: budget.budgetId });
  if (currency === undefined) return refused('CURRENCY_NOT_KNOWN', { currency: null });
  const unit = smallestUnit(currency);
  if (unit === undefined) return refused('CURRENCY_NOT_KNOWN', { currency });
  if (outcomeOpen) return refused('OUTCOME_OPEN', { budgetId: budget.budgetId });
  if (inDoubt) {
    const { expected, found, until } = inDoubt;
    const amounts = { expected: String(expected), found: String(found) };
    return refused('AMOUNT_IN_DOUBT', { budgetId: budget.budgetId, ...amounts, until, currency });
  }
  return { kind: 'standing', account, budget, currency, unit };
}
