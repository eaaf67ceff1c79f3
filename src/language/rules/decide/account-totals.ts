import type { PastChange } from '../../../domain/budget-change.ts';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { BudgetId } from '../../../domain/ids.ts';
import { highestOf, type Micros } from '../../../domain/micros.ts';
import type { AccountFacts, BudgetFacts } from './decision.ts';
import { type Refusal, type RefusalFacts, refused } from './refusal.ts';

/** Sums over the account's budgets, in micros. A sum can exceed int64. */
export interface AccountTotals {
  readonly daily: bigint;
  readonly highest: bigint;
}

interface Bounded {
  readonly account: AccountFacts;
  readonly budget: BudgetFacts;
  readonly currency: string | undefined;
}

/** The service can spend twice a budget's highest amount in one day. */
const EXPOSURE_FACTOR = 2n;

export function totalsOf(account: AccountFacts): AccountTotals {
  let daily = 0n;
  let highest = 0n;
  for (const budget of account.budgets.values()) {
    daily += dailyOf(budget);
    highest += highestOfDay(budget, account.today);
  }
  return { daily, highest };
}

/** Counts only increases, because a decrease can still be refused. */
export function totalsAfter(totals: AccountTotals, { account, budget }: Bounded, to: Micros): AccountTotals {
  return {
    daily: totals.daily + above(to, dailyOf(budget)),
    highest: totals.highest + above(to, highestOfDay(budget, account.today)),
  };
}

/** Returns undefined if the amount is allowed or the budget is unknown. */
export function guardTotalsOf(account: AccountFacts, budgetId: BudgetId, to: Micros): Refusal | undefined {
  const budget = account.budgets.get(budgetId);
  return budget && guardTotals(totalsOf(account), { account, budget, currency: account.currency }, to);
}

/** Refuses an increase with TOTAL_UNKNOWN, ACCOUNT_TOTAL or EXPOSURE. */
export function guardTotals(totals: AccountTotals, standing: Bounded, to: Micros): Refusal | undefined {
  const { account, budget, currency } = standing;
  if (to <= budget.amount) return undefined;
  const after = totalsAfter(totals, standing, to);
  const { dailyTotalMax, dailyExposureMax } = account;
  // An increase up to today's highest amount does not raise today's possible cost.
  const isBounded = dailyTotalMax !== undefined || (dailyExposureMax !== undefined && after.highest > totals.highest);
  const [unknown] = unknownAmounts(account);
  if (isBounded && unknown !== undefined) return refused('TOTAL_UNKNOWN', unknown);
  const beyond = (sum: bigint, most: Micros) => ({
    from: String(budget.amount),
    to: String(to),
    sum: String(sum),
    most: String(most),
    currency: currency ?? null,
  });
  if (dailyTotalMax !== undefined && after.daily > dailyTotalMax) {
    return refused('ACCOUNT_TOTAL', beyond(after.daily, dailyTotalMax));
  }
  const exposure = EXPOSURE_FACTOR * after.highest;
  if (dailyExposureMax !== undefined && after.highest > totals.highest && exposure > dailyExposureMax) {
    return refused('EXPOSURE', beyond(exposure, dailyExposureMax));
  }
  return undefined;
}

function unknownAmounts({ unreadable = [], budgets }: AccountFacts): readonly RefusalFacts['TOTAL_UNKNOWN'][] {
  const empty = [...budgets.values()].filter(({ amount, removed }) => amount <= 0n && !removed);
  return [
    ...unreadable.map(({ budgetId, total }) => (total === undefined ? { budgetId } : { budgetId, isTotal: true })),
    ...empty.map(({ budgetId }) => ({ budgetId })),
  ];
}

function dailyOf({ removed, amount, mayBecome = amount }: BudgetFacts): bigint {
  return removed ? 0n : highestOf<bigint>(0n, amount, mayBecome);
}

function highestOfDay(budget: BudgetFacts, today: CivilDate): bigint {
  const amounts = budget.changes.filter(({ day }) => day >= today).flatMap(({ from, to }) => [from, to]);
  return highestOf(dailyOf(budget), ...amounts);
}

function above(amount: bigint, base: bigint): bigint {
  return amount > base ? amount - base : 0n;
}

/** `changes` must include every change since the start of `day`, oldest first. */
export function highestOn(day: CivilDate, amountNow: Micros, changes: readonly PastChange[]): Micros {
  const atItsEnd = changes.find((change) => change.day > day)?.from ?? amountNow;
  return highestOf(atItsEnd, ...changes.filter((one) => one.day === day).flatMap(({ from, to }) => [from, to]));
}
