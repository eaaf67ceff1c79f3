import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { CasesOf } from './guard-case.ts';
import { B72, budgetOf, money, past } from './guard-fixtures.ts';

/** The rule's limits and the account's bounds. */
export const LIMIT_CASES: CasesOf<
  'AT_FLOOR' | 'AT_CEILING' | 'AT_DRIFT' | 'OUTSIDE_LIMITS' | 'TOTAL_UNKNOWN' | 'ACCOUNT_TOTAL' | 'EXPOSURE'
> = {
  AT_FLOOR: [
    {
      name: 'at the floor',
      request: { limits: { floor: '40' } },
      reason: 'Budget 71 is at 40.00 EUR. Its floor is 40.00 EUR.',
    },
    {
      name: 'below the floor',
      request: { change: 'set budget to 30', limits: { floor: '50', ceiling: '60' } },
      reason: 'Budget 71 is at 40.00 EUR. Its floor is 50.00 EUR.',
    },
  ],
  AT_CEILING: [
    {
      name: 'at the ceiling',
      request: { change: 'increase budget by 10%', limits: { ceiling: '40' } },
      reason: 'Budget 71 is at 40.00 EUR. Its ceiling is 40.00 EUR.',
    },
    {
      name: 'above the ceiling',
      request: { change: 'set budget to 50', limits: { ceiling: '30' } },
      reason: 'Budget 71 is at 40.00 EUR. Its ceiling is 30.00 EUR.',
    },
  ],
  AT_DRIFT: [
    {
      name: 'as far down as several steps may carry it',
      request: { limits: { drift: ['50%', 30] } },
      budget: { changes: [past('2026-11-01', 'rule', '80', '60'), past('2026-11-10', 'rule', '60', '40')] },
      reason: 'Budget 71 is at 40.00 EUR. Its drift limit is 40.00 EUR: 50% from 80.00 EUR over 30 days.',
    },
    {
      name: 'as far up',
      request: { change: 'increase budget by 10%', limits: { drift: ['60%', 30] } },
      budget: { changes: [past('2026-11-01', 'rule', '25', '40')] },
      reason: 'Budget 71 is at 40.00 EUR. Its drift limit is 40.00 EUR: 60% from 25.00 EUR over 30 days.',
    },
    {
      name: 'further than it may, after the limit was made narrower',
      request: { limits: { drift: ['10%', 7] } },
      budget: { changes: [past('2026-11-14', 'rule', '80', '40')] },
      reason: 'Budget 71 is at 40.00 EUR. Its drift limit is 72.00 EUR: 10% from 80.00 EUR over 7 days.',
    },
    {
      name: 'over the end of a leap February',
      request: { limits: { drift: ['50%', 3] } },
      account: { today: civilDate('2028-03-01') },
      budget: { changes: [past('2028-02-27', 'rule', '99', '80'), past('2028-02-28', 'rule', '80', '40')] },
      reason: 'Budget 71 is at 40.00 EUR. Its drift limit is 40.00 EUR: 50% from 80.00 EUR over 3 days.',
    },
  ],
  OUTSIDE_LIMITS: [
    {
      name: 'an increase that does not reach the floor',
      request: { change: 'increase budget by 10%', limits: { floor: '50' } },
      reason: '44.00 EUR would be below the floor of 50.00 EUR: set the budget by hand if you want this.',
    },
    {
      name: 'a step that does not reach the ceiling',
      request: { change: 'set budget to 20', limits: { ceiling: '30', step: '10%' } },
      reason: '36.00 EUR would be above the ceiling of 30.00 EUR: set the budget by hand if you want this.',
    },
    {
      name: 'an amount that is computed to be below the floor',
      request: { change: 'set budget to 45', limits: { floor: '50', ceiling: '60' } },
      reason: '45.00 EUR would be below the floor of 50.00 EUR: set the budget by hand if you want this.',
    },
    {
      name: 'a way back that ends before the drift does',
      request: { change: 'increase budget by 10%', limits: { drift: ['10%', 7] } },
      budget: { changes: [past('2026-11-14', 'rule', '80', '40')] },
      reason:
        '44.00 EUR would be below the drift of 10% over 7 days from 80.00 EUR: set the budget by hand if you want this.',
    },
    {
      name: 'a floor between two yen that the rounding falls below',
      at: '900',
      account: { currency: 'JPY' },
      request: { change: 'set budget to 950.7', limits: { floor: '950.5' } },
      reason: '950 JPY would be below the floor of 950.5 JPY: set the budget by hand if you want this.',
    },
  ],
  TOTAL_UNKNOWN: [
    {
      name: 'an increase beside a budget without an amount',
      request: { change: 'increase budget by 10%' },
      account: { dailyTotalMax: money('1000'), unreadable: [{ budgetId: B72, campaigns: [], total: undefined }] },
      reason:
        'The amount of budget 72 is not known, so no budget is raised. Give the budget a daily amount, or remove daily_total and daily_exposure.',
    },
    {
      name: 'an increase beside a total budget',
      request: { change: 'increase budget by 10%' },
      account: {
        dailyTotalMax: money('1000'),
        unreadable: [{ budgetId: B72, campaigns: [], total: { amount: money('500') } }],
      },
      reason:
        'Budget 72 is a total budget without a daily amount, so no budget is raised. Give its campaign a daily budget, or remove daily_total and daily_exposure.',
    },
    {
      name: 'beside a budget of nothing, where a day may cost so much',
      request: { change: 'increase budget by 10%' },
      account: { dailyExposureMax: money('1000') },
      others: [budgetOf(B72, '0')],
      reason:
        'The amount of budget 72 is not known, so no budget is raised. Give the budget a daily amount, or remove daily_total and daily_exposure.',
    },
  ],
  ACCOUNT_TOTAL: [
    {
      name: 'more than all budgets may come to',
      request: { change: 'increase budget by 10%' },
      account: { dailyTotalMax: money('103.99') },
      others: [budgetOf(B72, '60')],
      reason:
        "After a change from 40.00 EUR to 44.00 EUR, the account's daily budgets would total 104.00 EUR. At most 103.99 EUR is allowed.",
    },
    {
      name: 'with an increase that was decided on before',
      request: { change: 'increase budget by 10%' },
      account: { dailyTotalMax: money('107') },
      others: [budgetOf(B72, '60')],
      beside: [{ change: 'increase budget by 10%', rule: 'a', budget: B72, current: '60' }],
      reason:
        "After a change from 40.00 EUR to 44.00 EUR, the account's daily budgets would total 110.00 EUR. At most 107.00 EUR is allowed.",
    },
    {
      name: 'a decrease that is not made yet makes no room',
      request: { change: 'increase budget by 10%' },
      account: { dailyTotalMax: money('100') },
      others: [budgetOf(B72, '60')],
      beside: [{ change: 'decrease budget by 50%', budget: B72, current: '60' }],
      reason:
        "After a change from 40.00 EUR to 44.00 EUR, the account's daily budgets would total 104.00 EUR. At most 100.00 EUR is allowed.",
    },
    {
      name: "another budget's change whose outcome is not known counts as made",
      request: { change: 'increase budget by 10%' },
      account: { dailyTotalMax: money('105') },
      others: [budgetOf(B72, '60', { outcomeOpen: true, mayBecome: money('66') })],
      reason:
        "After a change from 40.00 EUR to 44.00 EUR, the account's daily budgets would total 110.00 EUR. At most 105.00 EUR is allowed.",
    },
  ],
  EXPOSURE: [
    {
      name: 'twice the amounts is more than a day may cost',
      request: { change: 'increase budget by 10%' },
      account: { dailyExposureMax: money('207.99') },
      others: [budgetOf(B72, '60')],
      reason:
        'After a change from 40.00 EUR to 44.00 EUR, today could cost up to 208.00 EUR, twice the highest amount of each budget. At most 207.99 EUR is allowed.',
    },
    {
      name: 'what another budget had earlier today counts',
      request: { change: 'increase budget by 10%' },
      account: { dailyExposureMax: money('300') },
      others: [budgetOf(B72, '60', { changes: [past('2026-11-20', 'undo', '150', '60')] })],
      reason:
        'After a change from 40.00 EUR to 44.00 EUR, today could cost up to 388.00 EUR, twice the highest amount of each budget. At most 300.00 EUR is allowed.',
    },
    {
      name: 'what a budget that is removed had earlier today counts',
      request: { change: 'increase budget by 10%' },
      account: { dailyExposureMax: money('200') },
      others: [budgetOf(B72, '60', { removed: true, changes: [past('2026-11-20', 'foreign', '70', '60')] })],
      reason:
        'After a change from 40.00 EUR to 44.00 EUR, today could cost up to 228.00 EUR, twice the highest amount of each budget. At most 200.00 EUR is allowed.',
    },
    {
      name: 'a decrease decided before does not lower the day',
      request: { change: 'increase budget by 10%' },
      account: { dailyExposureMax: money('200') },
      others: [budgetOf(B72, '60')],
      beside: [{ change: 'decrease budget by 50%', budget: B72, current: '60' }],
      reason:
        'After a change from 40.00 EUR to 44.00 EUR, today could cost up to 208.00 EUR, twice the highest amount of each budget. At most 200.00 EUR is allowed.',
    },
  ],
};
