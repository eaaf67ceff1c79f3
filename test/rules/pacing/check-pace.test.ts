import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/domain/diagnostic.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { describeRule } from '../../../src/language/rules/file/describe-rule.ts';
import { checkText, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';
import { PACED } from './paced.ts';

const findings = (text: RuleText, severity: Diagnostic['severity']) =>
  checkText(ruleText({ ...PACED, ...text }))
    .diagnostics.filter((found) => found.severity === severity)
    .map(({ code, message, hint }) => [code, message, hint].filter(Boolean).join(' '));

describe('a pacing rule', () => {
  it('is refused for each mistake', () => {
    const mistakes: RuleText[] = [
      { change: 'pace budget to 0 per month' },
      { change: 'pace budget to 700 per week' },
      { change: 'pace budget to 3000 EUR per month' },
      { pace: '{ curve: [20%, 20%, 20%, 15%, 10%, 5%, 5%] }' },
      { pace: '{ curve: [20%, 20%, 20%, 20%, 20%, 0, 0] }' },
      { pace: '{ curve: [0, 0, 0, 0, 0, 0, 0] }' },
      { pace: '{ curve: [1, 1, 1, 1, 1, 1] }' },
      { pace: '{ band: 101% to 105% }' },
      { pace: '{ band: 95 to 105 }' },
      { change: 'pace budget to 3000' },
      { change: 'pace budget to 9000 from 2026-12-24 to 2026-11-20' },
      { change: 'pace budget to 9000 from 2026-11-31 to 2026-12-24' },
      { change: 'pace budget to 9000 from 2026-11-20 to 12/24/2026' },
      { change: 'pace budget to 9000 from today to 2026-12-24' },
      { change: 'pace budget to 9000 from 2026-11-20' },
      { change: 'pace budget to 9000 from 2026-11-20 to 2027-11-21' },
      { change: 'pace budget to 9000 from 2026-11-20 to 2026-12-24' },
      { from: 'fixed_days', change: 'pace budget to 9000 from 2026-11-20 to 2026-11-24' },
      ...['starts: 2026-11-20', 'ends: 2026-11-24', 'rollover: both', 'months: { 2026-11: 500 }'].map((option) => ({
        change: 'pace budget to 9000 from 2026-11-20 to 2026-11-24',
        pace: `{ ${option} }`,
      })),
      { change: 'pace budget to -5 per month' },
      { pace: '{ rollover: both }' },
      { pace: '{ starts: 2026-11-15, ends: 2026-11-14 }' },
      { pace: '{ months: { 2026-11: 0 } }' },
      { pace: '{ months: { November: 500 } }' },
      { pace: '{ weights: { 2026-11-31: 2 } }' },
      { pace: '{ weights: { 2026-11: -1 } }' },
      { pace: '{ pauses: [{ from: 2026-11-12, to: 2026-11-11 }] }' },
      ...['weights: { 2026-11: 0 }', 'pauses: [{ from: 2026-11-20, to: 2026-12-31 }]'].map((option) => ({
        change: 'pace budget to 9000 from 2026-11-20 to 2026-11-24',
        pace: `{ ${option} }`,
      })),
      { pace: '{ start: 2026-11-15 }' },
      { change: 'decrease budget by 10%', when: 'clicks over 7 days > 3', pace: '{ curve: even }' },
      { change: 'decrease budget by 10%' },
      { from: 'misnamed', for: 'account' },
      { for: 'ad_group', from: 'keyword_stats' },
    ];
    expect(mistakes.flatMap((text) => findings(text, 'error')).join('\n')).toMatchInlineSnapshot(`
      "BAD_VALUE A target of 0 leaves nothing to spend, and pacekeeper never sets a budget to 0. Write a higher amount, or pause the campaign by hand.
      BAD_VALUE Found "per week", expected "per month". Targets are for calendar months or flights. Write "pace budget to 3000 per month", or a flight "from 2026-11-20 to 2026-12-24".
      UNEXPECTED_INPUT Found "EUR", expected "per month" or "from 2026-11-20 to 2026-12-24". Remove EUR. Set the currency with its own key: "currency: EUR".
      BAD_VALUE The percentages of the curve add up to 95%, expected 100%. Weights without percent signs may have any sum: [1, 1, 1, 1, 1, 0.5, 0.5].
      BAD_VALUE Found 5 percentages and 2 plain numbers, expected seven of the same kind. Write percentages that add up to 100%, or weights such as [1, 1, 1, 1, 1, 0.5, 0.5].
      BAD_VALUE Every day of the curve has the weight 0, so no day gets a share of the target. Give at least one weekday a weight above 0.
      BAD_VALUE Found a list for "pace.curve", expected even, weekday, early, late, or seven weights from Monday to Sunday such as [1, 1, 1, 1, 1, 0.5, 0.5].
      BAD_VALUE Found "101% to 105%" for "pace.band", expected two percentages around 100% such as 95% to 105%.
      BAD_VALUE Found "95 to 105" for "pace.band", expected two percentages around 100% such as 95% to 105%.
      UNEXPECTED_END_OF_QUERY The change ends too early, expected "per month" or "from 2026-11-20 to 2026-12-24".
      BAD_VALUE Found 2026-11-20, expected 2026-12-24 or later: the flight starts on that day. Swap the two days.
      BAD_VALUE Found 2026-11-31, expected a day such as 2026-11-20. Write year-month-day.
      BAD_VALUE Found 12/24/2026, expected a day such as 2026-11-20. Write year-month-day.
      UNEXPECTED_INPUT Found "today", expected a day such as 2026-11-20.
      UNEXPECTED_END_OF_QUERY The change ends too early, expected "per month" or "from 2026-11-20 to 2026-12-24".
      BAD_VALUE Found a flight of 367 days, expected at most 366. Write a shorter flight. For a monthly target, write "pace budget to 3000 per month".
      WINDOW_LONGER_THAN_DATA "from 2026-11-20 to 2026-12-24" starts 34 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-34 AND :yesterday. Or shorten the window.
      WINDOW_NOT_SETTLED The query fixed_days reads fixed days, but "from 2026-11-20 to 2026-11-24" moves every day. Use dates that move with the calendar: segments.date DURING LAST_30_DAYS.
      BAD_VALUE Found "pace.starts" with a flight, expected it only with "per month". A flight has its own days. Remove "starts", or write "change: pace budget to 3000 per month".
      BAD_VALUE Found "pace.ends" with a flight, expected it only with "per month". A flight has its own days. Remove "ends", or write "change: pace budget to 3000 per month".
      MISSING_KEY "pace.starts" is missing: rollover needs a first day to count from. Add "starts: 2026-11-01", or remove "rollover".
      BAD_VALUE Found "pace.rollover" with a flight, expected it only with "per month". A flight has its own days. Remove "rollover", or write "change: pace budget to 3000 per month".
      BAD_VALUE Found "pace.months" with a flight, expected it only with "per month". A flight has its own days. Remove "months", or write "change: pace budget to 3000 per month".
      UNEXPECTED_INPUT Found "-", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      MISSING_KEY "pace.starts" is missing: rollover needs a first day to count from. Add "starts: 2026-11-01", or remove "rollover".
      BAD_VALUE Found 2026-11-14, expected 2026-11-15 or later: pacing starts on that day. Swap the two days.
      BAD_VALUE Found "0" for "pace.months.2026-11", expected an amount from 0.000001 to 9223372036854.775807, such as 12.50.
      BAD_KEY Found the key "November" in "pace.months", expected a month such as 2026-11.
      BAD_KEY Found the key "2026-11-31" in "pace.weights", expected a month such as 2026-11, or a day such as 2026-11-27.
      BAD_VALUE Found "-1" for "pace.weights.2026-11", expected a number of 0 or more such as 2.
      BAD_VALUE Found a pause from 2026-11-12 to 2026-11-11, expected 2026-11-12 or later. Swap the two days.
      BAD_VALUE Every day from 2026-11-20 to 2026-11-24 has the weight 0, so nothing may be spent. Give at least one day a weight above 0.
      BAD_VALUE Every day from 2026-11-20 to 2026-11-24 has the weight 0, so nothing may be spent. Give at least one day a weight above 0.
      UNKNOWN_KEY Unknown setting "start". Did you mean starts?
      MISSING_KEY The rule has "pace", but "change" sets no monthly target. Write change: pace budget to 3000 per month, or remove "pace".
      MISSING_KEY "when" is missing, expected a condition such as clicks >= 30.
      UNUSABLE_TABLE A pacing rule for accounts needs campaign.id in the query misnamed, without an alias. Add campaign.id to its SELECT.
      UNUSABLE_TABLE A pacing rule needs metrics.cost_micros in the query misnamed to know the spend. Add metrics.cost_micros to its SELECT.
      NO_BUDGET An ad group has no budget of its own, so the rule may only alert. Replace change with alert, or write for: campaign."
    `);
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

it('lists a flight with its curve, its days in the change', () => {
  const change = 'pace budget to 9000 from 2026-11-20 to 2026-12-20';
  expect(
    describeRule(
      ruleOf({
        ...PACED,
        change,
        pace: '{ curve: early, weights: { 2026-12: 2 }, pauses: [{ from: 2026-11-28, to: 2026-11-29 }] }',
      }),
      'apply',
    ),
  ).toMatchObject({
    change,
    pace: 'curve early, band 95% to 105%, weight 2 on 2026-12, pause from 2026-11-28 to 2026-11-29',
  });
});

describe('a flight of which the query holds all days is accepted', () => {
  it.each([
    ['31 days of 30 read, because the first is 30 days before the last', 'stats', 'from 2026-11-20 to 2026-12-20'],
    ['one day', 'stats', 'from 2026-11-20 to 2026-11-20'],
    ['366 days', 'year', 'from 2028-01-01 to 2028-12-31'],
  ])('%s', (_, from, days) => {
    const { rule } = checkText(ruleText({ ...PACED, from, change: `pace budget to 9000 ${days}` }));
    const [, starts, ends] = /from (\S+) to (\S+)/.exec(days) ?? [];
    expect(rule?.change).toMatchObject({ kind: 'pace', pace: { per: 'flight', starts, ends } });
  });
});

it('requires a currency for its amounts', () => {
  expect(ruleOf({ ...PACED, currency: undefined }).amountAt).toBeDefined();
});

describe('a pacing rule gets a warning', () => {
  it('but still works', () => {
    const unlikely: RuleText[] = [
      {},
      { limits: '{ floor: 200 }' },
      { limits: '{ floor: 5, ceiling: 20 }' },
      { change: 'pace budget to 900 from 2026-11-20 to 2026-11-29', limits: '{ floor: 100 }' },
      { change: 'pace budget to 900 from 2026-11-20 to 2026-11-29', limits: '{ floor: 5, ceiling: 50 }' },
      { limits: '{ floor: 5, cooldown: 7 days }', pace: '{ curve: weekday }' },
      { limits: '{ floor: 5, step: 10% }', pace: '{ curve: [1, 1, 1, 1, 1, 0.5, 0.5] }' },
      { where: "campaign_status = 'ENABLED'" },
      { from: 'keyword_stats' },
    ];
    expect(unlikely.flatMap((text) => findings(text, 'warning')).join('\n')).toMatchInlineSnapshot(`
      "UNLIKELY_PACE Without a floor, an overspent month cuts budgets to a twentieth each day, down to the smallest currency amount. Add "limits: { floor: 5 }", with the lowest daily amount you accept.
      UNLIKELY_PACE The floor of 200.00 EUR comes to 5,600.00 EUR in 28 days, expected 95% to 105% of 3,000.00 EUR. Write a floor below 112.50 EUR, or a higher target.
      UNLIKELY_PACE The ceiling of 20.00 EUR comes to 620.00 EUR in 31 days, expected 95% to 105% of 3,000.00 EUR. Write a ceiling above 101.79 EUR, or a lower target.
      UNLIKELY_PACE The floor of 100.00 EUR comes to 1,000.00 EUR in 10 days, expected 95% to 105% of 900.00 EUR. Write a floor below 94.50 EUR, or a higher target.
      UNLIKELY_PACE The ceiling of 50.00 EUR comes to 500.00 EUR in 10 days, expected 95% to 105% of 900.00 EUR. Write a ceiling above 85.50 EUR, or a lower target.
      UNLIKELY_PACE The curve gives each weekday a different amount, but the cooldown allows a change only every 7 days. Remove the cooldown, or write "curve: even".
      UNLIKELY_PACE The curve changes amounts by 50% from one day to the next, but the step allows only 10%. Remove the step, or write "curve: even".
      UNLIKELY_PACE Without a floor, an overspent month cuts budgets to a twentieth each day, down to the smallest currency amount. Add "limits: { floor: 5 }", with the lowest daily amount you accept.
      UNLIKELY_PACE "where" tests the status, so the earlier spend of a paused campaign would no longer count. Remove the status from "where". Pacing never changes budgets of paused campaigns.
      UNLIKELY_PACE keyword_stats reads keyword_view, which has only part of the campaign costs. The rest would not count. Read a query FROM campaign, such as campaign_spend.
      UNLIKELY_PACE Without a floor, an overspent month cuts budgets to a twentieth each day, down to the smallest currency amount. Add "limits: { floor: 5 }", with the lowest daily amount you accept."
    `);
    for (const text of unlikely) expect(checkText(ruleText({ ...PACED, ...text })).rule).toBeDefined();
  });

  it('a flight that has ended in every time zone', () => {
    const text = ruleText({
      ...PACED,
      change: 'pace budget to 900 from 2026-11-10 to 2026-11-18',
      limits: '{ floor: 5 }',
    });
    const on = (today: string) =>
      checkText(text, 'a-rule', new Map(), new Set(), civilDate(today)).diagnostics.map(
        ({ code, message, hint }) => `${code} ${message} ${hint}`,
      );
    expect(on('2026-11-19')).toEqual([]);
    expect(on('2026-11-20')).toEqual([
      'UNLIKELY_PACE The flight ended on 2026-11-18, so the rule does nothing. Write later days, or remove the rule.',
    ]);
  });

  it('gets no warning if everything fits', () => {
    expect(
      findings({ limits: '{ floor: 5, ceiling: 400, cooldown: 1 day }', pace: '{ curve: weekday }' }, 'warning'),
    ).toEqual([]);
  });
});
