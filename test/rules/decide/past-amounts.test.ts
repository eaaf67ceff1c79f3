import { describe, expect, test } from 'vitest';
import type { PastChange } from '../../../src/domain/budget-change.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { highestOn } from '../../../src/language/rules/decide/account-totals.ts';
import { money } from '../rule-fixtures.ts';

const change = (day: string, from: string, to: string): PastChange => ({
  day: civilDate(day),
  by: 'rule',
  from: money(from),
  to: money(to),
});

describe('the highest amount that a budget had on a day', () => {
  const cases: readonly [string, PastChange[], string][] = [
    ['is the amount now where nothing was changed since', [], '40'],
    ['is the amount now where the last change came before', [change('2026-11-17', '60', '40')], '40'],
    ['is what it was before a change of a later day', [change('2026-11-19', '60', '40')], '60'],
    ['is not what a later day raised it to', [change('2026-11-19', '30', '40')], '30'],
    ['is not what an earlier day had', [change('2026-11-17', '90', '30'), change('2026-11-19', '30', '40')], '30'],
    [
      'is what somebody else set unseen before the next change, where that is higher',
      [change('2026-11-18', '50', '45'), change('2026-11-19', '60', '40')],
      '60',
    ],
    ['is what it was when the day began, where it was lowered', [change('2026-11-18', '60', '40')], '60'],
    ['is what it was raised to, where that is higher', [change('2026-11-18', '30', '40')], '40'],
    [
      'is the highest of several changes of the day',
      [change('2026-11-18', '30', '90'), change('2026-11-18', '90', '20'), change('2026-11-19', '20', '40')],
      '90',
    ],
  ];
  test.each(cases)('%s', (_, changes, expected) => {
    expect(highestOn(civilDate('2026-11-18'), money('40'), changes)).toBe(money(expected));
  });
});
