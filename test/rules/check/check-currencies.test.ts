import { describe, expect, it } from 'vitest';
import { checkCurrencies } from '../../../src/language/rules/check/check-currencies.ts';
import { place } from '../../gaql/findings.ts';
import { type RuleText, ruleOf } from '../rule-fixtures.ts';

const check = (changes: RuleText, currencies: readonly string[]) => checkCurrencies([ruleOf(changes)], currencies);

describe('an amount without a currency', () => {
  it.each<[string, RuleText, readonly string[], string[]]>([
    ['is refused with two account currencies', {}, ['EUR', 'USD'], ['AMOUNT_WITHOUT_CURRENCY 5:40-5:44']],
    [
      'is refused in a limit',
      { when: 'clicks > 3', limits: '{ floor: 5 }' },
      ['EUR', 'USD'],
      ['AMOUNT_WITHOUT_CURRENCY 7:18-7:19'],
    ],
    [
      'is refused in a change',
      { when: 'clicks > 3', change: 'increase budget by 5' },
      ['EUR', 'USD'],
      ['AMOUNT_WITHOUT_CURRENCY 6:28-6:29'],
    ],
    ['is accepted if all accounts have one currency', {}, ['EUR', 'EUR'], []],
    ['is accepted if no currency is known', {}, [], []],
    ['is accepted if the rule names a currency', { currency: 'EUR' }, ['EUR', 'USD'], []],
    ['does not exist if only amounts are compared', { when: 'cost > budget' }, ['EUR', 'USD'], []],
  ])('%s', (_, changes, currencies, places) => {
    expect(check(changes, currencies).map(({ diagnostic }) => place(diagnostic))).toEqual(places);
  });

  it('lists the currencies', () => {
    const [found] = check({}, ['USD', 'EUR', 'JPY', 'EUR']);
    expect(found?.rule.name).toBe('a-rule');
    expect(`${found?.diagnostic.message} ${found?.diagnostic.hint}`).toMatchInlineSnapshot(
      `"The rule has an amount without a currency, but the accounts use EUR, JPY and USD. Add "currency: EUR" to the rule, and write one rule per currency."`,
    );
  });
});
