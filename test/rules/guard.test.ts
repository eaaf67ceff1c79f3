import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros, smallestUnit } from '../../src/domain/micros.ts';
import { compare, multiply, rational } from '../../src/domain/rational.ts';
import { guardTarget, type RefusalCode } from '../../src/rules/guard.ts';
import { money, ruleOf } from './rule-fixtures.ts';

function guard(change: string, limits: string, current: string, currency: string) {
  return guardTarget(ruleOf({ change: `${change.replace(' by', ' budget by')}`, limits }), money(current), currency);
}

describe('the amount a change leads to', () => {
  it.each<[string, string, string, string, string, string, string | undefined]>([
    ['a share up', 'increase by 10%', '{}', '20', 'EUR', '22', undefined],
    ['a share down', 'decrease by 15%', '{}', '20', 'EUR', '17', undefined],
    ['an amount up', 'increase by 2.50', '{}', '20', 'EUR', '22.50', undefined],
    ['an amount down', 'decrease by 2.50', '{}', '20', 'EUR', '17.50', undefined],
    ['a share with decimals', 'increase by 12.5%', '{}', '80', 'EUR', '90', undefined],
    ['more than all of it, upwards', 'increase by 150%', '{}', '20', 'EUR', '50', undefined],
    ['up to the ceiling', 'increase by 10%', '{ ceiling: 22 }', '20', 'EUR', '22', undefined],
    ['held by the ceiling', 'increase by 10%', '{ ceiling: 21 }', '20', 'EUR', '21', 'ceiling'],
    ['down to the floor', 'decrease by 10%', '{ floor: 18 }', '20', 'EUR', '18', undefined],
    ['held by the floor', 'decrease by 10%', '{ floor: 19 }', '20', 'EUR', '19', 'floor'],
    ['held by the step upwards', 'increase by 50%', '{ step: 20% }', '20', 'EUR', '24', 'step'],
    ['held by the step downwards', 'decrease by 50%', '{ step: 20% }', '20', 'EUR', '16', 'step'],
    ['exactly the step', 'increase by 20%', '{ step: 20% }', '20', 'EUR', '24', undefined],
    ['an amount held by the step', 'decrease by 10', '{ step: 10% }', '20', 'EUR', '18', 'step'],
    ['the nearer of step and ceiling', 'increase by 50%', '{ step: 20%, ceiling: 22 }', '20', 'EUR', '22', 'ceiling'],
    ['the nearer of step and floor', 'decrease by 50%', '{ step: 10%, floor: 5 }', '20', 'EUR', '18', 'step'],
    ['an increase may end on the floor', 'increase by 10%', '{ floor: 22 }', '20', 'EUR', '22', undefined],
    ['a decrease may end on the ceiling', 'decrease by 10%', '{ ceiling: 18 }', '20', 'EUR', '18', undefined],
    ['an increase rounds down to cents', 'increase by 10%', '{}', '0.99', 'EUR', '1.08', undefined],
    ['a decrease rounds up to cents', 'decrease by 10%', '{}', '0.99', 'EUR', '0.90', undefined],
    ['an increase rounds down to yen', 'increase by 10%', '{}', '1009', 'JPY', '1109', undefined],
    ['a decrease rounds up to yen', 'decrease by 10%', '{}', '1009', 'JPY', '909', undefined],
    ['a third of a cent is dropped', 'increase by 33.333333%', '{}', '1', 'EUR', '1.33', undefined],
    ['dinars have thousandths', 'increase by 10%', '{}', '1.009', 'KWD', '1.109', undefined],
    ['a ceiling between two yen', 'increase by 10%', '{ ceiling: 1050.5 }', '1000', 'JPY', '1050', 'ceiling'],
    ['a floor between two yen', 'decrease by 10%', '{ floor: 950.5 }', '1000', 'JPY', '951', 'floor'],
    ['an amount that was no multiple of the unit', 'increase by 10%', '{}', '10.005', 'EUR', '11', undefined],
    ['the smallest possible amount stays', 'decrease by 99%', '{}', '0.50', 'EUR', '0.01', undefined],
  ])('%s', (_, change, limits, current, currency, to, limitedBy) => {
    expect(guard(change, limits, current, currency)).toEqual({ kind: 'target', to: money(to), limitedBy });
  });
});

describe('a change that is not made', () => {
  it.each<[string, string, string, string, string, RefusalCode, string]>([
    [
      'at the floor',
      'decrease by 10%',
      '{ floor: 20 }',
      '20',
      'EUR',
      'AT_FLOOR',
      'The budget is at 20.00 EUR, and the floor is 20.00 EUR.',
    ],
    [
      'below the floor',
      'decrease by 10%',
      '{ floor: 30 }',
      '20',
      'EUR',
      'AT_FLOOR',
      'The budget is at 20.00 EUR, and the floor is 30.00 EUR.',
    ],
    [
      'at the ceiling',
      'increase by 10%',
      '{ ceiling: 20 }',
      '20',
      'EUR',
      'AT_CEILING',
      'The budget is at 20.00 EUR, and the ceiling is 20.00 EUR.',
    ],
    [
      'above the ceiling',
      'increase by 10%',
      '{ ceiling: 10 }',
      '20',
      'EUR',
      'AT_CEILING',
      'The budget is at 20.00 EUR, and the ceiling is 10.00 EUR.',
    ],
    [
      'less than a cent',
      'increase by 1%',
      '{}',
      '0.50',
      'EUR',
      'NO_CHANGE',
      '"increase budget by 1%" of 0.50 EUR is less than 0.01 EUR, the smallest change.',
    ],
    [
      'less than a yen',
      'decrease by 10%',
      '{}',
      '9',
      'JPY',
      'NO_CHANGE',
      '"decrease budget by 10%" of 9 JPY is less than 1 JPY, the smallest change.',
    ],
    [
      'the step leaves less than a cent',
      'increase by 50%',
      '{ step: 1% }',
      '0.50',
      'EUR',
      'NO_CHANGE',
      '"increase budget by 50%" of 0.50 EUR is less than 0.01 EUR, the smallest change.',
    ],
    [
      'nothing would be left',
      'decrease by 20',
      '{}',
      '20',
      'EUR',
      'NOT_POSITIVE',
      '"decrease budget by 20" would leave 0.00 EUR of 20.00 EUR.',
    ],
    [
      'less than nothing would be left',
      'decrease by 30',
      '{}',
      '20',
      'EUR',
      'NOT_POSITIVE',
      '"decrease budget by 30" would leave -10.00 EUR of 20.00 EUR.',
    ],
    ['a share of nothing', 'increase by 10%', '{}', '0', 'EUR', 'BUDGET_NOT_KNOWN', 'The budget shows 0.00 EUR.'],
    [
      'an increase that would still be below the floor',
      'increase by 10%',
      '{ floor: 30 }',
      '20',
      'EUR',
      'OUTSIDE_LIMITS',
      '22.00 EUR would still be outside the floor of 30.00 EUR: set the budget by hand first.',
    ],
    [
      'a decrease that would still be above the ceiling',
      'decrease by 10%',
      '{ ceiling: 10 }',
      '20',
      'EUR',
      'OUTSIDE_LIMITS',
      '18.00 EUR would still be outside the ceiling of 10.00 EUR: set the budget by hand first.',
    ],
    [
      'more than an amount can hold',
      'increase by 2000%',
      '{}',
      '999999999999',
      'EUR',
      'TOO_LARGE',
      '"increase budget by 2000%" of 999,999,999,999.00 EUR is too large.',
    ],
    [
      'a currency that does not exist',
      'increase by 10%',
      '{}',
      '20',
      'ZZZ',
      'CURRENCY_NOT_KNOWN',
      'The smallest unit of ZZZ is not known.',
    ],
  ])('%s', (_, change, limits, current, currency, code, reason) => {
    expect(guard(change, limits, current, currency)).toEqual({ kind: 'refused', code, reason });
  });
});

const share = fc.integer({ min: 1, max: 9_999 }).map((hundredths) => `${hundredths / 100}%`);
const someAmount = fc.bigInt({ min: 1n, max: 10n ** 12n });

it('the target is a multiple of the unit, on the right side of the current amount, inside its limit and step', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('increase', 'decrease'),
      fc.oneof(share, fc.integer({ min: 1, max: 1_000_000 }).map(String)),
      fc.option(share, { nil: undefined }),
      fc.option(someAmount, { nil: undefined }),
      fc.option(someAmount, { nil: undefined }),
      someAmount,
      fc.constantFrom('EUR', 'JPY', 'KWD'),
      (direction, by, step, floor, ceiling, current, currency) => {
        const { change, limits } = ruleOf({
          change: `${direction} budget by ${by}`,
          limits: step === undefined ? '{}' : `{ step: ${step} }`,
        });
        const bounds = {
          ...limits,
          floor: floor === undefined ? undefined : micros(floor),
          ceiling: ceiling === undefined ? undefined : micros(ceiling),
        };
        const guarded = guardTarget({ ...ruleOf(), change, limits: bounds }, micros(current), currency);
        if (guarded.kind === 'refused') return;
        const { to } = guarded;
        expect(to > 0n && to % (smallestUnit(currency) as Micros) === 0n).toBe(true);
        expect(direction === 'increase' ? to > current : to < current).toBe(true);
        if (direction === 'increase' && ceiling !== undefined) expect(to <= ceiling).toBe(true);
        if (direction === 'decrease' && floor !== undefined) expect(to >= floor).toBe(true);
        const moved = rational(to > current ? to - current : current - to);
        if (bounds.step) expect(compare(moved, multiply(rational(current), bounds.step))).not.toBe(1);
        const wished =
          change.by.kind === 'share' ? multiply(rational(current), change.by.share) : rational(change.by.amount);
        expect(compare(moved, wished)).not.toBe(1);
      },
    ),
    { numRuns: 500 },
  );
});
