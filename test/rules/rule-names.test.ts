import { describe, expect, it } from 'vitest';
import { rational } from '../../src/domain/rational.ts';
import { namesOf, valuesOf } from '../../src/rules/rule-names.ts';
import { money, QUERIES } from './rule-fixtures.ts';

describe('the names of a condition', () => {
  it('are the columns but the day, an amount beside every micros, and the budget', () => {
    expect([...namesOf(QUERIES.get('stats')?.columns ?? [])]).toEqual([
      ['campaign_id', 'number'],
      ['campaign_name', 'text'],
      ['campaign_status', 'text'],
      ['campaign_budget_explicitly_shared', 'number'],
      ['impressions', 'number'],
      ['clicks', 'number'],
      ['cost_micros', 'number'],
      ['cost', 'money'],
      ['budget', 'money'],
    ]);
  });
});

describe('the values of a campaign', () => {
  const valueFor = valuesOf({
    metrics: new Map<string, bigint | number>([
      ['clicks', 0n],
      ['cost_micros', 2_500_000n],
      ['ctr', 0.25],
    ]),
    attributes: new Map([
      ['campaign_name', 'Shoes'],
      ['campaign_status', null],
    ]),
    budget: money('20'),
  });

  it.each([
    ['a count that is zero is zero', 'clicks', rational(0n)],
    ['a sum of micros is exact', 'cost_micros', rational(2_500_000n)],
    ['an amount is in currency units', 'cost', rational(5n, 2n)],
    ['the budget is in currency units', 'budget', rational(20n)],
    ['a double is the decimal it is written as', 'ctr', rational(1n, 4n)],
    ['text is text', 'campaign_name', 'Shoes'],
    ['null is unknown', 'campaign_status', undefined],
    ['a name that is not there is unknown', 'conversions', undefined],
    ['a name of every object is unknown', 'constructor', undefined],
  ])('%s', (_, name, expected) => {
    expect(valueFor(name)).toEqual(expected);
  });

  it('an unknown budget is unknown, not zero', () => {
    expect(valuesOf({ metrics: new Map(), attributes: new Map(), budget: undefined })('budget')).toBeUndefined();
  });
});
