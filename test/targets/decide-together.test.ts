import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import { type CustomerId, customerId } from '../../src/domain/ids.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../src/domain/rational.ts';
import type { EvaluatedAccount } from '../../src/language/rules/evaluate/evaluated-account.ts';
import { checkRuleFile } from '../../src/language/rules/file/rule-file.ts';
import type { AccountPart, OfTargets, PaceFinding } from '../../src/language/rules/pacing/evaluate-pace.ts';
import { decideTogether, type RatedPart, type Shares } from '../../src/language/rules/pacing/merge-parts.ts';
import type { PaceReading } from '../../src/language/rules/pacing/pace.ts';
import { accountOf, budgetOf, evaluateAll, TODAY } from '../rules/evaluated.ts';
import { PACED, pacedVerdict, readingOf, steady } from '../rules/pacing/paced.ts';
import { queryNamed, ruleOf, ruleText } from '../rules/rule-fixtures.ts';
import { byEffort } from '../support/effort.ts';

interface Spender {
  readonly budget: number;
  /** The cost of each past day, in units of the account's currency. */
  readonly cost: number;
}

interface Spending {
  readonly rate: Rational | undefined;
  readonly campaigns: readonly Spender[];
}

const TARGET = 'pace budget to 3000 per month';
/** From the 20th to the 30th of November. */
const DAYS_LEFT = 11n;
const DAYS_GONE = 19;

const NAMED = customerId('1234567890');

function accountWith({ campaigns }: Spending, customer: CustomerId, changes: Partial<EvaluatedAccount>) {
  const budgets = campaigns.map(({ budget }, index) => [index + 1, budgetOf(71 + index, budget.toFixed(2))] as const);
  return accountOf(Object.fromEntries(budgets), { customerId: customer, ...changes });
}

const rowsOf = ({ campaigns }: Spending) =>
  campaigns.flatMap(({ cost }, index) => steady(cost, 28, { campaign_id: BigInt(index + 1) }));

function sharesOf(customers: readonly CustomerId[], weights: readonly bigint[]): Shares {
  const sum = weights.reduce((sum, weight) => sum + weight, 0n);
  return new Map(
    customers.map((customer, index) => {
      const share = rational(weights[index] ?? 0n, sum);
      return [customer, { low: share, high: share }];
    }),
  );
}

/** What all accounts decide together about the target, by account. */
function decided(change: string, accounts: readonly Spending[], weights?: readonly bigint[]): PaceFinding[] {
  const rule = { ...ruleOf({ ...PACED, change, for: 'account' }), target: 'client', currency: undefined };
  const parts = new Map<CustomerId, RatedPart>();
  for (const [index, spending] of accounts.entries()) {
    const customer = customerId(String(1_000_000_000 + index));
    const rate = spending.rate && { from: 'USD', to: 'EUR', date: TODAY, rate: spending.rate };
    const ofTargets: OfTargets = {
      kind: 'asked',
      say: (_, part) => parts.set(customer, { ...part, rate }),
    };
    evaluateAll([rule], rowsOf(spending), accountWith(spending, customer, {}), ofTargets);
  }
  expect(parts.size).toBe(accounts.length);
  return [...decideTogether('EUR', parts, weights && sharesOf([...parts.keys()], weights)).values()];
}

const reading = (finding: PaceFinding | undefined): PaceReading => {
  if (finding === undefined) throw new Error('Nothing was decided.');
  return finding.reading;
};

const spender: fc.Arbitrary<Spender> = fc
  .tuple(fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(0, 0.2, 0.5, 0.89, 0.95, 1, 1.2))
  .map(([cents, share]) => ({ budget: cents / 100, cost: Math.round(cents * share) / 100 }));
const rate = fc
  .tuple(fc.bigInt({ min: 1n, max: 30_000n }), fc.constantFrom(100n, 10_000n, 7n))
  .map(([n, d]) => rational(n, d));
const client = fc.array(
  fc.record({
    rate: fc.option(rate, { nil: undefined }),
    campaigns: fc.array(spender, { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const target = fc.integer({ min: 1, max: 60_000 }).map((units) => `pace budget to ${units} per month`);

/** Undefined splits by need. */
const splits = fc.option(fc.array(fc.bigInt({ min: 1n, max: 9n }), { minLength: 4, maxLength: 4 }), { nil: undefined });

it('no approved part of a decision ever spends more than what is left of the target', () => {
  fc.assert(
    fc.property(client, target, splits, (accounts, change, weights) => {
      const found = decided(change, accounts, weights?.slice(0, accounts.length));
      const own = reading(found[0]);
      const { state, target: whole, spent } = own.together ?? own;
      let highest = rational(0n);
      let isRaised = false;
      for (const [index, finding] of found.entries()) {
        const { rate: perUnit = rational(1n) } = accounts[index] ?? {};
        for (const { amount, wanted = rational(amount) } of finding.reading.budgets) {
          const isHigher = compare(wanted, rational(amount)) > 0;
          isRaised ||= isHigher;
          // Whoever approves may leave out every decrease.
          highest = add(highest, multiply(isHigher ? wanted : rational(amount), perUnit));
        }
      }
      if (!isRaised) return;
      if (weights === undefined) expect(state).toMatch(/^(low|unused)$/);
      const left = subtract(whole, spent);
      expect(compare(multiply(highest, rational(DAYS_LEFT)), left)).toBeLessThanOrEqual(0);
    }),
    { numRuns: byEffort({ quick: 300, thorough: 3000 }) },
  );
});

it('one account alone decides as its pacing rule does', () => {
  fc.assert(
    fc.property(fc.array(spender, { minLength: 1, maxLength: 4 }), target, (campaigns, change) => {
      const alone = { rate: undefined, campaigns };
      const [together] = decided(change, [alone]);
      const verdict = pacedVerdict({ change, for: 'account' }, rowsOf(alone), accountWith(alone, NAMED, {}));
      const { ...ofRule } = readingOf(verdict);
      expect({ ...reading(together), rate: undefined }).toEqual({ ...ofRule, rate: undefined });
    }),
    { numRuns: byEffort({ quick: 100, thorough: 1000 }) },
  );
});

it('adds up costs and budgets in the currency of the target, by hand', () => {
  // 19 days of 40 EUR and of 30 USD at 0.9: 760 and 513 EUR. Budgets: 40 EUR and 30 USD, 67 EUR a day.
  const found = decided(TARGET, [
    { rate: undefined, campaigns: [{ budget: 40, cost: 40 }] },
    { rate: rational(9n, 10n), campaigns: [{ budget: 30, cost: 30 }] },
  ]);
  const { currency, spent, current, state, budgeted } = reading(found[0]);
  expect([currency, state]).toEqual(['EUR', 'low']);
  expect(spent).toEqual(rational(BigInt(DAYS_GONE) * 67_000_000n));
  expect(current).toBe(67_000_000n);
  expect(compare(budgeted, rational(2_010_000_000n))).toBe(0);
  // (3000 − 1273) ÷ 11 = 157.00 EUR. Each budget at most doubles: 80 EUR, 60 USD.
  expect(found.map(({ reading: { budgets } }) => budgets[0]?.wanted)).toEqual([
    rational(80_000_000n),
    rational(60_000_000n),
  ]);
});

it('an account that spent nothing lets the others go on, and nothing is decided if a cost is unknown', () => {
  const idle = { rate: undefined, campaigns: [] };
  const busy = { rate: undefined, campaigns: [{ budget: 60, cost: 60 }] };
  expect(decided(TARGET, [idle, busy]).map(({ fires }) => fires)).toEqual([true, true]);
  const unknown = { rate: undefined, campaigns: [{ budget: 60, cost: -1 }] };
  const found = decided(TARGET, [busy, unknown]);
  expect(found.map(({ fires, reading: { state } }) => [fires, state])).toEqual([
    [undefined, 'unknown'],
    [undefined, 'unknown'],
  ]);
});

describe('accounts with fixed shares', () => {
  const inOne = (budget: number, cost: number): Spending => ({ rate: undefined, campaigns: [{ budget, cost }] });
  /** Each account's target and new budget, in units. */
  const amounts = (weights: readonly bigint[], ...accounts: readonly Spending[]) =>
    decided(TARGET, accounts, weights).map(({ reading: { target, budgets } }) =>
      [target, budgets[0]?.wanted].map((amount) => amount && Number((amount.n * 100n) / amount.d) / 1e8),
    );

  it('are paced to their shares', () => {
    // 1800 − 19 × 50 = 850 and 1200 − 19 × 30 = 630, for 11 days. All budgets together stay below 1480 ÷ 11.
    expect(amounts([6n, 4n], inOne(50, 50), inOne(30, 30))).toEqual([
      [1800, 77.27],
      [1200, 57.27],
    ]);
  });

  it('get less if another account spent more than its share', () => {
    // The first one spent 1900 of 1800. The other has 1100 − 19 × 10 = 910 left, but 200 a day of the first one go on.
    expect(amounts([6n, 4n], inOne(100, 100), inOne(10, 10))).toEqual([
      [1800, expect.any(Number)],
      [300, undefined],
    ]);
    // On the next days, the first one has the lowest budget.
    expect(amounts([6n, 4n], inOne(1, 100), inOne(10, 10))).toEqual([
      [1800, expect.any(Number)],
      [1089, 20],
    ]);
  });

  it('are all lowered to what is left', () => {
    // 2660 is spent, 340 is left. The shares alone would leave 640.
    expect(amounts([6n, 4n], inOne(100, 100), inOne(40, 40))[1]).toEqual([1100, 30.9]);
  });

  it('decide nothing if a cost of one is unknown', () => {
    const found = decided(TARGET, [inOne(60, 60), inOne(60, -1)], [1n, 1n]);
    expect(found.map(({ fires }) => fires)).toEqual([undefined, undefined]);
  });

  it('decide as by need if one account has everything', () => {
    fc.assert(
      fc.property(fc.array(spender, { minLength: 1, maxLength: 4 }), target, (campaigns, change) => {
        const alone = [{ rate: undefined, campaigns }];
        const amounts = (weights?: readonly bigint[]) =>
          reading(decided(change, alone, weights)[0]).budgets.map(({ wanted }) => wanted);
        expect(amounts([1n])).toEqual(amounts());
      }),
      { numRuns: byEffort({ quick: 100, thorough: 1000 }) },
    );
  });
});

it.each([
  ['names', `"'brand' IN campaign_labels"`],
  ['resource names', `campaign_labels LIKE '%/labels/77"%'`],
])('`where` selects campaigns by the %s of their labels', (_, where) => {
  const table = queryNamed(
    'labelled',
    'SELECT campaign.id, campaign.labels, metrics.cost_micros, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
  );
  const { rule } = checkRuleFile(
    'brand',
    ruleText({ ...PACED, from: 'labelled', for: 'account', where }),
    new Map([[table.name, table]]),
    new Set(),
    { version: '', catalogueOf: () => loadCatalogue('v25') },
  );
  const labels = ['["customers/1/labels/9","customers/1/labels/77"]', '["customers/1/labels/177"]', '[]'];
  const rows = labels.flatMap((campaign_labels, index) =>
    steady(10, 28, { campaign_id: BigInt(index + 1), campaign_labels }),
  );
  const account = accountOf(
    { 1: budgetOf(71, '10'), 2: budgetOf(72, '10'), 3: budgetOf(73, '10') },
    { labels: new Map([['brand', ['customers/1/labels/77']]]) },
  );
  const [evaluation] = evaluateAll(rule ? [rule] : [], rows, account);
  const [verdict] = evaluation?.kind === 'evaluated' ? evaluation.verdicts : [];
  expect(verdict?.pace?.budgets.map(({ budgetId }) => budgetId)).toEqual(['71']);
});

describe('accounts that are split by return', () => {
  interface Returning {
    readonly value: number | undefined;
    readonly bounds: readonly [low: number, high: number];
  }

  /** Today is the first day of 10, so each account's target is its whole share. 8 days ago, conversions were complete. */
  function targets(amount: number, accounts: readonly Returning[], conversionDays = 7): (Rational | undefined)[] {
    const change = `pace budget to ${amount} from ${TODAY} to ${addDays(TODAY, 9)}`;
    const rule = { ...ruleOf({ ...PACED, from: 'keyword_stats', change, for: 'account' }), target: 'client' };
    const parts = new Map<CustomerId, RatedPart>();
    const shares = new Map<CustomerId, { readonly low: Rational; readonly high: Rational }>();
    for (const [index, { value, bounds }] of accounts.entries()) {
      const customer = customerId(String(1_000_000_000 + index));
      const rows = steady(1, 28).map((row, ago) => ({ ...row, conversions_value: ago < 7 ? 1000 : (value ?? null) }));
      const say = (_: string, part: AccountPart) => parts.set(customer, { ...part, rate: undefined });
      const account = accountOf({ 1: budgetOf(71, '0.01') }, { customerId: customer, conversionDays });
      evaluateAll([{ ...rule, currency: undefined, byReturn: true }], rows, account, { kind: 'asked', say });
      const [low, high] = bounds.map((percent) => rational(BigInt(percent), 100n));
      if (low && high) shares.set(customer, { low, high });
    }
    return Array.from(decideTogether('EUR', parts, shares).values(), ({ reading: { together, target } }) =>
      together === undefined ? undefined : target,
    );
  }
  const units = (amounts: readonly (Rational | undefined)[]) =>
    amounts.map((amount) => amount && Number(amount.n / amount.d) / 1e6);

  it.each<[string, Returning[], (number | undefined)[]]>([
    [
      'get more that return more',
      [
        { value: 3, bounds: [0, 100] },
        { value: 1, bounds: [0, 100] },
      ],
      [750, 250],
    ],
    [
      'stay within their bounds',
      [
        { value: 8, bounds: [20, 50] },
        { value: 1, bounds: [10, 100] },
        { value: 1, bounds: [30, 100] },
      ],
      [500, 200, 300],
    ],
    [
      'are split by need if none returns anything',
      [
        { value: 0, bounds: [20, 50] },
        { value: 0, bounds: [20, 100] },
      ],
      [undefined, undefined],
    ],
    [
      'are split by need if the value of one is unknown',
      [
        { value: 3, bounds: [0, 100] },
        { value: undefined, bounds: [0, 100] },
      ],
      [undefined, undefined],
    ],
  ])('%s', (_, accounts, expected) => {
    expect(units(targets(1000, accounts))).toEqual(expected);
  });

  it('have shares that add up to the whole, within their bounds', () => {
    const returning = fc.record({
      value: fc.integer({ min: 0, max: 5000 }).map((cents) => cents / 100),
      bounds: fc.tuple(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 34, max: 100 })),
    });
    fc.assert(
      fc.property(
        fc.array(returning, { minLength: 3, maxLength: 4 }),
        fc.integer({ min: 1000, max: 1_000_000 }),
        (accounts, amount) => {
          const whole = rational(BigInt(amount) * 1_000_000n);
          const found = targets(amount, accounts).flatMap((one) => one ?? []);
          if (accounts.every(({ value }) => value === 0)) return;
          // An account with a smaller share keeps its budget of 0.01 for ten days, and the others get less by that.
          const kept = rational(100_000n);
          const reserved = found
            .map((own) => (compare(own, kept) < 0 ? subtract(kept, own) : rational(0n)))
            .reduce(add);
          expect(compare(add(found.reduce(add), reserved), whole)).toBe(0);
          for (const [index, own] of found.entries()) {
            const [low = 0, high = 0] = accounts[index]?.bounds ?? [];
            const share = (percent: number) => multiply(whole, rational(BigInt(percent), 100n));
            expect(compare(add(own, reserved), share(low))).toBeGreaterThanOrEqual(0);
            expect(compare(own, share(high))).toBeLessThanOrEqual(0);
          }
        },
      ),
      { numRuns: byEffort({ quick: 100, thorough: 1000 }) },
    );
  });
});
