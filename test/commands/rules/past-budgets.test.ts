import { expect, it } from 'vitest';
import { type BudgetId, budgetId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { pastBudgets } from '../../../src/engine/trial/past-account.ts';
import { highestOn } from '../../../src/language/rules/decide/account-totals.ts';
import { ruleOf } from '../../rules/rule-fixtures.ts';
import { APPLIED, freshState, intentAfter, someIntent } from '../../support/state.ts';

it('past budgets include the amounts on earlier days that were not complete then', async () => {
  const state = await freshState();
  const intent = await intentAfter(state, APPLIED, { accountDay: civilDate('2026-11-12') });
  const hidden = { budgetId: budgetId('909'), campaigns: [], total: undefined };
  const book = {
    amounts: new Map([[budgetId('201'), intent.to]]),
    byCampaign: new Map(),
    removed: new Set<BudgetId>(),
    unreadable: new Map([[hidden.budgetId, hidden]]),
  };
  const rule = ruleOf({ over: 'yesterday', when: 'clicks >= 1', change: 'decrease budget by 10%' });
  const day = civilDate('2026-11-15');
  const { budgets, unreadable } = await pastBudgets(
    { state },
    book,
    someIntent().customerId,
    { from: day, to: day },
    rule,
    3,
  );
  const [budget] = budgets;
  expect([budget?.amount, unreadable]).toEqual([34_000_000n, [hidden]]);
  // The 12th began with the amount of before, and may have cost as much.
  expect(highestOn(civilDate('2026-11-12'), budget?.amount ?? intent.to, budget?.changes ?? [])).toBe(40_000_000n);
});
