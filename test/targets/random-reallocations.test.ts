import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import { micros, smallestUnit } from '../../src/domain/micros.ts';
import { rational } from '../../src/domain/rational.ts';
import { decideAll } from '../../src/engine/evaluate/decide-targets.ts';
import { decideChanges } from '../../src/language/rules/decide/decide-changes.ts';
import type { AccountFacts, BudgetFacts, Decision } from '../../src/language/rules/decide/decision.ts';
import { wholePlans } from '../../src/language/rules/decide/whole-plans.ts';
import { answersOf, evaluateRules } from '../../src/language/rules/evaluate/evaluate-rules.ts';
import type { MeasuredBudget } from '../../src/language/rules/reallocation/measured-budget.ts';
import { reallocate } from '../../src/language/rules/reallocation/reallocate.ts';
import { type Target, targetAsRule } from '../../src/language/targets/target.ts';
import { checkTargetFile } from '../../src/language/targets/target-file.ts';
import { accountOf, budgetOf, membersOf, type TableRow, TODAY } from '../rules/evaluated.ts';
import { queryNamed } from '../rules/rule-fixtures.ts';
import { byEffort } from '../support/effort.ts';

const CURRENCIES = ['EUR', 'JPY', 'KWD'] as const;
const HELD = ['outcome_open', 'changed_today', 'cooling', 'rejected', 'waits'] as const;

interface Line {
  /** In the smallest amounts of the currency. */
  readonly units: number;
  readonly clicks: number;
  readonly isPaused: boolean;
  readonly held: 'free' | (typeof HELD)[number];
}

interface Plan {
  readonly currency: (typeof CURRENCIES)[number];
  readonly members: readonly (readonly Line[])[];
  readonly limits: string;
}

const line = (held: fc.Arbitrary<Line['held']>): fc.Arbitrary<Line> =>
  fc.record({
    units: fc.integer({ min: 1, max: 30_000 }),
    clicks: fc.integer({ min: 0, max: 20 }),
    isPaused: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
    held,
  });
const planOf = (held: fc.Arbitrary<Line['held']>): fc.Arbitrary<Plan> =>
  fc.record({
    currency: fc.constantFrom(...CURRENCIES),
    members: fc.array(fc.array(line(held), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    limits: fc.constantFrom(
      '{ step: 10%, cooldown: 3 days }',
      '{ step: 99%, floor: 3, ceiling: 70, cooldown: 3 days }',
      '{ step: 33.333%, floor: 0.5, cooldown: 3 days }',
      '{ step: 10%, drift: 15% over 30 days, cooldown: 3 days }',
    ),
  });
const free = planOf(fc.constant('free'));
const troubled = planOf(fc.constantFrom('free', 'free', 'free', 'free', ...HELD));

const VALUES = queryNamed(
  'values',
  'SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date FROM campaign WHERE segments.date DURING LAST_30_DAYS',
);

function targetOf({ currency, members, limits }: Plan): Target {
  const source = `description: A target of a test.
currency: ${currency}
reallocate: clicks
over: 7 days
members: [${members.map((_, index) => `{ account: ${customerOf(index)} }`).join(', ')}]
limits: ${limits}
mode: apply
`;
  const { target, diagnostics } = checkTargetFile('best', source, new Map([['values', VALUES]]), new Set(), {
    version: '0123456789ab',
  });
  if (target === undefined) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  return target;
}

const customerOf = (index: number) => customerId(String(1_000_000_000 + index));
/** Campaigns and budgets have numbers of their own in all accounts. */
const numberOf = (member: number, place: number) => 10 * (member + 1) + place;

/** The whole way of a report: each account answers, all decide together, and the guards of each account decide at last. */
function decided(plan: Plan): Decision[] {
  const target = targetOf(plan);
  const { currency } = plan;
  const unit = smallestUnit(currency) ?? micros(1n);
  const scenes = plan.members.map((lines, member) => {
    const own = lines.map((one, place) => {
      const number = numberOf(member, place);
      const budget = { ...budgetOf(number, '1'), amount: micros(BigInt(one.units) * unit) };
      return { ...one, number, budget: { ...budget, campaignStatus: one.isPaused ? 'PAUSED' : 'ENABLED' } as const };
    });
    const rows = own.map(
      ({ number, clicks }): TableRow => ({ campaign_id: BigInt(number), clicks: BigInt(clicks), cost_micros: 1n }),
    );
    const budgets = Object.fromEntries(own.map(({ number, budget }) => [number, budget]));
    const account = accountOf(budgets, { customerId: customerOf(member), currency });
    const facts: AccountFacts = {
      customerId: account.customerId,
      currency,
      today: TODAY,
      budgets: new Map(own.map(({ number, held, budget }) => factsOf(held, number, budget.amount))),
      dailyTotalMax: undefined,
      dailyExposureMax: undefined,
      frozen: undefined,
    };
    return { rule: target.rules.get(account.customerId) ?? targetAsRule(target), rows, account, facts };
  });
  const answers = scenes.map(({ rule, rows, account }) => {
    const asked = evaluateRules(
      [rule],
      account,
      (demand) => membersOf(rows, demand),
      () => true,
      { kind: 'asked', say: () => undefined },
    );
    return [account.customerId, answersOf(asked, new Map())] as const;
  });
  const accounts = new Map(scenes.map(({ account: { customerId } }) => [customerId, { currency, failure: undefined }]));
  const ofTargets = decideAll([target], accounts, new Map(answers), () => 'no rate is needed');
  const all = scenes.flatMap(({ rule, rows, account, facts }) => {
    const own = evaluateRules(
      [rule],
      account,
      (demand) => membersOf(rows, demand),
      () => true,
      ofTargets.get(account.customerId),
    );
    const verdicts = [...own.values()].flatMap((one) => (one.kind === 'evaluated' ? one.verdicts : []));
    return decideChanges(
      verdicts.flatMap((verdict) => verdict.requests()),
      facts,
      'apply',
    );
  });
  return all.map(wholePlans(all));
}

function factsOf(
  held: Line['held'],
  number: number,
  amount: BudgetFacts['amount'],
): [BudgetFacts['budgetId'], BudgetFacts] {
  const id = budgetId(String(number));
  return [
    id,
    {
      budgetId: id,
      amount,
      source: 'read',
      removed: false,
      campaigns: [{ id: campaignId(String(number)), name: undefined }],
      decidedToday: held === 'changed_today' ? 'applied' : undefined,
      outcomeOpen: held === 'outcome_open',
      proposed: held === 'waits' ? 'K7PX' : undefined,
      rejected: held === 'rejected' ? { code: 'AB12', by: 'anna', day: TODAY, from: amount, to: amount } : undefined,
      changes: held === 'cooling' ? [{ day: addDays(TODAY, -1), by: 'rule', from: amount, to: amount }] : [],
    },
  ];
}

const changesIn = (decisions: readonly Decision[]) => decisions.flatMap((one) => (one.kind === 'change' ? [one] : []));
const lineOf = ({ members }: Plan, id: string) => members[Math.floor(Number(id) / 10) - 1]?.[Number(id) % 10];

const effort = { numRuns: byEffort({ quick: 100, thorough: 3000 }) };

it('the total of all budgets stays the same to the micro, whatever the amounts, values and limits are', () => {
  let moved = 0;
  fc.assert(
    fc.property(free, (plan) => {
      const changes = changesIn(decided(plan));
      moved += changes.length;
      expect(changes.reduce((sum, { from, to }) => sum + to - from, 0n)).toBe(0n);
      const given = changes
        .filter(({ from, to }) => to < from)
        .map(({ budgetId }) => lineOf(plan, budgetId)?.clicks ?? 0);
      const taken = changes
        .filter(({ from, to }) => to > from)
        .map(({ budgetId }) => lineOf(plan, budgetId)?.clicks ?? 0);
      if (changes.length > 0) expect(Math.max(...given)).toBeLessThan(Math.min(...taken));
    }),
    effort,
  );
  expect(moved).toBeGreaterThan(effort.numRuns);
});

it('no budget moves by more than the step, beyond the floor or the ceiling, or while it is paused', () => {
  fc.assert(
    fc.property(free, (plan) => {
      for (const { budgetId, from, to, request, currency } of changesIn(decided(plan))) {
        const { step, floor = 0n, ceiling = to } = request.rule.limits;
        const by = to > from ? to - from : from - to;
        expect(by * (step?.d ?? 0n)).toBeLessThanOrEqual(from * (step?.n ?? 0n));
        if (to < from) expect(to).toBeGreaterThanOrEqual(floor);
        if (to > from) expect(to).toBeLessThanOrEqual(ceiling);
        expect(to % (smallestUnit(currency) ?? 1n)).toBe(0n);
        expect(lineOf(plan, budgetId)?.isPaused).toBe(false);
      }
    }),
    effort,
  );
});

it('all lines are changed or none, if a guard refuses one', () => {
  const codes = new Set<string>();
  fc.assert(
    fc.property(troubled, (plan) => {
      const decisions = decided(plan);
      const changes = changesIn(decisions);
      for (const one of decisions) if (one.kind === 'refused') codes.add(one.refusal.code);
      expect([0, decisions.length]).toContain(changes.length);
      expect(changes.reduce((sum, { from, to }) => sum + to - from, 0n)).toBe(0n);
      for (const { budgetId } of changes) expect(lineOf(plan, budgetId)?.held).toBe('free');
    }),
    effort,
  );
  expect(codes).toContain('PLAN_INCOMPLETE');
});

const CENT = micros(10_000n);
const euros = (units: number) => micros(BigInt(Math.round(units * 100)) * CENT);

/** By amount and value, in the order of the accounts. */
function moved(budgets: readonly (readonly [amount: number, value: bigint | undefined])[], limits: object = {}) {
  const measured = budgets.map(
    ([amount, value], index): MeasuredBudget => ({
      budgetId: budgetId(String(index + 1)),
      amount: euros(amount),
      value: value === undefined ? undefined : rational(value),
      words: `clicks (unknown) of budget ${index + 1}`,
      since: TODAY,
    }),
  );
  const result = reallocate(
    measured,
    { floor: undefined, ceiling: undefined, step: rational(1n, 10n), ...limits },
    CENT,
  );
  return typeof result === 'string' ? result : Object.fromEntries(result);
}

it.each<[string, Parameters<typeof moved>, ReturnType<typeof moved>]>([
  ['no budget', [[]], 'none of its budgets is running'],
  ['one budget', [[[20, 3n]]], 'only budget 1 is running'],
  [
    'equal values',
    [
      [
        [20, 3n],
        [40, 3n],
      ],
    ],
    'all budgets have the same value',
  ],
  [
    'an unknown value',
    [
      [
        [20, 3n],
        [40, undefined],
      ],
    ],
    'clicks (unknown) of budget 2',
  ],
  [
    'a budget of 0',
    [
      [
        [0, 3n],
        [40, 1n],
      ],
    ],
    'the amount of budget 1 is not a multiple of the smallest amount',
  ],
  [
    'budgets at their limits',
    [
      [
        [20, 1n],
        [40, 2n],
      ],
      { floor: euros(20) },
    ],
    'no amount can move within the step, the floor and the ceiling',
  ],
  [
    'budgets below the floor and above the ceiling',
    [
      [
        [4, 1n],
        [50, 2n],
      ],
      { floor: euros(5), ceiling: euros(45) },
    ],
    'no amount can move within the step, the floor and the ceiling',
  ],
  [
    'steps below the smallest amount',
    [
      [
        [0.05, 1n],
        [0.09, 2n],
      ],
    ],
    'no amount can move within the step, the floor and the ceiling',
  ],
  [
    'two budgets',
    [
      [
        [20, 1n],
        [40, 2n],
      ],
    ],
    { 1: euros(18), 2: euros(42) },
  ],
  [
    'a worse budget that is larger',
    [
      [
        [40, 1n],
        [20, 2n],
      ],
    ],
    { 1: euros(38), 2: euros(22) },
  ],
  [
    'a middle budget, which stays',
    [
      [
        [20, 1n],
        [20, 2n],
        [20, 3n],
      ],
    ],
    { 1: euros(18), 3: euros(22) },
  ],
  [
    'a middle budget that receives the rest',
    [
      [
        [50, 1n],
        [20, 2n],
        [20, 3n],
      ],
    ],
    { 1: euros(46), 2: euros(22), 3: euros(22) },
  ],
  [
    'equal values in the middle, which do not trade',
    [
      [
        [20, 1n],
        [99, 2n],
        [10, 2n],
        [20, 3n],
      ],
    ],
    { 1: euros(18), 4: euros(22) },
  ],
  [
    'a ceiling',
    [
      [
        [20, 1n],
        [40, 2n],
      ],
      { ceiling: euros(40.5) },
    ],
    { 1: euros(19.5), 2: euros(40.5) },
  ],
])('reallocates with %s', (_, given, expected) => {
  expect(moved(...given)).toEqual(expected);
});
