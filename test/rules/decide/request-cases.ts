import { micros } from '../../../src/domain/micros.ts';
import { rational } from '../../../src/domain/rational.ts';
import type { CasesOf } from './guard-case.ts';
import { money } from './guard-fixtures.ts';

/** The data and the requested amount itself, before any limit. */
export const REQUEST_CASES: CasesOf<
  'NOT_SERVING' | 'NOT_ENOUGH_DATA' | 'TARGET_UNKNOWN' | 'NOT_POSITIVE' | 'TOO_LARGE' | 'UNIT_SANITY' | 'NO_CHANGE'
> = {
  NOT_SERVING: [
    {
      name: 'a campaign that is no more',
      request: { changes: { stopped: [{ label: 'Old (campaign 5)', status: 'REMOVED' }] } },
      reason: 'No campaign of the budget runs now: Old (campaign 5) is removed.',
    },
    {
      name: 'several, of which three are named',
      request: { changes: { stopped: ['5', '6', '7', '8', '9'].map((label) => ({ label, status: 'PAUSED' })) } },
      reason:
        'No campaign of the budget runs now: 5 is paused, 6 is paused, 7 is paused and 2 more do not run. With "include_paused: true" in the rule, paused campaigns count.',
    },
  ],
  NOT_ENOUGH_DATA: [
    {
      name: 'fewer clicks than the rule needs',
      request: { changes: { tooLittle: [{ name: 'clicks', found: '12', least: '30', unit: 'count' }] } },
      reason: 'There is too little data: 12 clicks, at least 30 are needed.',
    },
    {
      name: 'less money than the rule needs, and clicks that are not known',
      request: {
        changes: {
          tooLittle: [
            { name: 'cost', found: '1322520000', least: '2000000000', unit: 'micros' },
            { name: 'clicks', found: null, least: '1500', unit: 'count' },
          ],
        },
      },
      reason:
        'There is too little data: cost of 1,322.52 EUR, at least 2,000.00 EUR is needed; clicks unknown, at least 1,500 are needed.',
    },
  ],
  TARGET_UNKNOWN: [
    {
      name: 'an expression without a value',
      request: { change: 'set budget to 20', changes: { target: undefined } },
      reason: '"set budget to 20" gives no amount for C21 (campaign 21): a value in it is not known.',
    },
  ],
  NOT_POSITIVE: [
    {
      name: 'nothing would be left',
      request: { change: 'decrease budget by 40' },
      reason: '"decrease budget by 40" would leave 0.00 EUR of 40.00 EUR, which is not a valid budget.',
    },
    {
      name: 'less than nothing would be left',
      request: { change: 'decrease budget by 50' },
      reason: '"decrease budget by 50" would leave -10.00 EUR of 40.00 EUR, which is not a valid budget.',
    },
    {
      name: 'nothing, whatever the floor is',
      request: { change: 'set budget to 0', limits: { floor: '5', step: '10%' } },
      reason: '"set budget to 0" would leave 0.00 EUR of 40.00 EUR, which is not a valid budget.',
    },
    {
      name: 'a budget of one cent has no less',
      at: '0.01',
      request: { change: 'decrease budget by 0.01' },
      reason: '"decrease budget by 0.01" would leave 0.00 EUR of 0.01 EUR, which is not a valid budget.',
    },
  ],
  TOO_LARGE: [
    {
      name: 'more than an amount can be',
      at: '999999999999',
      request: { change: 'increase budget by 1000%' },
      reason:
        '"increase budget by 1000%" would change 999,999,999,999.00 EUR to 10,999,999,999,989.00 EUR, more than the largest possible amount.',
    },
    {
      name: 'a micro more than an amount can be',
      request: { change: 'set budget to 1', changes: { target: rational(2n ** 63n) } },
      reason:
        '"set budget to 1" would change 40.00 EUR to 9,223,372,036,854.78 EUR, more than the largest possible amount.',
    },
  ],
  UNIT_SANITY: [
    {
      name: 'a hundred times the budget',
      request: { change: 'set budget to 4000' },
      reason:
        '"set budget to 4000" would change 40.00 EUR to 4,000.00 EUR, more than 20 times as much. This looks like a wrong unit, such as cents. No setting permits it.',
    },
    {
      name: 'a hundredth of it',
      request: { change: 'set budget to 0.40' },
      reason:
        '"set budget to 0.40" would change 40.00 EUR to 0.40 EUR, less than a twentieth of it. This looks like a wrong unit, such as cents. No setting permits it.',
    },
    {
      name: 'also where step and ceiling would hold it',
      request: { change: 'set budget to 4000', limits: { step: '10%', ceiling: '50' } },
      reason:
        '"set budget to 4000" would change 40.00 EUR to 4,000.00 EUR, more than 20 times as much. This looks like a wrong unit, such as cents. No setting permits it.',
    },
    {
      name: 'a micro over twenty times',
      at: '1',
      request: { change: 'set budget to 20.000001' },
      reason:
        '"set budget to 20.000001" would change 1.00 EUR to 20.00 EUR, more than 20 times as much. This looks like a wrong unit, such as cents. No setting permits it.',
    },
    {
      name: 'a budget of one yen',
      at: '1',
      account: { currency: 'JPY' },
      request: { change: 'set budget to 500' },
      reason:
        '"set budget to 500" would change 1 JPY to 500 JPY, more than 20 times as much. This looks like a wrong unit, such as cents. No setting permits it.',
    },
    {
      name: 'a decrease to next to nothing that the floor would hold',
      request: { change: 'decrease budget by 99%', limits: { floor: '5' } },
      reason:
        '"decrease budget by 99%" would change 40.00 EUR to 0.40 EUR, less than a twentieth of it. This looks like a wrong unit, such as cents. No setting permits it.',
    },
  ],
  NO_CHANGE: [
    {
      name: 'the amount it has',
      request: { change: 'set budget to 40' },
      reason: '"set budget to 40" leaves 40.00 EUR unchanged.',
    },
    {
      name: 'less than a cent',
      at: '0.50',
      request: { change: 'increase budget by 1%' },
      reason: '"increase budget by 1%" would change 0.50 EUR by less than 0.01 EUR, the smallest amount.',
    },
    {
      name: 'less than a yen',
      at: '9',
      account: { currency: 'JPY' },
      request: { change: 'decrease budget by 10%' },
      reason: '"decrease budget by 10%" would change 9 JPY by less than 1 JPY, the smallest amount.',
    },
    {
      name: 'less than a whole rupiah, as the service bills',
      at: '9',
      account: { currency: 'IDR', budgetUnit: money('1') },
      request: { change: 'decrease budget by 10%' },
      reason: '"decrease budget by 10%" would change 9.00 IDR by less than 1.00 IDR, the smallest amount.',
    },
    {
      name: 'down to a floor between two rupiah',
      at: '6',
      account: { currency: 'IDR', budgetUnit: money('1') },
      request: { change: 'set budget to 1', limits: { floor: '5.50' } },
      reason:
        '"set budget to 1", limited by the floor of 5.50 IDR, would change 6.00 IDR by less than 1.00 IDR, the smallest amount.',
    },
    {
      name: 'less than a thousandth of a dinar',
      at: '0.009',
      account: { currency: 'KWD' },
      request: { change: 'decrease budget by 10%' },
      reason: '"decrease budget by 10%" would change 0.009 KWD by less than 0.001 KWD, the smallest amount.',
    },
    {
      name: 'a budget of one cent cannot be halved',
      at: '0.01',
      request: { change: 'decrease budget by 50%' },
      reason: '"decrease budget by 50%" would change 0.01 EUR by less than 0.01 EUR, the smallest amount.',
    },
    {
      name: 'a step that is smaller than a cent',
      at: '0.50',
      request: { change: 'increase budget by 50%', limits: { step: '1%' } },
      reason:
        '"increase budget by 50%", limited by the step of 1%, would change 0.50 EUR by less than 0.01 EUR, the smallest amount.',
    },
    {
      name: 'a floor less than a yen away',
      at: '1000',
      account: { currency: 'JPY' },
      request: { change: 'decrease budget by 10%', limits: { floor: '999.5' } },
      reason:
        '"decrease budget by 10%", limited by the floor of 999.5 JPY, would change 1,000 JPY by less than 1 JPY, the smallest amount.',
    },
    {
      name: 'an amount that is not a multiple of the unit is not carried the other way',
      at: '10.005',
      request: { change: 'increase budget by 0.003' },
      reason: '"increase budget by 0.003" would change 10.005 EUR by less than 0.01 EUR, the smallest amount.',
    },
    {
      name: 'rounding up at the end of what an amount can hold',
      budget: { amount: micros(2n ** 63n - 1n) },
      account: { currency: 'JPY' },
      request: { change: 'set budget to 1', changes: { target: rational(2n ** 63n - 2n) } },
      reason: '"set budget to 1" would change 9,223,372,036,854.775807 JPY by less than 1 JPY, the smallest amount.',
    },
  ],
};
