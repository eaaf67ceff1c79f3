import { describe, expect, it } from 'vitest';
import { daysOf } from '../../src/domain/civil-date.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { formatRational, rational } from '../../src/domain/rational.ts';
import type { Budget } from '../../src/sandbox/market/market.ts';
import { simulatedMarket } from '../../src/sandbox/market/simulated-market.ts';
import { spendDay } from '../../src/sandbox/simulation/spent-day.ts';
import { isLong } from '../support/effort.ts';
import { inputsOf, simulateIn } from './simulate-in.ts';

const MONTH = { from: civilDate('2026-01-01'), to: civilDate('2026-01-31') };
const CAMPAIGNS = 3;
const SEEDS = Array.from({ length: 100 }, (_, seed) => seed + 1).filter((seed) => isLong || seed % 10 === 0);
/** Of what is spent without the rule. */
const PERCENTS = isLong ? [60n, 80n, 115n, 130n] : [80n, 120n];
/** A target that takes every last search of the month allows for no pacing. */
const BAND_PERCENT = 105n;

const paced = (targetMicros: bigint) => `description: Keeps the account on its month.
from: stats
for: account
currency: EUR
change: pace budget to ${formatRational(rational(targetMicros, 1_000_000n), 2)} per month
`;

/** What the month comes to with budgets that never change. */
function spentBy(seed: number, amountOf: (budget: Budget) => Budget['baseAmount']): bigint {
  const market = simulatedMarket(seed, { kind: 'planned', campaigns: CAMPAIGNS }, true);
  return daysOf(MONTH).reduce((sum, day) => sum + spendDay(market, day, amountOf).totals.spendMicros, 0n);
}

const distance = (spent: bigint, target: bigint): bigint => (spent > target ? spent - target : target - spent);

it('a month after an overspent one spends its budget and leaves the floor', async () => {
  const seed = 1;
  const february = daysOf({ from: civilDate('2026-02-01'), to: civilDate('2026-02-28') });
  const market = simulatedMarket(seed, { kind: 'planned', campaigns: CAMPAIGNS }, true);
  const free = february.reduce(
    (sum, day) => sum + spendDay(market, day, ({ baseAmount }) => baseAmount).totals.spendMicros,
    0n,
  );
  const target = (free * 80n) / 100n;
  const rule = `${paced(target)}pace: { months: { 2026-01: 1 } }\nlimits: { floor: 1, ceiling: 10000 }\n`;
  const from = civilDate('2026-01-20');
  const { byDay } = await simulateIn(inputsOf({ 'pace.yaml': rule }), { days: 40, seed, campaigns: CAMPAIGNS, from });
  const spent = byDay.filter(({ date }) => date >= '2026-02-01').reduce((sum, day) => sum + day.with.spendMicros, 0n);
  expect(distance(spent, target) * 100n).toBeLessThan(target * 10n);
});

it('a flight over two months spends its amount in its days', async () => {
  const flight = { from: civilDate('2026-01-20'), to: civilDate('2026-02-18') };
  const market = simulatedMarket(1, { kind: 'planned', campaigns: CAMPAIGNS }, true);
  const free = daysOf(flight).reduce(
    (sum, day) => sum + spendDay(market, day, ({ baseAmount }) => baseAmount).totals.spendMicros,
    0n,
  );
  const target = (free * 80n) / 100n;
  const rule = paced(target).replace('per month', `from ${flight.from} to ${flight.to}`);
  const inputs = inputsOf({ 'pace.yaml': `${rule}limits: { floor: 1, ceiling: 10000 }\n` });
  const order = { days: 40, seed: 1, campaigns: CAMPAIGNS, from: civilDate('2026-01-15') };
  const { byDay, changes } = await simulateIn(inputs, order);
  const spent = byDay
    .filter(({ date }) => date >= flight.from && date <= flight.to)
    .reduce((sum, day) => sum + day.with.spendMicros, 0n);
  expect(distance(spent, target) * 100n).toBeLessThan(target * 5n);
  expect(changes.filter(({ day }) => day < flight.from || day > flight.to)).toEqual([]);
});

describe('a month with a target', () => {
  it.each(SEEDS)('ends closer to its target than without the rule if demand allows: seed %i', async (seed) => {
    const free = spentBy(seed, ({ baseAmount }) => baseAmount);
    const demand = spentBy(seed, () => micros(10n ** 12n));
    for (const percent of PERCENTS) {
      const target = (free * percent) / 100n;
      if (demand * 100n < target * BAND_PERCENT) continue;
      const rules = inputsOf({ 'pace.yaml': paced(target) });
      const { with: ruled, without } = await simulateIn(rules, { days: 31, seed, campaigns: CAMPAIGNS });
      expect(without.spendMicros).toBe(free);
      expect(distance(ruled.spendMicros, target), `${percent} % of what is spent without`).toBeLessThan(
        distance(without.spendMicros, target),
      );
    }
  });
});
