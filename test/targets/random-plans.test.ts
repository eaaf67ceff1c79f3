import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays } from '../../src/domain/civil-date.ts';
import { budgetId, type CustomerId, campaignId, customerId } from '../../src/domain/ids.ts';
import { budgetUnitOf, type Micros, micros } from '../../src/domain/micros.ts';
import { add, compare, multiply, type Rational, rational, subtract } from '../../src/domain/rational.ts';
import { decideChanges } from '../../src/language/rules/decide/decide-changes.ts';
import type { AccountFacts, BudgetFacts, Decision } from '../../src/language/rules/decide/decision.ts';
import type { OfTargets, TargetPart } from '../../src/language/rules/pacing/evaluate-pace.ts';
import { decideTogether, type RatedPart } from '../../src/language/rules/pacing/merge-parts.ts';
import { ruleInAccount } from '../../src/language/targets/target.ts';
import { accountOf, budgetOf, evaluateAll, TODAY } from '../rules/evaluated.ts';
import { PACED, steady } from '../rules/pacing/paced.ts';
import { ruleOf } from '../rules/rule-fixtures.ts';
import { byEffort } from '../support/effort.ts';

/** From the 20th to the 30th of November. */
const DAYS_LEFT = 11n;

interface Line {
  /** In hundredths of the currency's unit; in whole units of a currency without hundredths. */
  readonly amount: number;
  /** The cost of each past day, as a share of the amount. */
  readonly used: number;
  readonly held: 'free' | 'outcome_open' | 'changed_today' | 'cooling' | 'rejected';
}

interface Member {
  readonly currency: 'EUR' | 'USD' | 'JPY';
  readonly frozen: boolean;
  readonly lines: readonly Line[];
}

interface Plan {
  readonly units: number;
  readonly members: readonly Member[];
  readonly usd: Rational;
  readonly jpy: Rational;
  readonly limits: string;
}

const line: fc.Arbitrary<Line> = fc.record({
  amount: fc.integer({ min: 1, max: 30_000 }),
  used: fc.constantFrom(0, 0.3, 0.89, 0.95, 1, 1.3),
  held: fc.constantFrom('free', 'free', 'free', 'outcome_open', 'changed_today', 'cooling', 'rejected'),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  units: fc.integer({ min: 1, max: 40_000 }),
  members: fc.array(
    fc.record({
      currency: fc.constantFrom('EUR', 'USD', 'JPY'),
      frozen: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  usd: fc.bigInt({ min: 1n, max: 300n }).map((n) => rational(n, 100n)),
  jpy: fc.bigInt({ min: 1n, max: 900n }).map((n) => rational(n, 70_001n)),
  limits: fc.constantFrom(
    '{ floor: 3, cooldown: 3 days }',
    '{ ceiling: 70, cooldown: 3 days }',
    '{ floor: 0.5, ceiling: 400, step: 20%, cooldown: 3 days }',
  ),
});

interface DecidedMember {
  readonly rate: Rational | undefined;
  readonly facts: AccountFacts;
  readonly part: TargetPart | undefined;
  readonly limits: { readonly floor: Micros | undefined; readonly ceiling: Micros | undefined };
  readonly decisions: readonly Decision[];
}

/** The whole way of a report: each account answers, all decide together, and the guards of each account decide at last. */
function decided({ units, members, usd, jpy, limits }: Plan): DecidedMember[] {
  const change = `pace budget to ${units} per month`;
  const rule = { ...ruleOf({ ...PACED, change, for: 'account', limits }), target: 'client', currency: undefined };
  const rates = { EUR: undefined, USD: usd, JPY: jpy };
  const scenes = members.map(({ currency, lines, frozen }, index) => {
    const customer = customerId(String(1_000_000_000 + index));
    const perUnit = currency === 'JPY' ? 1 : 100;
    const amounts = lines.map(({ amount }) => (amount / perUnit).toFixed(currency === 'JPY' ? 0 : 2));
    const budgets = amounts.map((amount, place) => [place + 1, budgetOf(71 + place, amount)] as const);
    const account = accountOf(Object.fromEntries(budgets), { customerId: customer, currency });
    const rows = lines.flatMap(({ amount, used }, place) =>
      steady((amount / perUnit) * used, 28, { campaign_id: BigInt(place + 1) }),
    );
    const facts: AccountFacts = {
      customerId: customer,
      currency,
      today: TODAY,
      budgets: new Map(lines.map((one, place) => factsOf(one, place, budgets[place]?.[1].amount ?? micros(1n)))),
      dailyTotalMax: undefined,
      dailyExposureMax: undefined,
      frozen: frozen ? 'frozen by anna' : undefined,
    };
    return { customer, account, rows, facts, rate: rates[currency], currency };
  });
  const answers = new Map<CustomerId, RatedPart>();
  for (const { customer, account, rows, rate: perUnit, currency } of scenes) {
    const rate = perUnit && { from: currency, to: 'EUR', date: TODAY, rate: perUnit };
    const ofTargets: OfTargets = { kind: 'asked', say: (_, part) => answers.set(customer, { ...part, rate }) };
    evaluateAll([rule], rows, account, ofTargets);
  }
  const findings = decideTogether('EUR', answers);
  return scenes.map(({ customer, account, rows, facts, rate }) => {
    const finding = findings.get(customer);
    const part: TargetPart | undefined = finding && { kind: 'paced', finding };
    const ofTargets: OfTargets = { kind: 'decided', parts: new Map(part ? [['client', part]] : []) };
    const own = ruleInAccount(rule, ofTargets);
    const verdicts = evaluateAll([own], rows, account, ofTargets).flatMap((one) =>
      one.kind === 'evaluated' ? one.verdicts : [],
    );
    const requests = verdicts.flatMap((verdict) => verdict.requests());
    return { rate, facts, part, limits: own.limits, decisions: decideChanges(requests, facts, 'apply') };
  });
}

function factsOf({ held }: Line, place: number, amount: Micros): [BudgetFacts['budgetId'], BudgetFacts] {
  const id = budgetId(String(71 + place));
  const before = addDays(TODAY, -1);
  return [
    id,
    {
      budgetId: id,
      amount,
      source: 'read',
      removed: false,
      campaigns: [{ id: campaignId(String(place + 1)), name: undefined }],
      decidedToday: held === 'changed_today' ? 'applied' : undefined,
      outcomeOpen: held === 'outcome_open',
      proposed: undefined,
      rejected: held === 'rejected' ? { code: 'AB12', by: 'anna', day: TODAY, from: amount, to: amount } : undefined,
      changes: held === 'cooling' ? [{ day: before, by: 'rule', from: amount, to: amount }] : [],
    },
  ];
}

const inEur = (amount: bigint, rate: Rational | undefined): Rational =>
  rate === undefined ? rational(amount) : multiply(rational(amount), rate);

const changesOf = ({ decisions, rate, facts, limits }: DecidedMember) =>
  decisions.flatMap((one) => (one.kind === 'change' ? [{ ...one, rate, facts, limits }] : []));

const effort = { numRuns: byEffort({ quick: 60, thorough: 2000 }) };

it('no approved part of a plan, at no point, brings the budgets above what is left for the day', () => {
  fc.assert(
    fc.property(plan, fc.array(fc.tuple(fc.boolean(), fc.nat()), { maxLength: 16 }), (one, answers) => {
      const members = decided(one);
      const reading = members.flatMap(({ part }) => (part?.kind === 'paced' ? [part.finding.reading] : []))[0];
      if (reading === undefined) throw new Error('Nothing was decided.');
      let sum = members
        .flatMap(({ facts, rate }) => Array.from(facts.budgets.values(), ({ amount }) => inEur(amount, rate)))
        .reduce(add);
      const before = sum;
      // People approve some lines, in any order.
      const changes = members
        .flatMap(changesOf)
        .map((change, place) => ({
          change,
          approved: answers[place]?.[0] ?? true,
          order: answers[place]?.[1] ?? place,
        }))
        .filter(({ approved }) => approved)
        .sort((a, b) => a.order - b.order);
      for (const { change } of changes) {
        sum = add(sum, inEur(change.to - change.from, change.rate));
        const left = subtract(subtract(reading.target, reading.spent), reading.unsettled);
        const isWithin = compare(multiply(sum, rational(DAYS_LEFT)), left) <= 0 || compare(sum, before) <= 0;
        expect(isWithin, `${change.budgetId}: ${change.from} to ${change.to}`).toBe(true);
      }
    }),
    effort,
  );
});

it('no line passes a guard of its budget', () => {
  fc.assert(
    fc.property(plan, (one) => {
      for (const [index, member] of decided(one).entries()) {
        for (const { budgetId: id, from, to, facts, limits, request } of changesOf(member)) {
          const { lines = [] } = one.members[index] ?? {};
          expect(facts.frozen).toBeUndefined();
          expect(lines[Number(id) - 71]?.held).toBe('free');
          const { floor, ceiling } = limits;
          if (to < from && floor !== undefined) expect(to).toBeGreaterThanOrEqual(floor);
          if (to > from && ceiling !== undefined) expect(to).toBeLessThanOrEqual(ceiling);
          if (request.rule.limits.step) expect((to > from ? to - from : from - to) * 5n).toBeLessThanOrEqual(from);
          expect(to % (budgetUnitOf(facts) ?? 1n)).toBe(0n);
        }
      }
    }),
    effort,
  );
});

it('the lines add up to what was decided, to the micro in one currency and to a unit of each line in others', () => {
  fc.assert(
    fc.property(plan, (one) => {
      const members = decided(one);
      const readings = members.flatMap(({ part, rate, facts }) =>
        part?.kind === 'paced' ? [{ reading: part.finding.reading, rate, unit: budgetUnitOf(facts) ?? 1n }] : [],
      );
      const wanted = readings[0]?.reading.wanted;
      if (wanted === undefined) return;
      let lost = rational(0n);
      const sum = readings
        .flatMap(({ reading: { budgets }, rate, unit }) =>
          budgets.map(({ amount, wanted: own = rational(amount) }) => {
            // An amount is rounded to a unit of its currency, and a cost to a micro.
            if (rate !== undefined) lost = add(lost, add(inEur(unit, rate), rational(1n)));
            return rate === undefined ? own : multiply(own, rate);
          }),
        )
        .reduce(add);
      expect(compare(sum, wanted)).toBeLessThanOrEqual(0);
      expect(compare(subtract(wanted, sum), lost)).toBeLessThanOrEqual(0);
    }),
    effort,
  );
});
