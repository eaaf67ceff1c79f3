import type { BudgetId } from '../../domain/ids.ts';
import { compare, rational } from '../../domain/rational.ts';
import { type Mode, narrower } from '../rule.ts';
import { totalsAfter, totalsOf } from './account-totals.ts';
import type { AccountFacts, Decision, Wish } from './decision.ts';
import { guardWish, type Winner } from './guard.ts';

/**
 * Returns decisions in the given order. Decides decreases first, then by the rule's file name, then by campaign id. The
 * first change that passes the guards wins its budget; later ones are refused. The account's totals count earlier
 * decisions. `widest` limits the mode of every rule.
 */
export function decideChanges(wishes: readonly Wish[], account: AccountFacts, widest: Mode): Decision[] {
  const winners = new Map<BudgetId, Winner>();
  const decisions: Decision[] = [];
  let totals = totalsOf(account);
  for (const { wish, place } of inOrder(wishes, account)) {
    const winner = wish.budgetId && winners.get(wish.budgetId);
    const guarded = guardWish(wish, account, totals, winner);
    if (guarded.kind === 'refused') {
      decisions[place] = { kind: 'refused', wish, refusal: guarded };
      continue;
    }
    const { standing, to, limitedBy, change, changeWithoutAmounts } = guarded;
    const { budgetId, amount, source } = standing.budget;
    winners.set(budgetId, { rule: wish.rule.name, subject: wish.subject.label });
    totals = totalsAfter(totals, standing, to);
    decisions[place] = {
      kind: 'change',
      wish,
      budgetId,
      from: amount,
      to,
      amountSource: source,
      currency: standing.currency,
      mode: narrower(wish.rule.mode, widest),
      limitedBy,
      change,
      reason: `${wish.because}; ${change}`,
      reasonWithoutAmounts: `${wish.because}; ${changeWithoutAmounts}`,
    };
  }
  return decisions;
}

function inOrder(wishes: readonly Wish[], account: AccountFacts): { readonly wish: Wish; readonly place: number }[] {
  return wishes
    .map((wish, place) => ({ wish, place, rank: rankOf(wish, account) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        byText(a.wish.rule.name, b.wish.rule.name) ||
        byId(a.wish.subject.campaignId, b.wish.subject.campaignId) ||
        byId(a.wish.budgetId, b.wish.budgetId),
    );
}

function rankOf({ target, budgetId }: Wish, account: AccountFacts): 0 | 1 | 2 {
  const budget = budgetId && account.budgets.get(budgetId);
  const direction = target && budget ? compare(target, rational(budget.amount)) : 0;
  return direction < 0 ? 0 : direction > 0 ? 1 : 2;
}

/** By code units, the same on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Ids have no leading zeros, so the shorter one is smaller. A subject of several campaigns sorts first. */
function byId(a = '', b = ''): number {
  return a.length - b.length || byText(a, b);
}
