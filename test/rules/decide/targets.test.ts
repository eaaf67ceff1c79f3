import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { rational } from '../../../src/domain/rational.ts';
import { refusalWords } from '../../../src/language/rules/decide/refusal-words.ts';
import { decide, type GuardCase } from './guard-case.ts';
import { B72, budgetOf, type LimitTexts, money, no, past } from './guard-fixtures.ts';

/** The change's own part of the reason. */
function changeIn(each: Omit<GuardCase, 'name' | 'reason'>): string {
  const decision = decide({ ...each, name: '', reason: '' });
  if (decision.kind === 'refused') return `refused: ${refusalWords(decision.refusal)}`;
  return decision.reason.split('; ')[1] ?? '';
}

describe('a unit that is not that of ISO 4217', () => {
  it.each<[string, string, LimitTexts, string, string]>([
    ['rounds a decrease up', '29543', {}, 'decrease budget by 7%', '29,543.00 IDR to 27,475.00 IDR'],
    ['rounds an increase down', '29543', {}, 'increase budget by 7%', '29,543.00 IDR to 31,611.00 IDR'],
    ['keeps an amount above its floor', '60', { floor: '55.50' }, 'decrease budget by 20%', '60.00 IDR to 56.00 IDR'],
    [
      'keeps an amount below its ceiling',
      '60',
      { ceiling: '66.60' },
      'increase budget by 20%',
      '60.00 IDR to 66.00 IDR',
    ],
    ['keeps an amount within its step', '60', { step: '1.7%' }, 'increase budget by 20%', '60.00 IDR to 61.00 IDR'],
    ['leaves an amount that is no multiple', '60.45', {}, 'decrease budget by 3%', '60.45 IDR to 59.00 IDR'],
  ])('%s', (_, at, limits, change, amounts) => {
    const account = { currency: 'IDR', budgetUnit: money('1') };
    expect(changeIn({ at, account, request: { change, limits } })).toContain(amounts);
  });

  it('counts where the total of the account is judged', () => {
    const account = { currency: 'IDR', budgetUnit: money('1'), dailyTotalMax: money('64') };
    expect(changeIn({ at: '60', account, request: { change: 'increase budget by 7.5%' } })).toContain('to 64.00 IDR');
  });
});

describe('the amount that a change leads to', () => {
  it.each<[string, string, LimitTexts, string, string]>([
    ['a share up', '20', {}, 'increase budget by 10%', '20.00 EUR to 22.00 EUR'],
    ['a share down', '20', {}, 'decrease budget by 15%', '20.00 EUR to 17.00 EUR'],
    ['an amount up', '20', {}, 'increase budget by 2.50', '20.00 EUR to 22.50 EUR'],
    ['an amount down', '20', {}, 'decrease budget by 2.50', '20.00 EUR to 17.50 EUR'],
    ['a share with decimals', '80', {}, 'increase budget by 12.5%', '80.00 EUR to 90.00 EUR'],
    ['set, upwards', '20', { floor: '5', ceiling: '50' }, 'set budget to 30', '20.00 EUR to 30.00 EUR'],
    ['set, downwards', '20', { floor: '5', ceiling: '50' }, 'set budget to 12', '20.00 EUR to 12.00 EUR'],
    ['exactly twenty times', '1', {}, 'set budget to 20', '1.00 EUR to 20.00 EUR'],
    ['exactly a twentieth', '20', {}, 'set budget to 1', '20.00 EUR to 1.00 EUR'],
    ['up to the ceiling', '20', { ceiling: '22' }, 'increase budget by 10%', '20.00 EUR to 22.00 EUR'],
    ['down to the floor', '20', { floor: '18' }, 'decrease budget by 10%', '20.00 EUR to 18.00 EUR'],
    ['exactly the step', '20', { step: '20%' }, 'increase budget by 20%', '20.00 EUR to 24.00 EUR'],
    ['an increase may end on the floor', '20', { floor: '22' }, 'increase budget by 10%', '20.00 EUR to 22.00 EUR'],
    ['a decrease may end on the ceiling', '20', { ceiling: '18' }, 'decrease budget by 10%', '20.00 EUR to 18.00 EUR'],
    ['an increase rounds down to cents', '0.99', {}, 'increase budget by 10%', '0.99 EUR to 1.08 EUR'],
    ['a decrease rounds up to cents', '0.99', {}, 'decrease budget by 10%', '0.99 EUR to 0.90 EUR'],
    ['an increase rounds down to yen', '1009', {}, 'increase budget by 10%', '1,009 JPY to 1,109 JPY'],
    ['a decrease rounds up to yen', '1009', {}, 'decrease budget by 10%', '1,009 JPY to 909 JPY'],
    ['dinars have thousandths', '1.009', {}, 'increase budget by 10%', '1.009 KWD to 1.109 KWD'],
    ['a twentieth of a cent is no amount', '0.02', {}, 'decrease budget by 90%', '0.02 EUR to 0.01 EUR'],
    ['one yen more', '1', {}, 'increase budget by 100%', '1 JPY to 2 JPY'],
    ['an amount that was no multiple of the unit', '10.005', {}, 'increase budget by 10%', '10.005 EUR to 11.00 EUR'],
    [
      'the whole cent just below such an amount',
      '10.005',
      { floor: '5', ceiling: '20' },
      'set budget to 10',
      '10.005 EUR to 10.00 EUR',
    ],
  ])('%s', (_, at, limits, change, expected) => {
    const currency = expected.slice(-3);
    expect(changeIn({ at, account: { currency }, request: { change, limits } })).toBe(`${change}: ${expected}`);
  });
});

describe('a limit that holds a change', () => {
  it.each<[string, Omit<GuardCase, 'name' | 'reason'>, string]>([
    [
      'the step upwards',
      { at: '20', request: { change: 'increase budget by 50%', limits: { step: '20%' } } },
      'increase budget by 50%, limited by the step of 20%: 20.00 EUR to 24.00 EUR',
    ],
    [
      'the step downwards',
      { at: '20', request: { change: 'decrease budget by 10', limits: { step: '12.5%' } } },
      'decrease budget by 10, limited by the step of 12.5%: 20.00 EUR to 17.50 EUR',
    ],
    [
      'the floor',
      { request: { limits: { floor: '38', ceiling: '60' } } },
      'decrease budget by 15%, limited by the floor of 38.00 EUR: 40.00 EUR to 38.00 EUR',
    ],
    [
      'the ceiling',
      { request: { change: 'increase budget by 10%', limits: { floor: '5', ceiling: '41' } } },
      'increase budget by 10%, limited by the ceiling of 41.00 EUR: 40.00 EUR to 41.00 EUR',
    ],
    [
      'the floor, of an amount that is computed',
      { request: { change: 'set budget to 10', limits: { floor: '12', ceiling: '60' } } },
      'set budget to 10, limited by the floor of 12.00 EUR: 40.00 EUR to 12.00 EUR',
    ],
    [
      'the ceiling, of an amount that is computed',
      { request: { change: 'set budget to 100', limits: { floor: '12', ceiling: '60' } } },
      'set budget to 100, limited by the ceiling of 60.00 EUR: 40.00 EUR to 60.00 EUR',
    ],
    [
      'the nearer of step and ceiling',
      { at: '20', request: { change: 'increase budget by 50%', limits: { step: '20%', ceiling: '22' } } },
      'increase budget by 50%, limited by the ceiling of 22.00 EUR: 20.00 EUR to 22.00 EUR',
    ],
    [
      'the nearer of step and floor',
      { at: '20', request: { change: 'decrease budget by 50%', limits: { step: '10%', floor: '5' } } },
      'decrease budget by 50%, limited by the step of 10%: 20.00 EUR to 18.00 EUR',
    ],
    [
      'the step where the ceiling is as near',
      { at: '20', request: { change: 'increase budget by 50%', limits: { step: '10%', ceiling: '22' } } },
      'increase budget by 50%, limited by the step of 10%: 20.00 EUR to 22.00 EUR',
    ],
    [
      'a ceiling between two yen',
      {
        at: '1000',
        account: { currency: 'JPY' },
        request: { change: 'increase budget by 10%', limits: { ceiling: '1050.5' } },
      },
      'increase budget by 10%, limited by the ceiling of 1,050.5 JPY: 1,000 JPY to 1,050 JPY',
    ],
    [
      'a floor between two yen',
      {
        at: '1000',
        account: { currency: 'JPY' },
        request: { change: 'decrease budget by 10%', limits: { floor: '950.5' } },
      },
      'decrease budget by 10%, limited by the floor of 950.5 JPY: 1,000 JPY to 951 JPY',
    ],
    [
      'drift without a change before, which is a step as well',
      { request: { limits: { drift: ['10%', 30] } } },
      'decrease budget by 15%, limited by the drift of 10% over 30 days from 40.00 EUR: 40.00 EUR to 36.00 EUR',
    ],
    [
      'drift from the amount before the oldest change',
      {
        request: { limits: { drift: ['60%', 30] } },
        budget: { changes: [past('2026-10-22', 'rule', '90', '60'), past('2026-11-01', 'rule', '60', '40')] },
      },
      'decrease budget by 15%, limited by the drift of 60% over 30 days from 90.00 EUR: 40.00 EUR to 36.00 EUR',
    ],
    [
      'drift over a single day',
      { request: { limits: { drift: ['10%', 1] } } },
      'decrease budget by 15%, limited by the drift of 10% over 1 day from 40.00 EUR: 40.00 EUR to 36.00 EUR',
    ],
    [
      'the ceiling that nearly is the largest amount',
      {
        at: '500000000000',
        request: { change: 'increase budget by 1000%', limits: { ceiling: '999999999999.99' } },
      },
      'increase budget by 1000%, limited by the ceiling of 999,999,999,999.99 EUR: 500,000,000,000.00 EUR to 999,999,999,999.99 EUR',
    ],
  ])('is %s', (_, each, expected) => {
    expect(changeIn(each)).toBe(expected);
  });

  it('rounds the largest amount to whole cents', () => {
    const amount = micros(2n ** 63n - 1_000_000n);
    const changes = { target: rational(2n ** 63n - 1n) };
    expect(changeIn({ budget: { amount }, request: { change: 'set budget to 1', changes } })).toBe(
      'set budget to 1: 9,223,372,036,853.775808 EUR to 9,223,372,036,854.77 EUR',
    );
  });
});

describe('a guard that allows the change', () => {
  const went = 'decrease budget by 15%: 40.00 EUR to 34.00 EUR';
  const rose = 'increase budget by 10%: 40.00 EUR to 44.00 EUR';
  it.each<[string, Omit<GuardCase, 'name' | 'reason'>, string]>([
    [
      'a cooldown of exactly three days',
      { request: { limits: { cooldown: 3 } }, budget: { changes: [past('2026-11-17', 'rule', '50', '40')] } },
      went,
    ],
    [
      'a cooldown over the end of a leap February',
      {
        request: { limits: { cooldown: 3 } },
        account: { today: civilDate('2028-03-02') },
        budget: { changes: [past('2028-02-28', 'rule', '50', '40')] },
      },
      went,
    ],
    ['a NO of yesterday', { budget: { rejected: no('2026-11-19') } }, went],
    [
      'a NO of as many days ago as the cooldown has',
      { request: { limits: { cooldown: 3 } }, budget: { rejected: no('2026-11-17') } },
      went,
    ],
    ['a rule without a cooldown', { budget: { changes: [past('2026-11-19', 'undo', '50', '40')] } }, went],
    ['a foreign change of yesterday', { budget: { changes: [past('2026-11-19', 'foreign', '50', '40')] } }, went],
    [
      'a drift that looks no further back than thirty days',
      {
        request: { limits: { drift: ['50%', 30] } },
        budget: { changes: [past('2026-10-21', 'rule', '90', '60'), past('2026-11-01', 'rule', '60', '40')] },
      },
      went,
    ],
    ['a decrease in an account over its total', { account: { dailyTotalMax: money('1') } }, went],
    ['a decrease on a day over its worst case', { account: { dailyExposureMax: money('1') } }, went],
    [
      'an increase up to the total exactly',
      {
        request: { change: 'increase budget by 10%' },
        account: { dailyTotalMax: money('104'), dailyExposureMax: money('208') },
        others: [budgetOf(B72, '60')],
      },
      rose,
    ],
    [
      'a budget that is removed in the totals',
      {
        request: { change: 'increase budget by 10%' },
        account: { dailyTotalMax: money('44'), dailyExposureMax: money('88') },
        others: [budgetOf(B72, '60', { removed: true })],
      },
      rose,
    ],
    [
      'an increase to no more than the budget had earlier today',
      {
        request: { change: 'increase budget by 10%' },
        account: { dailyExposureMax: money('1') },
        budget: { changes: [past('2026-11-20', 'rule', '50', '40')] },
      },
      rose,
    ],
    [
      'what another budget had yesterday',
      {
        request: { change: 'increase budget by 10%' },
        account: { dailyExposureMax: money('208') },
        others: [budgetOf(B72, '60', { changes: [past('2026-11-19', 'rule', '150', '60')] })],
      },
      rose,
    ],
    ["another budget's troubles", { others: [budgetOf(B72, '60', { outcomeOpen: true, proposed: 'K7QP' })] }, went],
  ])('%s', (_, each, expected) => {
    expect(changeIn(each)).toBe(expected);
  });
});
