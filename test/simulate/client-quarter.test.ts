import { describe, expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { isLong } from '../support/effort.ts';
import { tempDir } from '../support/temp-dir.ts';
import { clientQuarter, inputsWith, RATES } from './client-quarter.ts';
import { simulateIn } from './simulate-in.ts';

/** `npm run bench -- clients` has a hundred. */
const SEEDS = isLong ? [1, 2, 3, 4, 5] : [1];

it.each(SEEDS)('four accounts end each month of a quarter within 2 percent of their target: seed %i', async (seed) => {
  const months = await clientQuarter(tempDir(), seed);
  expect(months).toHaveLength(3);
  for (const share of months) expect(Math.abs(share)).toBeLessThanOrEqual(0.02);
});

const target = (members: string, more = '') =>
  `description: Two countries.\ncurrency: EUR\namount: 9000\nmembers: ${members}\nlimits: { floor: 5 }\n${more}`;
const TWO = '[{ account: 4081725530 }, { account: 7350926148 }]';

describe('a simulation with a target', () => {
  it('changes the budgets of one account, and shows the spend of all accounts', async () => {
    const inputs = await inputsWith(tempDir(), { 'targets/client.yaml': target(TWO), 'exchange_rates.csv': RATES });
    const first = await simulateIn(inputs, { days: 31, campaigns: undefined });
    const other = await simulateIn(inputs, { days: 31, campaigns: undefined, customerId: customerId('7350926148') });
    expect(first.targets).toEqual(other.targets);
    const [january] = first.targets;
    expect(january).toMatchObject({ target: 'client', currency: 'EUR', from: '2026-01-01', to: '2026-01-31' });
    const gbp = { n: 117n, d: 100n };
    const inEur = first.with.spendMicros + (other.with.spendMicros * gbp.n) / gbp.d;
    expect(Math.abs(Number((january?.withMicros ?? 0n) - inEur))).toBeLessThanOrEqual(1);
    expect(first.changes.length).toBeGreaterThan(0);
    expect(new Set([...first.changes, ...other.changes].map(({ rule }) => rule))).toEqual(new Set(['client']));
  });

  it('gives each budget to one of two targets', async () => {
    const some = `[{ account: 4081725530, where: "campaign_name LIKE '%e%'" }]`;
    const files = { 'targets/a.yaml': target(TWO), 'targets/b.yaml': target(some), 'exchange_rates.csv': RATES };
    const { changes } = await simulateIn(await inputsWith(tempDir(), files), { days: 10, campaigns: undefined });
    expect(changes.length).toBeGreaterThan(0);
    const decided = changes.map(({ day, budgetId }) => `${day} ${budgetId}`);
    expect(new Set(decided).size).toBe(decided.length);
  });

  it.each<[what: string, members: string, rates: string, left: object]>([
    [
      'an account that is not in the market',
      '[{ account: 4081725530 }, { account: 1234567890 }]',
      RATES,
      { leftOut: 'account 1234567890 is not simulated' },
    ],
    [
      'no rate',
      TWO,
      RATES.replace(/.*GBP.*\n/, ''),
      { notEvaluated: 5, notEvaluatedWhy: 'no exchange rate of GBP to EUR is known' },
    ],
  ])('leaves out a target with %s, and says so', async (_what, members, rates, left) => {
    const files = { 'targets/client.yaml': target(members), 'exchange_rates.csv': rates };
    const result = await simulateIn(await inputsWith(tempDir(), files), { days: 5, campaigns: undefined });
    expect(result.changes).toEqual([]);
    expect(result.targets).toEqual([]);
    expect(result.rules).toMatchObject([{ rule: 'client', changes: 0, ...left }]);
  });
});
