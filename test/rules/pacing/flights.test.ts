import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, type CivilDate, civilDateAt, daysOf, startOfDayMs } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { compare, rational, roundHalfAway } from '../../../src/domain/rational.ts';
import type { EvaluatedAccount } from '../../../src/language/rules/evaluate/evaluated-account.ts';
import type { PaceReading } from '../../../src/language/rules/pacing/pace.ts';
import { planPace } from '../../../src/language/rules/pacing/plan-pace.ts';
import { paceDays } from '../../../src/views/report/pacing-words.ts';
import { byEffort } from '../../support/effort.ts';
import { accountOf, budgetOf, evaluateAll, TODAY } from '../evaluated.ts';
import { money, type RuleText, ruleOf } from '../rule-fixtures.ts';
import { liveThrough } from './live-days.ts';
import { costing, PACED, pacedVerdict, readingOf, steady } from './paced.ts';

const at = (amount: string, changes: Partial<EvaluatedAccount> = {}) =>
  accountOf({ 1: budgetOf(71, amount) }, { highestOn: () => money('1000'), ...changes });
const flight = (target: string, from: string, to: string, text: RuleText = {}): RuleText => ({
  from: 'year',
  change: `pace budget to ${target} from ${from} to ${to}`,
  ...text,
});

/** What the rule says, and the amounts that it requests for, in units. */
function said(text: RuleText, rows: Parameters<typeof pacedVerdict>[1], account: EvaluatedAccount) {
  const verdict = pacedVerdict(text, rows, account);
  const { state, why } = readingOf(verdict);
  return [verdict.truth, state, ...verdict.requests().map(({ target }) => Number(target?.n) / 1e6), why];
}

// Today is the 20th of November: 40 days from the 1st make 100 a day.
describe('a flight over two months', () => {
  const days = ['4000', '2026-11-01', '2026-12-10'] as const;

  it.each<[string, RuleText, number, string, unknown[]]>([
    [
      'is left alone within the band',
      {},
      100,
      '100',
      ['false', 'in_band', "today's budget comes to 100% of the target; expected 95% to 105%"],
    ],
    [
      'gets what is left for each of its days',
      {},
      60,
      '60',
      ['true', 'low', 136.19, "today's budget comes to 60% of the target; expected 95% to 105%"],
    ],
    [
      'ends at the floor where nothing is left',
      { limits: '{ floor: 20 }' },
      220,
      '220',
      ['true', 'overspent', 20, '4,180.00 of 4,000.00 is spent: nothing is left for the rest of the flight'],
    ],
    [
      'gets more on early days for an early curve',
      { pace: '{ curve: early }' },
      100,
      '100',
      ['true', 'low', 133.89, "today's budget comes to 87% of the target, more on early days; expected 95% to 105%"],
    ],
    [
      'gets nothing but the floor on a day of a pause',
      { pace: '{ pauses: [{ from: 2026-11-20, to: 2026-11-22 }] }', limits: '{ floor: 20 }' },
      60,
      '60',
      ['true', 'high', 20, 'the curve gives nothing to today'],
    ],
    [
      // 2,860 is left for 11 days.
      'gets more on the days before a pause',
      { pace: '{ pauses: [{ from: 2026-12-01, to: 2026-12-10 }] }' },
      60,
      '60',
      ['true', 'low', 260, "today's budget comes to 45% of the target; expected 95% to 105%"],
    ],
    [
      // 4 for today, 10 for November, 20 for December. The weight of a day replaces that of its month.
      'gets more by the weights of days and months',
      { pace: '{ weights: { 2026-11: 1, 2026-11-20: 4, 2026-12: 2 } }' },
      60,
      '60',
      ['true', 'low', 336.47, "today's budget comes to 41% of the target; expected 95% to 105%"],
    ],
    [
      // Today weighs 2 of 2 + 14 weekdays + 6 halves.
      'multiplies its weights with those of weekdays',
      { pace: '{ curve: [1, 1, 1, 1, 1, 0.5, 0.5], weights: { 2026-11-20: 2 } }' },
      60,
      '60',
      ['true', 'low', 301.05, expect.stringContaining('by weekday weights')],
    ],
  ])('%s', (_, text, cost, amount, expected) => {
    expect(said(flight(...days, text), steady(cost), at(amount))).toEqual(expected);
  });

  it('names its days and its target', () => {
    expect(pacedVerdict(flight(...days), steady(60), at('60')).explain()).toBe(
      "paced to 4,000.00 EUR from 2026-11-01 to 2026-12-10: 1,140.00 of 1,900.00 ideal to 2026-11-19, 2,400.00 with today's budget, expected 95% to 105%",
    );
  });

  it.each([
    ['before it starts', '2026-11-21', '2026-12-24', 'not_started', 'pacing starts on 2026-11-21'],
    ['after it has ended', '2026-10-20', '2026-11-19', 'ended', 'pacing ended on 2026-11-19'],
  ])('changes nothing %s', (_, from, to, state, why) => {
    expect(said(flight('4000', from, to), steady(60), at('60'))).toEqual(['false', state, why]);
  });

  it('is not evaluated while one of its days is missing', () => {
    const account = at('60', { settled: (day) => day !== '2026-11-03' });
    expect(evaluateAll([ruleOf({ ...PACED, ...flight(...days) })], steady(60), account)).toMatchObject([
      { kind: 'not', reason: 'year has no complete data for 2026-11-03' },
    ]);
  });

  it('is unknown where a day has a cost below zero', () => {
    const rows = [...costing([-3000]), ...steady(60).slice(1)];
    expect(said(flight(...days), rows, at('60')).slice(0, 2)).toEqual(['unknown', 'unknown']);
  });

  it('is unknown for a campaign that shares its budget', () => {
    const account = accountOf({ 1: budgetOf(71, '60'), 2: budgetOf(71, '60') });
    expect(said(flight(...days), steady(60), account)).toEqual([
      'unknown',
      'unknown',
      'budget 71 also serves another campaign: pace it in a rule with "for: budget"',
    ]);
  });
});

it('leaves a budget alone that campaigns outside the rule share, and deducts its costs', () => {
  const account = accountOf(
    { 1: budgetOf(71, '60', 'Shoes'), 2: budgetOf(72, '60', 'Shoes, too'), 3: budgetOf(72, '60', 'Hats') },
    { highestOn: () => money('1000') },
  );
  const rows = [
    ...steady(60),
    ...steady(30, 28, { campaign_id: 2n, campaign_name: 'Shoes, too' }),
    ...steady(25, 28, { campaign_id: 3n, campaign_name: 'Hats' }),
  ];
  const text = flight('4000', '2026-11-01', '2026-12-10', { for: 'account', where: "campaign_name LIKE 'Shoes%'" });
  const requests = pacedVerdict(text, rows, account).requests();
  // 2,290 for 21 days is 109.04 a day, of which 30 go to the shared budget.
  expect(requests.map(({ budgetId, target }) => [budgetId, Number(target?.n) / 1e6])).toEqual([['71', 79.04]]);
});

it('a flight of one day gets its target on that day', () => {
  const today = flight('500', TODAY, TODAY, { pace: '{ curve: early }' });
  expect(said(today, steady(60), at('60'))).toMatchObject(['true', 'low', 500, expect.any(String)]);
});

describe('a target that cannot be reached says by how much, and why', () => {
  const missed = (text: RuleText, cost: number, amount: string, account: Partial<EvaluatedAccount> = {}) => {
    const verdict = pacedVerdict(text, steady(cost), at(amount, account));
    return [readingOf(verdict).shortfall, verdict.explain().split('; ').at(-1)];
  };

  it('because of the ceiling', () => {
    // 1,140 is spent; 21 days of 100 leave 760 of 4,000.
    expect(missed(flight('4000', '2026-11-01', '2026-12-10', { limits: '{ ceiling: 100 }' }), 60, '60')).toEqual([
      { amount: 760_000_000n, reason: 'ceiling' },
      'will miss the target by 760.00 EUR: the ceiling is too low',
    ]);
  });

  it('because of the ceiling on its late days, although today is within the band', () => {
    const text = flight('2100', TODAY, '2026-12-10', { pace: '{ curve: late }', limits: '{ ceiling: 110 }' });
    const [shortfall] = missed(text, 60, '50');
    expect(shortfall).toMatchObject({ reason: 'ceiling' });
  });

  it('because recent costs are below the budgets', () => {
    expect(missed(flight('4000', '2026-11-01', '2026-12-10'), 60, '100')).toEqual([
      { amount: 1_600_000_000n, reason: 'unused' },
      'will miss the target by 1,600.00 EUR: recent costs are below the budgets',
    ]);
  });

  it('because no day gets more than twice its share of the target', () => {
    // 190 is spent, and eleven days of 200 leave 610 of 3,000.
    expect(missed({}, 10, '10')).toEqual([
      { amount: 610_000_000n, reason: 'day_limit' },
      'will miss the target by 610.00 EUR: no day gets more than twice its share of the target',
    ]);
  });

  it.each<[string, RuleText, number, string]>([
    ['within the band', {}, 100, '100'],
    ['that one raise can meet', {}, 60, '60'],
    ['overspent', {}, 170, '170'],
    ['that has ended', { pace: '{ ends: 2026-11-19 }' }, 10, '10'],
    ['with a ceiling that is high enough', { limits: '{ ceiling: 170 }' }, 60, '60'],
  ])('but not a target %s', (_, text, cost, amount) => {
    expect(missed(text, cost, amount)[0]).toBeUndefined();
  });
});

const RUNS = { numRuns: byEffort({ quick: 40, thorough: 200, long: 1000 }) };
const CURVES = ['even', 'weekday', 'early', 'late', '[1, 1, 1, 1, 1, 0.5, 0]'];
const costs = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 60, maxLength: 60 });

/** Without what names the kind of the target. */
const numbersOf = ({ per, why, ...reading }: PaceReading) => reading;

it('a flight of a calendar month reads as the monthly target of that month', () => {
  const cases = fc.record({
    costs,
    budget: fc.integer({ min: 1, max: 300 }),
    shift: fc.integer({ min: -19, max: 20 }),
    lag: fc.integer({ min: 1, max: 4 }),
    curve: fc.constantFrom(...CURVES),
    limits: fc.constantFrom(undefined, '{ floor: 5, ceiling: 90 }'),
  });
  fc.assert(
    fc.property(cases, ({ costs, budget, shift, lag, curve, limits }) => {
      const today = addDays(TODAY, shift);
      const account = at(`${budget}`, { today, lastSettled: addDays(today, -lag) });
      const more = { pace: `{ curve: ${curve} }`, limits };
      const [from, to] = today < '2026-12-01' ? ['2026-11-01', '2026-11-30'] : ['2026-12-01', '2026-12-31'];
      const monthly = pacedVerdict(more, costing(costs), account);
      const flown = pacedVerdict({ ...flight('3000', from, to), ...more }, costing(costs), account);
      expect(numbersOf(readingOf(flown))).toEqual(numbersOf(readingOf(monthly)));
      expect(flown.requests().map(({ target }) => target)).toEqual(monthly.requests().map(({ target }) => target));
    }),
    RUNS,
  );
});

it('the ideals of all days add up to the target, for each curve', () => {
  const cases = fc.record({
    curve: fc.constantFrom(...CURVES),
    before: fc.integer({ min: 0, max: 25 }),
    after: fc.integer({ min: 0, max: 200 }),
    target: fc.integer({ min: 1, max: 1_000_000 }),
    costs,
  });
  fc.assert(
    fc.property(cases, ({ curve, before, after, target, costs }) => {
      const text = flight(`${target}`, addDays(TODAY, -before), addDays(TODAY, after), {
        pace: `{ curve: ${curve} }`,
      });
      const reading = readingOf(pacedVerdict(text, costing(costs), at('60')));
      const days = paceDays(reading);
      expect(days.length).toBe(before + 1 + after);
      expect(days.reduce((sum, { ideal }) => sum + ideal, 0n)).toBe(roundHalfAway(reading.target));
      if (curve === 'early' && days.length > 1)
        expect(reading.days[0]?.weight.n).toBe(3n * (reading.days.at(-1)?.weight.n ?? 0n));
      if (curve === 'late' && days.length > 1)
        expect(reading.days.at(-1)?.weight.n).toBe(3n * (reading.days[0]?.weight.n ?? 0n));
    }),
    RUNS,
  );
});

it('spends at most its target and the band, and nearly all of it where demand allows', () => {
  const cases = fc.record({
    curve: fc.constantFrom('even', 'early', 'late'),
    days: fc.integer({ min: 5, max: 80 }),
    budget: fc.integer({ min: 20, max: 400 }),
    start: fc.integer({ min: 0, max: 60 }),
  });
  fc.assert(
    fc.property(cases, ({ curve, days, budget, start }) => {
      const from = addDays(TODAY, start);
      const to = addDays(from, days - 1);
      const target = 100 * days;
      const rule = ruleOf({
        ...PACED,
        ...flight(`${target}`, from, to, { pace: `{ curve: ${curve} }`, limits: '{ floor: 1 }' }),
      });
      let spent = 0n;
      for (const { cost } of liveThrough({
        rule,
        from,
        to,
        campaigns: [{ budget, demandOn: () => 5_000 }],
        clickMicros: 10_000n,
      }))
        spent += cost;
      const share = rational(spent, BigInt(target) * 1_000_000n);
      expect(compare(share, rational(105n, 100n))).toBeLessThanOrEqual(0);
      expect(compare(share, rational(95n, 100n))).toBeGreaterThanOrEqual(0);
    }),
    RUNS,
  );
});

describe('the days of a flight are civil days, also where clocks change', () => {
  it.each([
    ['Europe/Berlin', '2026-10-20', '2026-10-30'],
    ['Europe/Berlin', '2026-03-25', '2026-04-02'],
    ['America/Los_Angeles', '2026-10-28', '2026-11-05'],
    ['America/Los_Angeles', '2026-03-05', '2026-03-12'],
  ])('%s from %s to %s', (timeZone, first, last) => {
    const flown = { from: civilDate(first), to: civilDate(last) };
    const all = daysOf(flown);
    const pace = { per: 'flight', starts: flown.from, ends: flown.to, rollover: 'none' } as const;
    const standings = new Map<CivilDate, Set<string>>();
    const end = startOfDayMs(addDays(flown.to, 2), timeZone);
    for (let now = startOfDayMs(addDays(flown.from, -1), timeZone); now < end; now += 1_800_000) {
      const today = civilDateAt(now, timeZone);
      const { standing, settled, open, period } = planPace(
        pace,
        { today, lastSettled: addDays(today, -2) },
        () => true,
      );
      expect(period).toEqual(flown);
      standings.set(today, (standings.get(today) ?? new Set()).add(standing));
      const isOn = all.includes(today);
      expect(settled.length + open.length).toBe(isOn ? all.indexOf(today) : 0);
    }
    expect([...standings.values()].map((one) => [...one].join())).toEqual([
      'not_started',
      ...all.map(() => 'active'),
      'ended',
    ]);
  });
});
