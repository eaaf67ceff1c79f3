import type { BudgetId } from '../../../domain/ids.ts';
import { compare, rational } from '../../../domain/rational.ts';
import { type Mode, narrower } from '../rule.ts';
import { totalsAfter, totalsOf } from './account-totals.ts';
import type { AccountFacts, Decision, RequestedChange } from './decision.ts';
import { guardRequest, type Winner } from './guard.ts';

/**
 * Returns decisions in the order of `requests`, but decides decreases first. Reallocations are last, because a refused one must
 * not win a budget. Accepts at most one change per budget.
 */
export function decideChanges(requests: readonly RequestedChange[], account: AccountFacts, widest: Mode): Decision[] {
  const winners = new Map<BudgetId, Winner>();
  const decisions: Decision[] = [];
  let totals = totalsOf(account);
  for (const { request, place } of inOrder(requests, account)) {
    const winner = request.budgetId && winners.get(request.budgetId);
    const guarded = guardRequest(request, account, totals, winner);
    if (guarded.kind === 'refused') {
      decisions[place] = { kind: 'refused', request, refusal: guarded };
      continue;
    }
    const { standing, to, limitedBy, change, changeWithoutAmounts } = guarded;
    const { budgetId, amount, source } = standing.budget;
    winners.set(budgetId, { rule: request.rule.name, subject: request.subject.label });
    totals = totalsAfter(totals, standing, to);
    decisions[place] = {
      kind: 'change',
      request,
      budgetId,
      from: amount,
      to,
      amountSource: source,
      currency: standing.currency,
      mode: narrower(request.rule.mode, widest),
      limitedBy,
      change,
      reason: `${request.because}; ${change}`,
      reasonWithoutAmounts: `${request.because}; ${changeWithoutAmounts}`,
    };
  }
  return decisions;
}

function inOrder(
  requests: readonly RequestedChange[],
  account: AccountFacts,
): { readonly request: RequestedChange; readonly place: number }[] {
  return requests
    .map((request, place) => ({ request, place, rank: rankOf(request, account) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        byText(a.request.rule.name, b.request.rule.name) ||
        byId(a.request.subject.campaignId, b.request.subject.campaignId) ||
        byId(a.request.budgetId, b.request.budgetId),
    );
}

function rankOf({ rule, target, budgetId }: RequestedChange, account: AccountFacts): number {
  if (rule.change?.kind === 'reallocate') return LAST;
  const budget = budgetId && account.budgets.get(budgetId);
  const direction = target && budget ? compare(target, rational(budget.amount)) : 0;
  return direction < 0 ? 0 : direction > 0 ? 1 : 2;
}

const LAST = 3;

/** Compares code units, so that the order is the same on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Ids have no leading zeros, so a shorter id is smaller. */
function byId(a = '', b = ''): number {
  return a.length - b.length || byText(a, b);
}
