import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { splitDay } from '../../../src/sandbox/ads/split-row.ts';
import { type Budget, unitsOf } from '../../../src/sandbox/market/market.ts';
import { hashOf } from '../../../src/sandbox/market/random.ts';
import { conversionsOf, LAG_DAYS_MAX } from '../../../src/sandbox/market/results.ts';
import { seededMarket } from '../../../src/sandbox/market/seeded-market.ts';

const DAY = civilDate('2026-11-01');
const RESULTS = { conversionsPerClick: 0.05, orderValue: 80 };

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

describe('conversions of the market', () => {
  const known = (hash: number, clicks: number, age: number) => conversionsOf(hash, DAY, clicks, RESULTS, age);

  it('arrive late, and change no more after 30 days', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 0, max: 2000 }),
        fc.double({ min: 0, max: 40, noNaN: true }),
        (...drawn) => {
          const [hash, clicks, age] = drawn;
          const all = known(hash, clicks, 1000);
          expect(known(hash, clicks, LAG_DAYS_MAX)).toEqual(all);
          // What was known and is gone was withdrawn by a correction. Nothing else disappears.
          const withdrawn = known(hash, clicks, age).filter((one) => !all.some((other) => sameConversion(one, other)));
          expect(withdrawn.length).toBeLessThanOrEqual(Math.max(3, 0.3 * known(hash, clicks, age).length));
          for (const { click } of all) expect(click).toBeLessThan(clicks);
        },
      ),
    );
  });

  it('come to about the rate, of which half is known after a day', () => {
    const counts = (age: number) =>
      total(Array.from({ length: 400 }, (_, hash) => known(hash, 100, age).filter(({ primary }) => primary).length));
    expect(counts(1000)).toBeGreaterThan(0.85 * 400 * 5);
    expect(counts(1000)).toBeLessThan(1.05 * 400 * 5);
    expect(counts(1) / counts(1000)).toBeGreaterThan(0.4);
    expect(counts(1) / counts(1000)).toBeLessThan(0.65);
  });

  it('some count in part, and are never of a campaign that does not convert', () => {
    const all = Array.from({ length: 100 }, (_, hash) => known(hash, 200, 31)).flat();
    expect(all.some(({ hundredths }) => hundredths < 100)).toBe(true);
    expect(all.every(({ hundredths }) => hundredths >= 10 && hundredths <= 100)).toBe(true);
    const none = conversionsOf(7, DAY, 5000, { conversionsPerClick: 0, orderValue: 80 }, 31);
    expect(none.filter(({ primary }) => primary)).toEqual([]);
  });
});

const sameConversion = (one: { click: number; valueHundredths: number }, other: typeof one): boolean =>
  one.click === other.click && one.valueHundredths === other.valueHundredths;

describe('a day of a unit', () => {
  it('split into parts, each number sums up to the whole, with clicks within impressions', () => {
    const weights = fc
      .array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 24 })
      .filter((w) => total(w) > 0);
    fc.assert(
      fc.property(
        fc.nat(5000),
        fc.nat(1000),
        fc.nat(3000),
        fc.nat(9_000_000),
        weights,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (clicks, unclicked, lost, clickCost, drawn, luck) => {
          const day = {
            impressions: clicks + unclicked,
            clicks,
            costMicros: clicks * clickCost,
            wanted: clicks + unclicked + lost,
            conversions: conversionsOf(clicks, DAY, clicks, RESULTS, 31),
          };
          const parts = splitDay(
            day,
            drawn.map((weight) => weight / total(drawn)),
            luck,
          );
          expect(total(parts.map((part) => part.impressions))).toBe(day.impressions);
          expect(total(parts.map((part) => part.clicks))).toBe(day.clicks);
          expect(total(parts.map((part) => part.costMicros))).toBe(day.costMicros);
          expect(total(parts.map((part) => part.wanted))).toBe(day.wanted);
          expect(parts.flatMap((part) => part.conversions)).toHaveLength(day.conversions.length);
          for (const part of parts) {
            expect(part.clicks).toBeGreaterThanOrEqual(0);
            expect(part.clicks).toBeLessThanOrEqual(part.impressions);
            expect(part.impressions).toBeLessThanOrEqual(part.wanted);
            expect(part.costMicros).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});

describe('the seeded market', () => {
  it('never spends past what a budget may spend, nor shows more than is wanted', () => {
    for (const seed of [1, 2, 3]) {
      const market = seededMarket(seed);
      for (const account of market.accounts) {
        const units = unitsOf(account);
        for (const back of [1, 20, 89]) {
          const today = civilDate('2026-11-20');
          const spent = new Map<Budget, number>();
          const moment = { today, elapsedShare: 0.5, amountOn: ({ baseAmount }: Budget) => baseAmount };
          market.visitDay(account, addDays(today, -back), moment, (unit, impressions, clicks, cost, wanted) => {
            const budget = units[unit]?.campaign.budget;
            if (budget !== undefined) spent.set(budget, (spent.get(budget) ?? 0) + cost);
            expect(clicks).toBeLessThanOrEqual(impressions);
            expect(impressions).toBeLessThanOrEqual(wanted);
          });
          for (const [{ baseAmount }, cost] of spent) expect(cost).toBeLessThanOrEqual(1.031 * Number(baseAmount));
        }
      }
    }
  });

  it('gives its units streams of their own', () => {
    expect(new Set(Array.from({ length: 500 }, (_, unit) => hashOf(`results|1|4081725530|${unit}`))).size).toBe(500);
  });
});
