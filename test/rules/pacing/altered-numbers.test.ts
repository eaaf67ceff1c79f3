import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { larger } from '../../../src/language/rules/pacing/paced-budgets.ts';
import { byEffort } from '../../support/effort.ts';
import { accountOf, budgetOf, row, TODAY, verdictsOf } from '../evaluated.ts';
import { money } from '../rule-fixtures.ts';
import { PACED, readingOf } from './paced.ts';

const AMOUNTS = ['0', '0.01', '20', '100', '900000'] as const;
const COSTS = [0n, 1n, 100_000_000n, 9_223_372_036_854_775_807n] as const;
/** The most that the budgets were of late. */
const PEAK = '200';

/** Days may be missing, there twice, or still to come. */
const rowsOf = (campaign: bigint) => {
  const usual = fc.bigInt({ min: 0n, max: 200_000_000n });
  const altered = fc.constantFrom<(bigint | null)[]>(...COSTS, -1n, -3_000_000_000n, null);
  const cost = fc.oneof({ weight: 60, arbitrary: usual }, { weight: 1, arbitrary: altered });
  const scattered = fc.array(fc.tuple(fc.integer({ min: -15, max: 60 }), cost), { maxLength: 30 });
  const refund = fc.bigInt({ min: -900_000_000n, max: 0n });
  const each = fc.oneof({ weight: 8, arbitrary: usual }, { weight: 2, arbitrary: refund });
  const refunded = fc.array(each, { minLength: 28, maxLength: 28 }).map((costs) => [...costs.entries()]);
  return fc
    .oneof(scattered, refunded)
    .map((days) => days.map(([ago, cost_micros]) => row({ ago, campaign_id: campaign, cost_micros })));
};

it('decides with a reason and raises no budget beyond a limit, even with altered numbers', () => {
  const rules = fc.record({
    for: fc.constantFrom('campaign', 'budget', 'account'),
    target: fc.constantFrom('0.01', '3000', '900000000'),
    curve: fc.constantFrom('even', 'weekday', 'early', 'late', '[0, 0, 0, 0, 1, 0, 0]'),
    more: fc.constantFrom('', ', rollover: both, starts: 2026-09-10', ', ends: 2026-11-25'),
    limits: fc.constantFrom(undefined, '{ floor: 5, ceiling: 400 }', '{ floor: 500 }'),
  });
  fc.assert(
    fc.property(
      rules,
      fc.tuple(rowsOf(1n), rowsOf(2n)),
      fc.tuple(fc.constantFrom(...AMOUNTS), fc.constantFrom(...AMOUNTS)),
      fc.tuple(fc.integer({ min: -20, max: 12 }), fc.integer({ min: 1, max: 4 })),
      ({ target, curve, more, ...rule }, rows, [one, other], [shift, lag]) => {
        const today = addDays(TODAY, shift);
        const highestOn = () => money(PEAK);
        const days = { today, lastSettled: addDays(today, -lag), highestOn };
        const account = accountOf({ 1: budgetOf(71, one), 2: budgetOf(72, other) }, days);
        const pace = `{ curve: ${curve}${more} }`;
        const text = { ...PACED, ...rule, change: `pace budget to ${target} per month`, pace };
        for (const verdict of verdictsOf(text, rows.flat(), account)) {
          const reading = readingOf(verdict);
          expect(reading.why).not.toBe('');
          for (const { budgetId, target: wanted } of verdict.requests()) {
            const now = money(budgetId === '71' ? one : other);
            const to = wanted === undefined ? -1n : wanted.n / wanted.d;
            expect(to).toBeGreaterThanOrEqual(0n);
            if (to <= now) continue;
            expect(to).toBeLessThanOrEqual(20n * now);
            expect(to).toBeLessThanOrEqual(2n * larger(now, money(PEAK)));
            expect(to * reading.target.d).toBeLessThanOrEqual(2n * reading.target.n);
          }
        }
      },
    ),
    { numRuns: byEffort({ quick: 40, thorough: 200, long: 1000 }) },
  );
});
