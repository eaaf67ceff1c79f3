import { describe, expect, it } from 'vitest';
import {
  guardTotals,
  guardTotalsOf,
  totalsAfter,
  totalsOf,
} from '../../../src/language/rules/decide/account-totals.ts';
import { guardStanding, type Standing } from '../../../src/language/rules/decide/guard.ts';
import { accountOf, B71, B72, budgetOf, money } from './guard-fixtures.ts';

const ABOUT = { label: 'C21', campaignId: undefined };

function standingOf(changes: Parameters<typeof accountOf>[1]): Standing {
  const standing = guardStanding(B71, ABOUT, accountOf([budgetOf(B71, '40'), budgetOf(B72, '60')], changes));
  if (standing.kind !== 'standing') throw new Error(standing.code);
  return standing;
}

describe("the account's bounds", () => {
  const over = standingOf({ dailyTotalMax: money('1'), dailyExposureMax: money('1') });
  const totals = totalsOf(over.account);

  it.each([
    ['less', '39.99', undefined],
    ['as much as before', '40', undefined],
    ['more', '40.01', 'ACCOUNT_TOTAL'],
  ])('that are passed already refuse no budget that gets %s', (_, to, code) => {
    expect(guardTotals(totals, over, money(to))?.code).toBe(code);
  });

  it.each([
    ['less', '39', money('100')],
    ['as much', '40', money('100')],
    ['more', '41', money('101')],
  ])('count a decision for %s as it may be at worst', (_, to, daily) => {
    expect(totalsAfter(totals, over, money(to))).toEqual({ daily, highest: daily });
  });

  it('count a budget whose decrease is under way with the amount that it has now', () => {
    const account = accountOf([budgetOf(B71, '40'), budgetOf(B72, '60', { mayBecome: money('50') })]);
    expect(totalsOf(account)).toEqual({ daily: money('100'), highest: money('100') });
  });

  it.each([
    ['that exists makes the total unknown', false, 'TOTAL_UNKNOWN'],
    ['that was removed counts nothing', true, undefined],
  ])('a budget without an amount %s', (_, removed, code) => {
    const account = accountOf([budgetOf(B71, '40'), budgetOf(B72, '0', { removed })], { dailyTotalMax: money('100') });
    expect(guardTotalsOf(account, B71, money('41'))?.code).toBe(code);
  });
});
