import { campaignId } from '../../../src/domain/ids.ts';
import type { CasesOf } from './guard-case.ts';
import { B71, B72, money, past } from './guard-fixtures.ts';

/** What holds for a budget whatever is requested for it, in the order of the guards. */
export const STANDING_CASES: CasesOf<
  | 'FROZEN'
  | 'TOTAL_BUDGET'
  | 'BUDGET_NOT_KNOWN'
  | 'BUDGET_REMOVED'
  | 'CURRENCY_NOT_KNOWN'
  | 'OUTCOME_OPEN'
  | 'AMOUNT_IN_DOUBT'
  | 'ALREADY_DECIDED_TODAY'
  | 'WAITS_FOR_APPROVAL'
  | 'DECIDED_BY_OTHER'
> = {
  FROZEN: [
    {
      name: 'a person has frozen everything',
      account: { frozen: 'frozen by anna since 2026-11-19T08:00:00Z: budget review' },
      reason: 'Budget changes are frozen by anna since 2026-11-19T08:00:00Z: budget review.',
    },
    {
      name: 'it weighs more than anything else',
      account: { frozen: 'frozen by the file FREEZE', currency: undefined },
      budget: { removed: true, outcomeOpen: true, amount: money('0') },
      reason: 'Budget changes are frozen by the file FREEZE.',
    },
  ],
  TOTAL_BUDGET: [
    {
      name: 'a campaign with a total budget',
      request: { changes: { budgetId: undefined } },
      account: { unreadable: [{ budgetId: B72, campaigns: [campaignId('21')], total: { amount: money('1500') } }] },
      reason:
        'Budget 72 is a total budget (CUSTOM_PERIOD) of 1,500.00 EUR, expected a daily budget. Give the campaign a daily budget.',
    },
    {
      name: 'a budget that was daily at the time of the decision, with a total that is not shown',
      account: { unreadable: [{ budgetId: B71, campaigns: [], total: { amount: undefined } }] },
      reason: 'Budget 71 is a total budget (CUSTOM_PERIOD), expected a daily budget. Give the campaign a daily budget.',
    },
  ],
  BUDGET_NOT_KNOWN: [
    {
      name: 'a campaign whose budget shows no daily amount',
      request: { changes: { budgetId: undefined } },
      account: { unreadable: [{ budgetId: B72, campaigns: [campaignId('21')], total: undefined }] },
      reason: 'The amount of budget 72 is not known.',
    },
    {
      name: 'a campaign whose budget is not known',
      request: { changes: { budgetId: undefined } },
      reason: 'The budget of C21 (campaign 21) is not known.',
    },
    {
      name: 'a budget whose amount is not known',
      account: { budgets: new Map() },
      reason: 'The amount of budget 71 is not known.',
    },
    { name: 'a budget of nothing', at: '0', reason: 'Budget 71 shows 0.00 EUR, which is not a valid amount.' },
    {
      name: 'a budget of nothing in a currency that is not known',
      at: '0',
      account: { currency: undefined },
      reason: 'Budget 71 shows 0.00, which is not a valid amount.',
    },
  ],
  BUDGET_REMOVED: [
    { name: 'a budget that is no more', budget: { removed: true }, reason: 'Budget 71 was removed.' },
    {
      name: 'also when a change is open',
      budget: { removed: true, outcomeOpen: true },
      reason: 'Budget 71 was removed.',
    },
  ],
  CURRENCY_NOT_KNOWN: [
    {
      name: 'an account whose currency is not known',
      account: { currency: undefined },
      reason: "The account's currency is not known.",
    },
    {
      name: 'a currency that is none',
      account: { currency: 'ZZZ' },
      reason: 'The smallest amount of ZZZ is not known.',
    },
    {
      name: 'a currency that is no more',
      account: { currency: 'HRK' },
      reason: 'The smallest amount of HRK is not known.',
    },
  ],
  AMOUNT_IN_DOUBT: [
    {
      name: 'a reading that contradicts what was last set',
      budget: { inDoubt: { expected: money('34'), found: money('40'), until: '2026-11-20T13:00:00Z' } },
      reason:
        'Budget 71 shows 40.00 EUR, expected 34.00 EUR: the service may show a change late. A read after 2026-11-20 13:00:00 UTC shows the outcome.',
    },
  ],
  OUTCOME_OPEN: [
    {
      name: 'a change whose outcome is open',
      budget: { outcomeOpen: true },
      reason: 'The outcome of an earlier change of budget 71 is not known yet.',
    },
    {
      name: 'it weighs more than the change of the day',
      budget: { outcomeOpen: true, decidedToday: 'unknown' },
      reason: 'The outcome of an earlier change of budget 71 is not known yet.',
    },
  ],
  ALREADY_DECIDED_TODAY: [
    {
      name: 'a change of the same day',
      budget: { decidedToday: 'applied' },
      reason: 'Budget 71 already had its daily change.',
    },
    {
      name: 'one that was confirmed later',
      budget: { decidedToday: 'confirmed' },
      reason: 'Budget 71 already had its daily change.',
    },
    {
      name: 'one that was rejected',
      budget: { decidedToday: 'rejected' },
      reason: 'Budget 71 already had its daily change, which was rejected.',
    },
    {
      name: 'one that a person undid on the same day',
      budget: {
        decidedToday: 'applied',
        changes: [past('2026-11-20', 'rule', '40', '34'), past('2026-11-20', 'undo', '34', '40')],
      },
      reason: 'Budget 71 already had its daily change.',
    },
  ],
  WAITS_FOR_APPROVAL: [
    {
      name: 'a proposal that nobody has answered',
      budget: { proposed: 'K7QP' },
      reason: 'Change K7QP of budget 71 awaits approval.',
    },
  ],
  DECIDED_BY_OTHER: [
    {
      name: 'a rule whose file name comes before',
      beside: [{ rule: 'cut', campaign: '22' }],
      reason:
        'The rule cut already decided on budget 71 for C22 (campaign 22). Decreases go first, then rules by file name.',
    },
    {
      name: 'a decrease, for an increase of a rule whose file name comes before',
      request: { rule: 'a', change: 'increase budget by 10%' },
      beside: [{ rule: 'z' }],
      reason:
        'The rule z already decided on budget 71 for C21 (campaign 21). Decreases go first, then rules by file name.',
    },
    {
      name: 'the same rule for a campaign with a smaller id',
      request: { campaign: '100' },
      beside: [{ campaign: '99' }],
      reason:
        'The rule trim already decided on budget 71 for C99 (campaign 99). Decreases go first, then rules by file name.',
    },
  ],
};
