import { describe, expect, it } from 'vitest';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { accountOf, budgetOf, row } from '../evaluated.ts';
import { type RuleText, ruleOf } from '../rule-fixtures.ts';
import { type LiveAccount, liveThrough } from './live-days.ts';
import { costing, PACED, pacedVerdict, readingOf, steady } from './paced.ts';

const at = (amount: string) => accountOf({ 1: budgetOf(71, amount) });

describe('the carry-over', () => {
  // 15 days of October at 60, then 19 of November at 100.
  const rows = [
    ...costing(Array.from({ length: 19 }, () => 100)),
    ...steady(60, 15).map((one) => ({ ...one, ago: Number(one.ago) + 19 })),
  ];
  const carried = (rollover: string, starts = '2026-10-17') => {
    const { carried: over, target } = readingOf(
      pacedVerdict({ pace: `{ rollover: ${rollover}, starts: ${starts} }` }, rows, at('100')),
    );
    return [Number(over.n / over.d) / 1e6, Number(target.n / target.d) / 1e6];
  };

  it.each([
    ['none', [0, 3000]],
    ['under', [551.612903, 3551.612903]],
    ['both', [551.612903, 3551.612903]],
    ['over', [0, 3000]],
  ])('of underspend by %s', (rollover, expected) => {
    expect(carried(rollover)).toEqual(expected);
  });

  it('is complete: all targets together equal past spend plus the remaining spend', () => {
    const {
      target,
      wholeTarget,
      carried: over,
    } = readingOf(pacedVerdict({ pace: '{ rollover: both, starts: 2026-10-17 }' }, rows, at('100')));
    // 15 of 31 days of October's 3,000, of which 900 was spent.
    expect(Number(over.n) / Number(over.d)).toBeCloseTo((3_000_000_000 * 15) / 31 - 900_000_000, 0);
    expect(Number(target.n) / Number(target.d)).toBeCloseTo(Number(wholeTarget) + Number(over.n) / Number(over.d), 0);
  });

  it('excludes months before the first row', () => {
    const text = { pace: '{ rollover: both, starts: 2026-01-01 }' };
    const { carried: over, carriedMonths } = readingOf(pacedVerdict(text, steady(95, 10), at('100')));
    expect([over.n, carriedMonths]).toEqual([0n, 0]);
  });

  it('counts from the first week with rows', () => {
    // Since the 25th of October: its week begins on the 22nd, and ten of 31 days are 967.74.
    const text = { pace: '{ rollover: both, starts: 2026-08-01 }' };
    const verdict = pacedVerdict(text, steady(100, 26), at('100'));
    const { carried: over, carriedMonths } = readingOf(verdict);
    expect([Number(over.n / over.d) / 1e6, carriedMonths]).toEqual([267.741935, 1]);
    expect(verdict.explain()).toContain('with 267.74 carried over from 1 earlier month:');
  });

  it('with under is at most one monthly target', () => {
    const rows = [...steady(100, 19), row({ ago: 19 + 31 + 28, cost_micros: 1n })];
    const text = { pace: '{ rollover: under, starts: 2026-08-01 }' };
    const { carried: over } = readingOf(pacedVerdict(text, rows, at('100')));
    expect(over.n / over.d).toBe(3_000_000_000n);
  });

  it('reports a target of nothing if overspend exceeds it', () => {
    const rows = steady(400, 80);
    const text = { pace: '{ rollover: over, starts: 2026-09-01 }', limits: '{ floor: 5 }' };
    expect(pacedVerdict(text, rows, at('400')).explain()).toContain('paced to nothing in November');
  });

  it('counts at most 24 months back', () => {
    const once = Array.from({ length: 60 }, (_, index) => row({ ago: 1 + index * 20 }));
    const { carriedMonths } = readingOf(
      pacedVerdict({ pace: '{ rollover: both, starts: 2023-10-31 }' }, once, at('100')),
    );
    expect(carriedMonths).toBe(24);
  });
});

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
describe('the month after an overspent month reaches its target', () => {
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

it('raises budgets again on Monday for a curve without weekends', () => {
  const { '2026-11': november = 0 } = months(
    { pace: '{ curve: [1, 1, 1, 1, 1, 0, 0] }', limits: '{ floor: 5 }' },
    { from: civilDate('2026-11-01'), campaigns: [{ budget: 130, demandOn: () => 500 }] },
  );
  expect(november).toBeGreaterThan(2_700);
  expect(november).toBeLessThan(3_150);
});

it('cuts an overspent month without a floor to a twentieth a day, down to the smallest amount', () => {
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
it('at most doubles a budget per day for a target with an extra digit', () => {
  const account: LiveAccount = {
    rule: ruleOf({ ...PACED, change: 'pace budget to 30000 per month' }),
    campaigns: [{ budget: 100, demandOn: () => 5_000 }],
    from: civilDate('2026-11-01'),
    to: civilDate('2026-11-04'),
  };
  const amounts = [...liveThrough(account)].map(({ after }) => Number(after.get('71')) / 1_000_000);
  expect(amounts).toEqual([200, 400, 800, 1_059.25]);
});
