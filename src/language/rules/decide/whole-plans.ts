import type { Decision } from './decision.ts';
import { type Refusal, refused } from './refusal.ts';

/**
 * Refuses all changes of a reallocation if one of them is refused, limited or missing. The others would change the total of its
 * budgets. `decisions` are those of all accounts.
 */
export function wholePlans(decisions: readonly Decision[]): (decision: Decision) => Decision {
  const ofPlans = decisions.filter(({ request: { rule } }) => rule.change?.kind === 'reallocate');
  const broken = new Map<string, Refusal>();
  for (const [rule, own] of Map.groupBy(ofPlans, ({ request }) => request.rule.name)) {
    const first = own.find((one) => one.kind === 'refused');
    const difference = own.reduce((sum, one) => (one.kind === 'change' ? sum + one.to - one.from : sum), 0n);
    if (first === undefined && difference === 0n) continue;
    const { request, refusal } = first ?? { request: own.find(isLimited)?.request, refusal: undefined };
    broken.set(
      rule,
      refused('PLAN_INCOMPLETE', { rule, budgetId: request?.budgetId ?? null, code: refusal?.code ?? null }),
    );
  }
  return (decision) => {
    const refusal = decision.kind === 'change' ? broken.get(decision.request.rule.name) : undefined;
    return refusal === undefined ? decision : { kind: 'refused', request: decision.request, refusal };
  };
}

const isLimited = (one: Decision): boolean => one.kind === 'change' && one.limitedBy !== undefined;
