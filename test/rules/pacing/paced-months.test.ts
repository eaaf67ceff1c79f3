import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, addMonths, type CivilDate, endOfGrain, weekdayOf } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { add, compare, multiply, type Rational, rational } from '../../../src/domain/rational.ts';
import type { PaceReading } from '../../../src/language/rules/pacing/pace.ts';
import type { Rule } from '../../../src/language/rules/rule.ts';
import { byEffort } from '../../support/effort.ts';
import { ruleOf } from '../rule-fixtures.ts';
import { type LiveDay, liveThrough } from './live-days.ts';
import { PACED } from './paced.ts';

const CENT = 10_000n;

const maybe = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined });

/** Campaigns with a demand for each day of the week, in units, from the end of one month to that of the next. */
const lives = fc.record({
  month: fc.constantFrom('2026-02-01', '2026-04-01', '2026-10-01', '2028-02-01').map(civilDate),
  daysBefore: fc.integer({ min: 0, max: 12 }),
  campaigns: fc.array(
    fc.record({
      budget: fc.integer({ min: 1, max: 400 }),
      demand: fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 7, maxLength: 7 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  target: fc.integer({ min: 20, max: 9_000 }),
  /** What the month before has; it is overspent where this is little. */
  targetBefore: maybe(fc.integer({ min: 1, max: 500 })),
  curve: fc.constantFrom(
    'even',
    'weekday',
    'early',
    'late',
    '[1, 1, 1, 1, 1, 0.5, 0]',
    '[20%, 20%, 20%, 15%, 15%, 5%, 5%]',
  ),
  floor: maybe(fc.integer({ min: 1, max: 40 })),
  ceiling: maybe(fc.integer({ min: 41, max: 300 })),
  step: maybe(fc.integer({ min: 10, max: 90 }).map((percent) => `${percent}%`)),
  drift: maybe(fc.constantFrom('50% over 14 days', '90% over 7 days')),
  settleDays: fc.integer({ min: 0, max: 3 }),
  subject: fc.constantFrom('campaign', 'budget', 'account'),
  quarters: fc.integer({ min: 4, max: 8 }),
});

type Life = typeof lives extends fc.Arbitrary<infer Value> ? Value : never;

function ruleFor({ month, target, targetBefore, curve, floor, ceiling, step, drift, subject }: Life): Rule {
  const limits = Object.entries({ floor, ceiling, step, drift }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${value}`],
  );
  const before = addMonths(month, -1).slice(0, 7);
  const months = targetBefore === undefined ? '' : `, months: { ${before}: ${targetBefore} }`;
  return ruleOf({
    ...PACED,
    for: subject,
    change: `pace budget to ${target} per month`,
    pace: `{ curve: ${curve}${months} }`,
    limits: limits.length === 0 ? undefined : `{ ${limits.join(', ')} }`,
  });
}

const live = ({ month, daysBefore, campaigns, settleDays, quarters, ...life }: Life) =>
  liveThrough({
    rule: ruleFor({ month, daysBefore, campaigns, settleDays, quarters, ...life }),
    from: addDays(month, -daysBefore),
    to: endOfGrain('month', month),
    settleDays,
    quarters,
    campaigns: campaigns.map(({ budget, demand }) => ({
      budget,
      demandOn: (day) => demand[weekdayOf(day) - 1] ?? 0,
    })),
  });

/** What the month comes to with these amounts; undefined where today has no weight. */
function budgetedWith({ days, spent, unsettled }: PaceReading, today: CivilDate, amount: bigint): Rational | undefined {
  const weights = (from: CivilDate) =>
    days.reduce((sum, { date, weight }) => (date >= from ? sum + weight.n : sum), 0n);
  const own = days.find(({ date }) => date === today)?.weight.n ?? 0n;
  return own === 0n ? undefined : add(add(spent, unsettled), multiply(rational(amount), rational(weights(today), own)));
}

/** Whether limits of the rule hold one of the target's budgets back: the others are lowered as if it were not. */
function isHeldByLimits({ outcome }: LiveDay, ids: readonly string[]): boolean {
  return outcome.decisions.some((one) => {
    if (!ids.includes(String(one.request.budgetId))) return false;
    if (one.kind === 'refused') return ['AT_DRIFT', 'OUTSIDE_LIMITS', 'NO_CHANGE'].includes(one.refusal.code);
    return one.limitedBy === 'step' || one.limitedBy === 'drift';
  });
}

/** At the floor, at a twentieth of what it was, or at the least part of several. */
function isLowest(id: string, { before, after }: LiveDay, { wanted }: PaceReading, { floor = 0 }: Life): boolean {
  const from = before.get(id) ?? 0n;
  const to = after.get(id) ?? 0n;
  // None of several gets less than a twentieth of an equal part, and rounding may leave each a cent more.
  const part = (wanted?.n ?? 0n) / (wanted?.d ?? 1n) / 20n + CENT;
  return to <= BigInt(floor) * 1_000_000n || to <= from / 20n + CENT || to <= part;
}

const RUNS = { numRuns: byEffort({ quick: 12, thorough: 50, long: 1_000 }) };

it('keeps budgets within the band, or as low as the limits allow, for any demand', () => {
  fc.assert(
    fc.property(lives, (life) => {
      for (const day of live(life)) {
        const { today, outcome, before, after } = day;
        for (const decision of outcome.decisions) {
          if (decision.kind !== 'change') {
            expect(decision.refusal.code).not.toBe('UNIT_SANITY');
            continue;
          }
          if (life.floor !== undefined) expect(decision.to).toBeGreaterThanOrEqual(BigInt(life.floor) * 1_000_000n);
          if (life.ceiling !== undefined) expect(decision.to).toBeLessThanOrEqual(BigInt(life.ceiling) * 1_000_000n);
        }
        for (const verdict of outcome.verdicts) {
          const reading = verdict.pace;
          if (reading === undefined) throw new Error('The rule does not pace.');
          const ids = reading.budgets.map(({ budgetId }) => budgetId);
          const sum = ids.reduce((total, id) => total + (after.get(id) ?? 0n), 0n);
          const budgeted = budgetedWith(reading, today, sum);
          if (budgeted !== undefined && compare(budgeted, multiply(reading.target, reading.band.high)) <= 0) continue;
          for (const id of ids) expect(after.get(id)).toBeLessThanOrEqual(before.get(id) ?? 0n);
          if (isHeldByLimits(day, ids)) continue;
          for (const id of ids) expect(isLowest(id, day, reading, life), `${reading.why}: budget ${id}`).toBe(true);
        }
      }
    }),
    RUNS,
  );
});
