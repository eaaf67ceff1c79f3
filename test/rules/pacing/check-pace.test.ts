import { describe, expect, it } from 'vitest';
import { describeRule } from '../../../src/rules/file/describe-rule.ts';
import { checkText, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';
import { PACED } from './paced.ts';

const findings = (text: RuleText) =>
  checkText(ruleText({ ...PACED, ...text })).diagnostics.map(
    ({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` ${hint}`}`,
  );

describe('a pacing rule is refused', () => {
  it.each<[string, RuleText, string]>([
    [
      'with a target of zero',
      { change: 'pace budget to 0 per month' },
      'BAD_VALUE A target of 0 leaves nothing to spend, and pacekeeper never sets a budget to 0. Write a monthly amount, or pause the campaign by hand.',
    ],
    [
      'with a target of a week',
      { change: 'pace budget to 700 per week' },
      'BAD_VALUE Found "per week", expected per month: targets are for calendar months. Write pace budget to 3000 per month.',
    ],
    [
      'with the currency in the target',
      { change: 'pace budget to 3000 EUR per month' },
      'UNEXPECTED_INPUT Found "EUR", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month". Remove EUR. Set the currency in its own key: currency: EUR.',
    ],
    [
      'with a curve that does not sum',
      { pace: '{ curve: [20%, 20%, 20%, 15%, 10%, 5%, 5%] }' },
      'BAD_VALUE The percentages of the curve add up to 95%, expected 100%. Weights without percent signs may have any sum: [1, 1, 1, 1, 1, 0.5, 0.5].',
    ],
    [
      'with a curve of percentages beside weights',
      { pace: '{ curve: [20%, 20%, 20%, 20%, 20%, 0, 0] }' },
      'BAD_VALUE Found 5 percentages and 2 plain numbers, expected seven of the same kind. Write percentages that add up to 100%, or weights such as [1, 1, 1, 1, 1, 0.5, 0.5].',
    ],
    [
      'with a curve of nothing',
      { pace: '{ curve: [0, 0, 0, 0, 0, 0, 0] }' },
      'BAD_VALUE Every day of the curve has the weight 0, so no day gets a share of the target. Give at least one weekday a weight above 0.',
    ],
    [
      'with a curve of six days',
      { pace: '{ curve: [1, 1, 1, 1, 1, 1] }' },
      'BAD_VALUE Found a list for "pace.curve", expected even, weekday, or seven weights from Monday to Sunday such as [1, 1, 1, 1, 1, 0.5, 0.5]. Found 6 weights. Write one for each day from Monday to Sunday, such as [1, 1, 1, 1, 1, 0.5, 0.5].',
    ],
    [
      'with a band that leaves the target out',
      { pace: '{ band: 101% to 105% }' },
      'BAD_VALUE Found "101% to 105%" for "pace.band", expected two percentages around 100% such as 95% to 105%. Write two percentages around 100%, such as 95% to 105%.',
    ],
    [
      'with a band without percent signs',
      { pace: '{ band: 95 to 105 }' },
      'BAD_VALUE Found "95 to 105" for "pace.band", expected two percentages around 100% such as 95% to 105%. Write 95% to 105%.',
    ],
    [
      'with a target of no month',
      { change: 'pace budget to 3000' },
      'UNEXPECTED_END_OF_QUERY The change ends too early, expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month". Write pace budget to 3000 per month.',
    ],
    [
      'with a negative target',
      { change: 'pace budget to -5 per month' },
      'UNEXPECTED_INPUT Found "-", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month". Write pace budget to 5 per month.',
    ],
    [
      'with a rollover from no day on',
      { pace: '{ rollover: both }' },
      'MISSING_KEY "pace.starts" is missing: rollover needs a first day to count from. Add starts: 2026-11-01, or remove rollover.',
    ],
    [
      'that ends before it starts',
      { pace: '{ starts: 2026-11-15, ends: 2026-11-14 }' },
      'BAD_VALUE Found 2026-11-14, expected 2026-11-15 or later: pacing starts then. Swap the two days.',
    ],
    [
      'with a target of zero for a month',
      { pace: '{ months: { 2026-11: 0 } }' },
      'BAD_VALUE Found "0" for "pace.months.2026-11", expected an amount above zero such as 12.50, at most six decimals. Remove the month, or set "ends" to the last paced day.',
    ],
    [
      'with a month that is none',
      { pace: '{ months: { November: 500 } }' },
      'BAD_KEY Found the key "November" in "pace.months", expected a month such as 2026-11.',
    ],
    [
      'with a key of another name',
      { pace: '{ start: 2026-11-15 }' },
      'UNKNOWN_KEY Unknown setting "start". Did you mean starts?',
    ],
    [
      'whose change does not pace',
      { change: 'decrease budget by 10%', when: 'clicks over 7 days > 3', pace: '{ curve: even }' },
      'MISSING_KEY The rule has "pace", but "change" sets no monthly target. Write change: pace budget to 3000 per month, or remove "pace".',
    ],
    [
      'without a condition where it does not pace',
      { change: 'decrease budget by 10%' },
      'MISSING_KEY "when" is missing, expected a condition such as clicks >= 30.',
    ],
    [
      'from a table that does not know what was spent',
      { from: 'misnamed', for: 'account' },
      'UNUSABLE_TABLE A pacing rule for accounts needs campaign.id in the query misnamed, without an alias. Add campaign.id to its SELECT.',
    ],
    [
      'for ad groups',
      { for: 'ad_group', from: 'keyword_stats' },
      'NO_BUDGET An ad group has no budget of its own, so the rule may only alert. Replace change with alert, or write for: campaign.',
    ],
  ])('%s', (_, text, expected) => {
    expect(findings(text)).toContain(expected);
  });
});

it('lists a rule with its pacing options', () => {
  const rule = ruleOf({
    ...PACED,
    pace: '{ curve: [1, 1, 1, 1, 1, 0.5, 0], rollover: under, starts: 2026-09-15, months: { 2026-11: 5000 } }',
  });
  expect(describeRule(rule, 'apply')).toMatchObject({
    when: undefined,
    change: 'pace budget to 3000 per month',
    pace: 'curve 1 1 1 1 1 0.5 0, band 95% to 105%, rollover under, starts 2026-09-15, 5,000.00 EUR in 2026-11',
  });
});

it('requires a currency for its amounts', () => {
  expect(ruleOf({ ...PACED, currency: undefined }).amountAt).toBeDefined();
});

describe('a pacing rule gets a warning', () => {
  it.each<[string, RuleText, string]>([
    [
      'no floor',
      {},
      'Without a floor, an overspent month cuts budgets to a twentieth each day, down to the smallest currency amount. Add limits: { floor: 5 }, with the lowest daily amount you accept.',
    ],
    [
      'a floor that is more than the target',
      { limits: '{ floor: 200 }' },
      'The floor of 200.00 EUR comes to 5,600.00 EUR in 28 days, more than 95% to 105% of 3,000.00 EUR. Write a floor below 112.50 EUR, or a higher target.',
    ],
    [
      'a ceiling that is less than the target',
      { limits: '{ floor: 5, ceiling: 20 }' },
      'The ceiling of 20.00 EUR comes to 620.00 EUR in 31 days, less than 95% to 105% of 3,000.00 EUR. Write a ceiling above 101.79 EUR, or a lower target.',
    ],
    [
      'a cooldown that no curve fits',
      { limits: '{ floor: 5, cooldown: 7 days }', pace: '{ curve: weekday }' },
      'The curve gives each weekday a different amount, but the cooldown allows a change only every 7 days. Remove the cooldown, or write curve: even.',
    ],
    [
      'a step that no curve fits',
      { limits: '{ floor: 5, step: 10% }', pace: '{ curve: [1, 1, 1, 1, 1, 0.5, 0.5] }' },
      'The curve changes amounts by 50% from one day to the next, but the step allows only 10%. Remove the step, or write curve: even.',
    ],
    [
      'a where of the status',
      { where: "campaign_status = 'ENABLED'" },
      '"where" tests the status, so the earlier spend of a paused campaign would no longer count. Remove the status. Pacing never changes budgets of paused campaigns.',
    ],
    [
      'a table that has a part of the costs',
      { from: 'keyword_stats' },
      'keyword_stats reads keyword_view, which has only part of the campaign costs. The rest would not count. Read a query FROM campaign, such as campaign_spend.',
    ],
  ])('%s', (_, text, expected) => {
    expect(findings(text)).toContain(`UNLIKELY_PACE ${expected}`);
    expect(checkText(ruleText({ ...PACED, ...text })).rule).toBeDefined();
  });

  it('gets no warning if everything fits', () => {
    expect(findings({ limits: '{ floor: 5, ceiling: 400, cooldown: 1 day }', pace: '{ curve: weekday }' })).toEqual([]);
  });
});
