import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PastChange } from '../../../src/domain/budget-change.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { budgetId } from '../../../src/domain/ids.ts';
import { type Micros, micros, smallestUnit } from '../../../src/domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../../src/domain/rational.ts';
import { decideChanges } from '../../../src/language/rules/decide/decide-changes.ts';
import type { BudgetFacts, RequestedChange } from '../../../src/language/rules/decide/decision.ts';
import { driftBase } from '../../../src/language/rules/decide/guard.ts';
import type { Limits } from '../../../src/language/rules/rule.ts';
import { byEffort } from '../../support/effort.ts';
import { accountOf, B71, budgetOf, requestOf, ruleWith, TODAY } from './guard-fixtures.ts';

/** Small ones, where rounding bites, round ones, and ones at the end of int64. */
const amount = fc
  .oneof(
    fc.bigInt({ min: 1n, max: 3_000_000n }),
    fc.bigInt({ min: 1n, max: 20_000n }).map((cents) => cents * 10_000n),
    fc.bigInt({ min: 1n, max: 20_000n }).map((units) => units * 1_000_000n),
    fc.bigInt({ min: 2n ** 63n - 10_000_000n, max: 2n ** 63n - 1n }),
  )
  .map(micros);

const share: fc.Arbitrary<Rational> = fc
  .bigInt({ min: 1n, max: 12_000n })
  .map((hundredths) => rational(hundredths, 10_000n));

const changes: fc.Arbitrary<PastChange[]> = fc
  .array(
    fc.record({
      ago: fc.integer({ min: 1, max: 40 }),
      by: fc.constantFrom<PastChange['by'][]>('rule', 'rule', 'undo', 'foreign'),
      from: amount,
      to: amount,
    }),
    { maxLength: 5 },
  )
  .map((found) =>
    found.sort((a, b) => b.ago - a.ago).map(({ ago, ...change }) => ({ ...change, day: addDays(TODAY, -ago) })),
  );

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const limits: fc.Arbitrary<Limits> = fc.record({
  floor: maybe(amount),
  ceiling: maybe(amount),
  step: maybe(share),
  cooldownDays: fc.constant(undefined),
  drift: maybe(fc.record({ share, days: fc.integer({ min: 1, max: 40 }) })),
  minimum: fc.constant([]),
});

const NO_LIMITS: Limits = {
  floor: undefined,
  ceiling: undefined,
  step: undefined,
  cooldownDays: undefined,
  drift: undefined,
  minimum: [],
};

/** Requested changes around the amount, and wild ones. */
const requested = fc.oneof(
  fc.record({ n: fc.bigInt({ min: 500n, max: 30_000n }), d: fc.constant(10_000n) }),
  fc.record({ n: fc.bigInt({ min: -1n, max: 50n }), d: fc.bigInt({ min: 1n, max: 50n }) }),
);

function requestFor(budget: BudgetFacts, factor: Rational, given: Limits, rule = 'trim'): RequestedChange {
  const target = multiply(rational(budget.amount), rational(factor.n, factor.d));
  const request = requestOf({ change: 'set budget to 1', budget: budget.budgetId });
  return { ...request, rule: ruleWith(request.rule.change, given, rule), target };
}

it('keeps each target within every limit, on the requested side, not beyond the request, and a multiple of the unit', () => {
  let made = 0;
  let held = 0;
  fc.assert(
    fc.property(
      amount,
      requested,
      limits,
      changes,
      fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'),
      (current, factor, given, past, currency) => {
        const budget = { ...budgetOf(B71, '1', { changes: past }), amount: current };
        const request = requestFor(budget, factor, given);
        const [decision] = decideChanges([request], accountOf([budget], { currency }), 'apply');
        if (decision?.kind !== 'change') return;
        made++;
        const { to } = decision;
        const target = request.target as Rational;
        const direction = compare(target, rational(current));
        expect(to % (smallestUnit(currency) as Micros)).toBe(0n);
        expect(to > 0n).toBe(true);
        expect(compare(rational(to), rational(current))).toBe(direction);
        expect(compare(rational(to), target)).not.toBe(direction);
        within(to, given.floor && rational(given.floor), given.ceiling && rational(given.ceiling));
        if (given.step) withinShare(to, current, given.step);
        if (given.drift) withinShare(to, driftBase(past, current, TODAY, given.drift.days), given.drift.share);
        expect(compare(multiply(target, rational(20n)), rational(current))).not.toBe(-1);
        expect(compare(target, multiply(rational(current), rational(20n)))).not.toBe(1);
        const unlimited = decideChanges(
          [requestFor(budget, factor, NO_LIMITS)],
          accountOf([budget], { currency }),
          'apply',
        )[0];
        if (decision.limitedBy === undefined) expect(unlimited).toMatchObject({ to });
        else held++;
      },
    ),
    { numRuns: byEffort({ quick: 2_000, thorough: 3_000 }), seed: 71 },
  );
  // The requests are neither all refused nor all let through as they are.
  expect(made).toBeGreaterThan(500);
  expect(held).toBeGreaterThan(100);
});

function within(to: Micros, low: Rational | undefined, high: Rational | undefined): void {
  if (low) expect(compare(rational(to), low)).not.toBe(-1);
  if (high) expect(compare(rational(to), high)).not.toBe(1);
}

function withinShare(to: Micros, base: Micros, of: Rational): void {
  const distance = multiply(rational(base), of);
  within(to, subtract(rational(base), distance), add(rational(base), distance));
}

it('makes one decision per budget, and the account stays within its limits whichever changes are made', () => {
  const cents = fc.bigInt({ min: 1n, max: 10_000n }).map((count) => micros(count * 10_000n));
  fc.assert(
    fc.property(
      fc.array(cents, { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ budget: fc.nat(4), factor: requested, rule: fc.constantFrom('a', 'b', 'c') }), {
        maxLength: 10,
      }),
      cents,
      cents,
      fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
      (amounts, asked, spare, spareExposure, made) => {
        const budgets = amounts.map((each, at) => ({ ...budgetOf(budgetId(`${at + 1}`), '1'), amount: each }));
        const before = budgets.reduce((sum, { amount: each }) => sum + each, 0n);
        const dailyTotalMax = micros(before + spare);
        const dailyExposureMax = micros(2n * before + spareExposure);
        const requests = asked.flatMap(({ budget, factor, rule }) => {
          const facts = budgets[budget];
          return facts ? [requestFor(facts, factor, NO_LIMITS, rule)] : [];
        });
        const decisions = decideChanges(requests, accountOf(budgets, { dailyTotalMax, dailyExposureMax }), 'apply');
        expect(decisions.map(({ request }) => request)).toEqual(requests);
        const decided = decisions.filter((decision) => decision.kind === 'change');
        expect(new Set(decided.map(({ budgetId: id }) => id)).size).toBe(decided.length);

        const after = new Map(budgets.map(({ budgetId: id, amount: each }) => [id, each]));
        const highest = new Map(after);
        for (const [at, { budgetId: id, from, to }] of decided.entries()) {
          if (!made[at]) continue;
          after.set(id, to);
          if (to > from) highest.set(id, to);
        }
        const sum = (map: ReadonlyMap<unknown, Micros>) => [...map.values()].reduce((total, each) => total + each, 0n);
        expect(sum(after) <= dailyTotalMax).toBe(true);
        expect(2n * sum(highest) <= dailyExposureMax).toBe(true);
      },
    ),
    { numRuns: byEffort({ quick: 700, thorough: 2_000 }), seed: 72 },
  );
});
