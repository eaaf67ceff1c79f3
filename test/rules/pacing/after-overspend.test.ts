import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { type RuleText, ruleOf } from '../rule-fixtures.ts';
import { type LiveAccount, liveThrough } from './live-days.ts';
import { PACED } from './paced.ts';

/** What each month came to, in units. */
function months(text: RuleText, live: Partial<LiveAccount> = {}): Record<string, number> {
  const spent: Record<string, number> = {};
  const account: LiveAccount = {
    rule: ruleOf({ ...PACED, ...text }),
    campaigns: [{ budget: 300, demandOn: () => 500 }],
    from: civilDate('2026-10-20'),
    to: civilDate('2026-11-30'),
    ...live,
  };
  for (const { today, cost } of liveThrough(account)) {
    const month = today.slice(0, 7);
    spent[month] = (spent[month] ?? 0) + Number(cost) / 1_000_000;
  }
  return spent;
}

// Nineteen days of October at 300 a day leave nothing of 3,000; November has all of it.
describe('the month after one that was overspent comes to its target', () => {
  it.each<[string, RuleText, Partial<LiveAccount>]>([
    ['from a floor that buys one click', { limits: '{ floor: 5, ceiling: 400 }' }, { clickMicros: 3_640_000n }],
    ['from a floor that buys no click', { limits: '{ floor: 1, ceiling: 400 }' }, { clickMicros: 3_640_000n }],
    ['from a floor that is more than twenty times away', { limits: '{ floor: 2, ceiling: 400 }' }, {}],
    ['without limits', { limits: undefined }, {}],
    ['without limits, of clicks that are dear', { limits: undefined }, { clickMicros: 3_640_000n }],
    ['with numbers that settle late', { limits: '{ floor: 5 }' }, { settleDays: 3, clickMicros: 3_640_000n }],
    ['by steps', { limits: '{ floor: 5, step: 50% }' }, { settleDays: 2, clickMicros: 3_640_000n }],
    [
      'shared by several, whose clicks the floor does not buy',
      { for: 'account', limits: '{ floor: 2, ceiling: 200 }' },
      { clickMicros: 3_640_000n, campaigns: [150, 90, 60].map((budget) => ({ budget, demandOn: () => budget * 2 })) },
    ],
  ])('%s', (_, text, live) => {
    const { '2026-11': november = 0 } = months(text, live);
    expect(november).toBeGreaterThan(2_700);
    expect(november).toBeLessThan(3_150);
  });
});

it('a curve without weekends comes up again on Monday', () => {
  const { '2026-11': november = 0 } = months(
    { pace: '{ curve: [1, 1, 1, 1, 1, 0, 0] }', limits: '{ floor: 5 }' },
    { from: civilDate('2026-11-01'), campaigns: [{ budget: 130, demandOn: () => 500 }] },
  );
  expect(november).toBeGreaterThan(2_700);
  expect(november).toBeLessThan(3_150);
});

it('an overspent month without a floor goes down to a twentieth a day, and to the smallest amount at last', () => {
  const account: LiveAccount = {
    rule: ruleOf(PACED),
    campaigns: [{ budget: 300, demandOn: () => 500 }],
    from: civilDate('2026-10-20'),
    to: civilDate('2026-10-26'),
  };
  const amounts = [...liveThrough(account)].map(({ after }) => Number(after.get('71')) / 1_000_000);
  expect(amounts).toEqual([15, 0.75, 0.04, 0.01, 0.01, 0.01, 0.01]);
});

// What is left after 1,400 in three days is 1,059.25 for each of the other 27.
it('a target with a digit too many doubles a budget a day, and no more', () => {
  const account: LiveAccount = {
    rule: ruleOf({ ...PACED, change: 'pace budget to 30000 per month' }),
    campaigns: [{ budget: 100, demandOn: () => 5_000 }],
    from: civilDate('2026-11-01'),
    to: civilDate('2026-11-04'),
  };
  const amounts = [...liveThrough(account)].map(({ after }) => Number(after.get('71')) / 1_000_000);
  expect(amounts).toEqual([200, 400, 800, 1_059.25]);
});
