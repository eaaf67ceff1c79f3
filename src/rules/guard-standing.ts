import { doubtWords } from '../domain/amount-in-doubt.ts';
import type { BudgetId } from '../domain/ids.ts';
import { formatMoney, type Micros, smallestUnit } from '../domain/micros.ts';
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
  if (account.frozen !== undefined) return refused('FROZEN', `No budget is changed now: ${account.frozen}.`);
  if (budgetId === undefined) return refused('BUDGET_NOT_KNOWN', `The budget of ${label} is not known.`);
  const budget = account.budgets.get(budgetId);
  if (budget === undefined) return refused('BUDGET_NOT_KNOWN', `The amount of budget ${budgetId} is not known.`);
  const { amount, removed, outcomeOpen } = budget;
  const { currency } = account;
  if (amount <= 0n) {
    return refused(
      'BUDGET_NOT_KNOWN',
      `Budget ${budgetId} shows ${formatMoney(amount, currency)}, which is no amount.`,
    );
  }
  if (removed) return refused('BUDGET_REMOVED', `Budget ${budgetId} was removed.`);
  if (currency === undefined) return refused('CURRENCY_NOT_KNOWN', "The account's currency is not known.");
  const unit = smallestUnit(currency);
  if (unit === undefined) return refused('CURRENCY_NOT_KNOWN', `The smallest amount of ${currency} is not known.`);
  if (outcomeOpen) {
    return refused('OUTCOME_OPEN', `The outcome of an earlier change of budget ${budgetId} is not known yet.`);
  }
  if (budget.inDoubt) {
    return refused('AMOUNT_IN_DOUBT', `Budget ${budgetId} ${doubtWords(budget.inDoubt, currency)}.`);
  }
  return { kind: 'standing', account, budget, currency, unit };
}
