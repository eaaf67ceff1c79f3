import { describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import type { CampaignBudget, EvaluatedAccount } from '../../../src/language/rules/evaluate/evaluated-account.ts';
import { accountOf, budgetOf, evaluateAll, row, TODAY } from '../evaluated.ts';
import { money, type RuleText, ruleOf } from '../rule-fixtures.ts';
import { costing, PACED, pacedVerdict, readingOf, steady } from './paced.ts';

const at = (amount: string, changes: Partial<EvaluatedAccount> = {}) => accountOf({ 1: budgetOf(71, amount) }, changes);
/** The budget was far more of late, so that no raise is too much at once. */
const ONCE_MORE = { highestOn: () => money('1000') };

/** What the rule says, and the amounts that it requests for, in units. */
function said(text: RuleText, rows: Parameters<typeof pacedVerdict>[1], account: EvaluatedAccount) {
  const verdict = pacedVerdict(text, rows, account);
  const { state, why } = readingOf(verdict);
  const requests = verdict.requests().map(({ target }) => (target === undefined ? 'refused' : Number(target.n) / 1e6));
  return [verdict.truth, state, ...requests, why];
}

describe('a target of 3,000 on the 20th of November, 100 a day', () => {
  it.each<[string, RuleText, Parameters<typeof pacedVerdict>[1], EvaluatedAccount, unknown[]]>([
    [
      'is left alone within the band',
      {},
      steady(100),
      at('100'),
      ['false', 'in_band', "today's budget comes to 100% of the target; expected 95% to 105%"],
    ],
    [
      'is raised to what is left for each day where less was spent and all of the budget is used',
      {},
      steady(60),
      at('60', ONCE_MORE),
      ['true', 'low', 169.09, "today's budget comes to 60% of the target; expected 95% to 105%"],
    ],
    [
      'is not raised where the budget is not used',
      {},
      steady(60),
      at('100'),
      [
        'false',
        'unused',
        "each of the last seven days cost at most 60% of today's budget, so a larger budget would not be spent",
      ],
    ],
    [
      'is raised to twice what it was of late at most, the rest on the next days',
      {},
      steady(60),
      at('60'),
      ['true', 'low', 120, "today's budget comes to 60% of the target; expected 95% to 105%"],
    ],
    [
      'is raised to twice a day of the month at most, whatever was missed',
      {},
      steady(10),
      at('10', ONCE_MORE),
      ['true', 'low', 200, "today's budget comes to 10% of the target; expected 95% to 105%"],
    ],
    [
      'is left alone where a day cost less than nothing, for what is left would not be true',
      {},
      [...costing([-3000]), ...steady(60, 28, {}).slice(1)],
      at('60', ONCE_MORE),
      ['unknown', 'unknown', 'a required day has rows without a cost, or with a cost below zero'],
    ],
    [
      'is lowered where more was spent',
      {},
      steady(150),
      at('150'),
      ['true', 'high', 13.63, "today's budget comes to 150% of the target; expected 95% to 105%"],
    ],
    [
      'is lowered although the budget is not used',
      {},
      steady(100),
      at('400'),
      ['true', 'high', 100, "today's budget comes to 210% of the target; expected 95% to 105%"],
    ],
    [
      'goes down to the floor where nothing is left',
      { limits: '{ floor: 20 }' },
      steady(170),
      at('170'),
      ['true', 'overspent', 20, '3,230.00 of 3,000.00 is spent: nothing is left for the rest of the month'],
    ],
    [
      'goes down to a twentieth at once',
      { limits: '{ floor: 2 }' },
      steady(170),
      at('170'),
      ['true', 'overspent', 8.5, '3,230.00 of 3,000.00 is spent: nothing is left for the rest of the month'],
    ],
    [
      'goes down to a twentieth where nothing is left and there is no floor',
      {},
      steady(170),
      at('170'),
      ['true', 'overspent', 8.5, '3,230.00 of 3,000.00 is spent: nothing is left for the rest of the month'],
    ],
    [
      'goes down to whole units where the service bills them',
      {},
      steady(170),
      at('170', { budgetUnit: money('1') }),
      ['true', 'overspent', 9, '3,230.00 of 3,000.00 is spent: nothing is left for the rest of the month'],
    ],
    [
      'goes down to whole units above the floor',
      { limits: '{ floor: 20.50 }' },
      steady(170),
      at('170', { budgetUnit: money('1') }),
      ['true', 'overspent', 21, '3,230.00 of 3,000.00 is spent: nothing is left for the rest of the month'],
    ],
    [
      'is quiet for a campaign that is paused',
      {},
      steady(60, 28, { campaign_status: 'PAUSED' }),
      at('60'),
      ['false', 'paused', 'is paused'],
    ],
    [
      'is quiet before it starts',
      { pace: '{ starts: 2026-11-21 }' },
      steady(60),
      at('60'),
      ['false', 'not_started', 'pacing starts on 2026-11-21'],
    ],
    [
      'is quiet after it has ended',
      { pace: '{ ends: 2026-11-19 }' },
      steady(60),
      at('60'),
      ['false', 'ended', 'pacing ended on 2026-11-19'],
    ],
    [
      'is unknown for a campaign that shares its budget',
      {},
      steady(60),
      accountOf({ 1: budgetOf(71, '60'), 2: budgetOf(71, '60') }),
      ['unknown', 'unknown', 'budget 71 also serves another campaign: pace it in a rule with "for: budget"'],
    ],
    [
      'is unknown where the budget is not known',
      {},
      steady(60),
      accountOf({}),
      ['unknown', 'unknown', 'the budget of campaign 1 is not known'],
    ],
    [
      'fires only where "when" holds, too',
      { when: 'clicks over 7 days > 1000000' },
      steady(60),
      at('60'),
      ['false', 'low', "today's budget comes to 60% of the target; expected 95% to 105%"],
    ],
    [
      'counts days that are not complete with what their budget was',
      {},
      steady(100)
        .slice(3)
        .map((one) => ({ ...one })),
      at('100', { lastSettled: addDays(TODAY, -4) }),
      ['false', 'in_band', "today's budget comes to 100% of the target; expected 95% to 105%"],
    ],
    [
      'follows a curve: a Friday of weight 2 among days of weight 1 gets twice their part',
      { pace: '{ curve: [1, 1, 1, 1, 2, 1, 1] }' },
      steady(88.23),
      at('88.23', ONCE_MORE),
      ['true', 'low', 203.63, "today's budget comes to 75% of the target, by weekday weights; expected 95% to 105%"],
    ],
    [
      'gives a day without a weight the floor',
      { pace: '{ curve: [1, 1, 1, 1, 0, 1, 1] }', limits: '{ floor: 10 }' },
      steady(100),
      at('100'),
      ['true', 'high', 10, 'the curve gives nothing to today'],
    ],
    [
      'takes another target for a month',
      { pace: '{ months: { 2026-11: 6000 } }' },
      steady(100),
      at('100', ONCE_MORE),
      ['true', 'low', 372.72, "today's budget comes to 50% of the target; expected 95% to 105%"],
    ],
  ])('%s', (_, text, rows, account, expected) => {
    expect(said(text, rows, account)).toEqual(expected);
  });
});

describe('the reason', () => {
  it('contains the target, the spend, the ideal to date, and the outcome with the budget of today', () => {
    const verdict = pacedVerdict({}, steady(60), at('60'));
    expect(verdict.explain()).toBe(
      "paced to 3,000.00 EUR in November: 1,140.00 of 1,900.00 ideal to 2026-11-19, 1,800.00 with today's budget, expected 95% to 105%",
    );
    expect(verdict.numbersText()).toBe(verdict.explain());
  });

  it('says that there is too little data for a weekday curve', () => {
    const verdict = pacedVerdict({ pace: '{ curve: weekday }' }, steady(60, 5), at('60'));
    expect(verdict.explain()).toContain(', evenly: 5 of the last 28 days have costs, and the weekday curve needs 14');
  });
});

describe('past days that are not complete', () => {
  const open = (amount: string) => at(amount, { lastSettled: addDays(TODAY, -5) });
  const settled = steady(60).map((one) => ({ ...one, ago: Number(one.ago) + 4 }));

  it('count with their budget, and are not reported as spent', () => {
    const verdict = pacedVerdict({ change: 'pace budget to 1000 per month' }, settled, open('60'));
    const { why, unsettled, projected } = readingOf(verdict);
    expect(unsettled.n / unsettled.d).toBe(240_000_000n);
    expect(why).toBe(
      '900.00 of 1,000.00 is spent, and up to 240.00 more on incomplete days: nothing is left for the rest of the month',
    );
    // Thirty days of the weekdays' mean, which is what people may expect.
    expect(projected.n / projected.d).toBe(1_800_000_000n);
  });

  it('are expected to cost as much as their weekday, at most their budget', () => {
    const { projected } = readingOf(pacedVerdict({}, settled, open('100')));
    expect(projected.n / projected.d).toBe(1_800_000_000n);
  });

  it('count with the cost read so far if it exceeds their budget', () => {
    const { unsettled } = readingOf(pacedVerdict({}, [...settled, row({ cost_micros: 110_000_000n })], open('60')));
    expect(unsettled.n / unsettled.d).toBe(290_000_000n);
  });
});

it.each<[string, RuleText, ReturnType<typeof steady>, string]>([
  ['nobody is chosen', { where: "campaign_name = 'Nothing'" }, steady(100), '"where" selects no campaign with rows'],
  ['there are no rows', {}, [], 'no campaign has rows'],
])('an account is not known where %s', (_, text, rows, expected) => {
  const { state, why } = readingOf(pacedVerdict({ for: 'account', ...text }, rows, at('100')));
  expect([state, why]).toEqual(['unknown', expected]);
});

it('the reason of a change says why nothing is left if the numbers do not', () => {
  const text = { pace: '{ curve: [1, 1, 1, 1, 0, 1, 1] }', limits: '{ floor: 10 }' };
  expect(pacedVerdict(text, steady(60), at('60')).explain()).toMatch(
    /expected 95% to 105%.*; the curve gives nothing to today$/,
  );
  expect(pacedVerdict({}, steady(150), at('150')).explain()).toMatch(/expected 95% to 105%$/);
});

describe('the first day of a month', () => {
  const today = civilDate('2026-12-01');
  const days = Array.from({ length: 28 }, (_, index) => row({ ago: index - 10, cost_micros: 10_000_000n }));
  const first = (amount: string) => at(amount, { today, lastSettled: addDays(today, -1), ...ONCE_MORE });

  it('has no spend, and allows a little more per day because the service charges 30.4 of 31 days', () => {
    expect(said({}, days, first('10'))).toEqual([
      'true',
      'low',
      98.68,
      "today's budget comes to 10% of the target; expected 95% to 105%",
    ]);
  });

  it('is not evaluated while the day before it is missing', () => {
    const missing = { ...first('10'), settled: (day: string) => day < '2026-11-30' };
    expect(evaluateAll([ruleOf(PACED)], days, missing)).toMatchObject([
      { kind: 'not', reason: 'stats has no complete data for 2026-11-30' },
    ]);
  });
});

const other = (changes: Partial<CampaignBudget>, id = 72) => ({ ...budgetOf(id, '60', 'Hats'), ...changes });
const hats = steady(60, 28, { campaign_id: 2n, campaign_name: 'Hats' });

describe('the current status from the service overrides the rows', () => {
  it.each<[string, Partial<CampaignBudget>]>([
    ['removed', { campaignStatus: 'REMOVED' }],
    ['paused', { campaignStatus: 'PAUSED' }],
  ])('one that is %s takes no share', (_, live) => {
    const account = accountOf({ 1: budgetOf(71, '50', 'Shoes'), 2: other(live) });
    const { current, budgets } = readingOf(pacedVerdict({ for: 'account' }, [...steady(50), ...hats], account));
    expect([current, budgets.map(({ wanted }) => wanted !== undefined)]).toEqual([50_000_000n, [true, false]]);
  });

  it('a campaign that runs again after a pause is paced', () => {
    const account = accountOf({ 1: { ...budgetOf(71, '60'), campaignStatus: 'ENABLED' } });
    const verdict = pacedVerdict({}, steady(60, 28, { campaign_status: 'PAUSED' }), account);
    expect(readingOf(verdict).state).toBe('low');
  });

  it('a campaign that shared with a removed one owns its budget', () => {
    const account = accountOf({ 1: budgetOf(71, '60'), 2: other({ campaignStatus: 'REMOVED' }, 71) });
    expect(readingOf(pacedVerdict({}, steady(60), account)).state).toBe('low');
    const text = { for: 'account', where: "campaign_name = 'Shoes'" };
    expect(readingOf(pacedVerdict(text, [...steady(60), ...hats], account)).state).toBe('low');
  });
});

describe('several budgets of one target', () => {
  const account = (one: string, other: string) =>
    accountOf({ 1: budgetOf(71, one, 'Shoes'), 2: budgetOf(72, other, 'Hats') }, ONCE_MORE);
  const both = (shoes: number, hats: number) => [
    ...steady(shoes),
    ...steady(hats, 28, { campaign_id: 2n, campaign_name: 'Hats' }),
  ];
  const wanted = (rows: ReturnType<typeof both>, on: EvaluatedAccount, text: RuleText = {}) => {
    const { budgets, state } = readingOf(pacedVerdict({ for: 'account', ...text }, rows, on));
    return [state, ...budgets.map((one) => one.wanted && Number(one.wanted.n) / 1e6)];
  };

  it('raises the fully used budget, not the unused one', () => {
    expect(wanted(both(40, 10), account('40', '13'))).toEqual(['low', 173.36, undefined]);
  });

  it('moves unused budget to the fully used one: the cut first, the increase when there is room', () => {
    expect(wanted(both(20, 40), account('60', '40'))).toEqual(['unused', 25.01, 109.09]);
  });

  it('keeps unused budgets unchanged if no other budget is fully used', () => {
    expect(wanted(both(20, 10), account('60', '40'))).toEqual(['unused', undefined, undefined]);
  });

  it('moves nothing within the band', () => {
    expect(wanted(both(40, 40), account('60', '80'), { change: 'pace budget to 3100 per month' })[0]).toBe('in_band');
    expect(wanted(both(20, 40), account('130', '40'))[0]).toBe('in_band');
  });

  it('lowers both by need, and raises neither', () => {
    const [state, shoes, hats] = wanted(both(120, 30), account('120', '30'));
    expect([state, Number(shoes) + Number(hats)]).toEqual(['high', 13.63]);
    expect(Number(shoes) / Number(hats)).toBeCloseTo(4, 1);
  });
});

describe('a missed target whose budgets are not raised', () => {
  it.each<[sentence: string, amounts: readonly [string, string], limits: string | undefined, why: string]>([
    [
      'at the ceiling',
      ['20', '20'],
      '{ ceiling: 20 }',
      '40% of the target, but fully spent budgets are at the ceiling',
    ],
    ['of nothing', ['0', '0'], undefined, '25% of the target, but pacekeeper does not raise a budget of 0'],
    [
      'at the ceiling or at 0',
      ['20', '0'],
      '{ ceiling: 20 }',
      '33% of the target, but fully spent budgets are at the ceiling or at 0',
    ],
    [
      'of as much as a day may be',
      ['100', '100'],
      '{ ceiling: 400 }',
      '92% of the target, the highest amount for one day of this month',
    ],
  ])('gives the reason for budgets %s', (_sentence, [one, other], limits, why) => {
    const rows = one === '100' ? [...steady(100, 1), ...steady(10).slice(1)] : steady(20);
    const second = rows.map((row) => ({ ...row, campaign_id: 2n }));
    const account = accountOf(
      { 1: budgetOf(71, one), 2: budgetOf(72, other) },
      { highestOn: () => money(one === '0' ? '20' : one) },
    );
    const verdict = pacedVerdict({ for: 'account', ...(limits && { limits }) }, [...rows, ...second], account);
    const { state, why: said } = readingOf(verdict);
    expect([verdict.truth, state, said]).toEqual(['false', 'low', `today's budgets come to ${why}`]);
  });
});
