import { describe, expect, it } from 'vitest';
import type { AccountFacts, BudgetFacts } from '../../../src/language/rules/decide/decision.ts';
import { guardFixedAmount } from '../../../src/language/rules/decide/guard.ts';
import type { RefusalCode } from '../../../src/language/rules/decide/refusal.ts';
import { refusalWords } from '../../../src/language/rules/decide/refusal-words.ts';
import { stored } from './guard-case.ts';
import { accountOf, B71, B72, budgetOf, money, past } from './guard-fixtures.ts';

interface FixedCase {
  readonly from?: string;
  readonly to?: string;
  readonly floor?: string;
  readonly ceiling?: string;
  readonly budget?: Partial<BudgetFacts>;
  readonly account?: Partial<AccountFacts>;
}

function guard({ from = '34', to = '40', floor, ceiling, budget, account }: FixedCase) {
  const facts = accountOf([budgetOf(B71, '34', budget), budgetOf(B72, '60')], account);
  const bounds = { floor: floor ? money(floor) : undefined, ceiling: ceiling ? money(ceiling) : undefined };
  return guardFixedAmount({ budgetId: B71, from: money(from), to: money(to), ...bounds }, facts);
}

describe('an approved or undone amount is refused', () => {
  it.each<[string, FixedCase, RefusalCode, string]>([
    [
      'while everything is frozen',
      { account: { frozen: 'frozen by anna' }, budget: { removed: true } },
      'FROZEN',
      'Budget changes are frozen by anna.',
    ],
    [
      'where the budget is not known',
      { account: { budgets: new Map() } },
      'BUDGET_NOT_KNOWN',
      'The amount of budget 71 is not known.',
    ],
    ['where the budget is no more', { budget: { removed: true } }, 'BUDGET_REMOVED', 'Budget 71 was removed.'],
    [
      'where the currency is not known',
      { account: { currency: undefined } },
      'CURRENCY_NOT_KNOWN',
      "The account's currency is not known.",
    ],
    [
      'while an outcome is open',
      { budget: { outcomeOpen: true } },
      'OUTCOME_OPEN',
      'The outcome of an earlier change of budget 71 is not known yet.',
    ],
    [
      'when something else changed the budget since',
      { from: '30' },
      'FOREIGN_CHANGE',
      'Budget 71 is at 34.00 EUR, no longer at 30.00 EUR: it was changed since.',
    ],
    ['when it changes nothing', { to: '34' }, 'NO_CHANGE', '"set budget to 34.00 EUR" leaves 34.00 EUR unchanged.'],
    [
      'when nothing would be left',
      { to: '0' },
      'NOT_POSITIVE',
      '"set budget to 0.00 EUR" would leave 0.00 EUR of 34.00 EUR, which is not a valid budget.',
    ],
    [
      'when it looks like a wrong unit',
      { to: '4000' },
      'UNIT_SANITY',
      '"set budget to 4,000.00 EUR" would change 34.00 EUR to 4,000.00 EUR, more than 20 times as much. This looks like a wrong unit, such as cents. No setting permits it.',
    ],
    [
      'below the floor',
      { to: '20', floor: '25' },
      'OUTSIDE_LIMITS',
      '20.00 EUR would be below the floor of 25.00 EUR: set the budget by hand if you want this.',
    ],
    [
      'above the ceiling',
      { ceiling: '39.99' },
      'OUTSIDE_LIMITS',
      '40.00 EUR would be above the ceiling of 39.99 EUR: set the budget by hand if you want this.',
    ],
    [
      'when it is no whole number of cents',
      { to: '40.005' },
      'OUTSIDE_LIMITS',
      '40.005 EUR is not a multiple of 0.01 EUR, the smallest amount.',
    ],
    [
      'when it is no multiple of what the service bills',
      { account: { budgetUnit: money('0.25') }, to: '40.10' },
      'OUTSIDE_LIMITS',
      '40.10 EUR is not a multiple of 0.25 EUR, the smallest amount.',
    ],
    [
      'when the account would come to more than it may',
      { account: { dailyTotalMax: money('99') } },
      'ACCOUNT_TOTAL',
      "After a change from 34.00 EUR to 40.00 EUR, the account's daily budgets would total 100.00 EUR. At most 99.00 EUR is allowed.",
    ],
    [
      'when the day could cost more than it may',
      { account: { dailyExposureMax: money('199') } },
      'EXPOSURE',
      'After a change from 34.00 EUR to 40.00 EUR, today could cost up to 200.00 EUR, twice the highest amount of each budget. At most 199.00 EUR is allowed.',
    ],
  ])('%s', (_, each, code, reason) => {
    const refusal = guard(each);
    if (refusal.kind !== 'refused') throw new Error('It passes.');
    expect([refusal.code, refusalWords(refusal)]).toEqual([code, reason]);
    expect(stored(refusal)).toStrictEqual(refusal);
    expect(refusalWords(stored(refusal))).toBe(reason);
  });
});

describe('an approved or undone amount passes', () => {
  it.each<[string, FixedCase]>([
    ['within its limits', { floor: '40', ceiling: '40' }],
    [
      'whatever was decided and changed today',
      {
        budget: { decidedToday: 'applied', proposed: 'K7QP', changes: [past('2026-11-20', 'rule', '40', '34')] },
      },
    ],
    [
      'back to what the budget had today, however much the day may cost',
      {
        account: { dailyExposureMax: money('1') },
        budget: { changes: [past('2026-11-20', 'rule', '40', '34')] },
      },
    ],
    [
      'as a decrease in an account over its bounds',
      {
        to: '30',
        account: { dailyTotalMax: money('1'), dailyExposureMax: money('1') },
      },
    ],
  ])('%s', (_, each) => {
    expect(guard(each)).toMatchObject({
      kind: 'standing',
      currency: 'EUR',
      budget: { budgetId: '71', source: 'read' },
    });
  });
});
