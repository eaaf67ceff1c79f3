import { describe, expect, it } from 'vitest';
import { reachOf } from '../../../src/language/rules/check/check-window.ts';
import { planRule } from '../../../src/language/rules/evaluate/plan-rule.ts';
import { place } from '../../gaql/findings.ts';
import { accountOf } from '../evaluated.ts';
import { checkText, queryNamed, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';
import { resolved } from '../shape.ts';

const findingsOf = (changes: RuleText, settleDays = new Map<string, number>()) =>
  checkText(ruleText(changes), 'a-rule', settleDays).diagnostics;
const placesOf = (changes: RuleText, settle = 0) => findingsOf(changes, new Map([['stats', settle]])).map(place);

describe('the days of a metric', () => {
  it.each([
    ['clicks over 14 days > 3', '(sum[clicks over 14 days] > 3)'],
    [
      '(cost / clicks) over previous 7 days > 3',
      '((sum[cost_micros÷1000000 over previous 7 days] / sum[clicks over previous 7 days]) > 3)',
    ],
    ['(clicks - clicks on yesterday) over 14 days > 3', '((sum[clicks over 14 days] - sum[clicks on yesterday]) > 3)'],
    ['ctr over month to date > 3%', '((sum[clicks over month to date] / sum[impressions over month to date]) > 3/100)'],
    [
      'clicks on yesterday > clicks same weekday over 4 weeks',
      '(sum[clicks on yesterday] > mean[clicks same weekday over 4 weeks])',
    ],
    ['(clicks + campaign_id) on yesterday > 3', '((sum[clicks on yesterday] + @campaign_id) > 3)'],
  ])('of the condition %s', (when, expected) => {
    const tree = ruleOf({ when }).when?.tree;
    expect(tree && resolved(tree)).toBe(expected);
  });

  it.each([
    ['7 days', { kind: 'days', days: 7 }],
    ['1 day', { kind: 'days', days: 1 }],
    ['4 weeks', { kind: 'days', days: 28, weeks: 4 }],
    ['Month to date', { kind: 'month_to_date' }],
    ['yesterday', { kind: 'yesterday' }],
    [undefined, undefined],
  ])('come from the rule: %s', (over, expected) => {
    expect(ruleOf({ over, when: 'clicks on yesterday > 3' }).over).toEqual(expected);
  });
});

describe('weeks', () => {
  it('are days of a table that has them', () => {
    const when = 'clicks over 26 weeks > 3 * clicks over previous 2 weeks';
    const rule = ruleOf({ from: 'year', over: '1 week', when });
    expect(rule.when && resolved(rule.when.tree)).toBe(
      '(sum[clicks over 26 weeks] > (3 * sum[clicks over previous 2 weeks]))',
    );
    expect(planRule(rule, accountOf()).days[0]).toBe('2026-05-22');
  });

  it('that the table has not name the change of the query', () => {
    const found = [
      findingsOf({ when: 'clicks over 26 weeks > 3' }),
      findingsOf({ over: '26 weeks' }),
      findingsOf({ when: 'clicks over previous 26 weeks > 3', over: '1 week' }),
      findingsOf({ when: 'clicks over 143 weeks > 3' }),
    ].flat();
    expect(found.map(({ message, hint }) => `${message} ${hint}`).join('\n')).toMatchInlineSnapshot(`
      ""over 26 weeks" starts 182 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-182 AND :yesterday. Or shorten the window.
      "over 26 weeks" starts 182 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-182 AND :yesterday. Or shorten the window.
      "over previous 26 weeks", before the 1 week of the rule, starts 189 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-189 AND :yesterday. Or shorten the window.
      Found 143 weeks, expected a whole number from 1 to 142. Write "over 7 days"."
    `);
  });
});

describe('an invalid window', () => {
  it.each([
    ['clicks over 0 days > 3', ['BAD_WINDOW 5:14-5:25']],
    ['clicks over 1.5 days > 3', ['BAD_WINDOW 5:14-5:27']],
    ['clicks over 143 weeks > 3', ['BAD_WINDOW 5:14-5:28']],
    ['clicks over 0.5 weeks > 3', ['BAD_WINDOW 5:14-5:28']],
    ['clicks over 1000 days > 3', ['BAD_WINDOW 5:14-5:28']],
    ['clicks same weekday over 105 weeks > 3', ['BAD_WINDOW 5:14-5:41']],
    ["campaign_name over 7 days = 'x'", ['BAD_WINDOW 5:21-5:32']],
    ['clicks > 5 over 7 days', ['BAD_WINDOW 5:18-5:29']],
    ['clicks > budget over 7 days', ['BAD_WINDOW 5:23-5:34']],
    ['(clicks > 5) over 7 days', ['BAD_WINDOW 5:7-5:31']],
    ['(clicks over 7 days) on yesterday > 5', ['BAD_WINDOW 5:28-5:40']],
  ])('%s', (when, places) => {
    expect(placesOf({ when })).toEqual(places);
  });
});

describe('a rule without a window of its own', () => {
  it.each([
    [{ when: 'clicks over 7 days > cost on yesterday / 2.5 / cost on yesterday' }, []],
    [{ when: 'clicks > 3 AND cost > 4', change: 'set budget to cost' }, ['MISSING_WINDOW 4:7-4:13']],
    [{ when: 'clicks over previous 7 days > 3' }, ['MISSING_WINDOW 4:14-4:34']],
    [{ when: 'clicks over 7 days > 3', change: 'set budget to cost' }, ['MISSING_WINDOW 5:23-5:27']],
    [{ when: 'clicks over 7 days > 3', alert: '{ text: "{clicks}" }' }, ['MISSING_WINDOW 6:18-6:24']],
    [{ when: 'clicks over 7 days > 3', limits: '{ minimum: { clicks: 3 } }' }, ['MISSING_WINDOW 6:22-6:28']],
    [{ when: 'budget > 3' }, ['MISSING_WINDOW 4:7-4:17']],
    [{ when: '1 = 1' }, ['MISSING_WINDOW 4:7-4:12']],
    [{ when: "weekday = 'Monday' AND budget > 3" }, ['MISSING_WINDOW 4:7-4:40']],
    [{ when: "hour >= 6 AND campaign_name = 'x'" }, ['MISSING_WINDOW 4:7-4:40']],
    [{ when: "weekday = 'Monday' AND clicks > 3" }, ['MISSING_WINDOW 4:30-4:36']],
    [{ when: "weekday = 'Monday' AND days_left < 3" }, []],
  ])('%j', (changes, places) => {
    expect(placesOf({ over: undefined, ...changes })).toEqual(places);
  });

  it('is not reported again if it is written wrongly', () => {
    expect(placesOf({ over: 'a week', when: 'clicks over previous 7 days > 3' })).toEqual(['BAD_VALUE 4:7-4:13']);
  });
});

describe('days within the table', () => {
  it.each<[string, RuleText, number, string[]]>([
    ['30 of 30', { over: '30 days' }, 0, []],
    ['31 of 30', { over: '31 days' }, 0, ['WINDOW_LONGER_THAN_DATA 4:7-4:14']],
    ['30 of 30, the newest two not complete', { over: '30 days' }, 2, ['WINDOW_LONGER_THAN_DATA 4:7-4:14']],
    ['28 of them', { over: '28 days' }, 2, []],
    ['7 and 23 before', { when: 'clicks over previous 23 days > 3' }, 0, []],
    ['7 and 24 before', { when: 'clicks over previous 24 days > 3' }, 0, ['WINDOW_LONGER_THAN_DATA 5:14-5:35']],
    ['yesterday and 29 before', { over: 'yesterday', when: 'clicks over previous 29 days > 3' }, 0, []],
    [
      'the month and one day before',
      { over: 'month to date', when: 'clicks over previous 1 day > 3' },
      0,
      ['WINDOW_LONGER_THAN_DATA 5:14-5:33'],
    ],
    ['a month', { over: 'month to date' }, 0, []],
    ['a month that is complete later', { over: 'month to date' }, 3, []],
    ['four weekdays', { when: 'clicks same weekday over 4 weeks > 3' }, 0, []],
    ['five weekdays', { when: 'clicks same weekday over 5 weeks > 3' }, 0, ['WINDOW_LONGER_THAN_DATA 5:14-5:39']],
    ['yesterday', { over: 'yesterday' }, 0, []],
    ['yesterday, not yet complete', { over: 'yesterday' }, 1, ['WINDOW_NOT_SETTLED 4:7-4:16']],
    [
      'a window of its own that is not complete',
      { when: 'clicks on yesterday > 3' },
      1,
      ['WINDOW_NOT_SETTLED 5:14-5:26'],
    ],
    [
      'weekdays of last week, not complete',
      { when: 'clicks same weekday over 2 weeks > 3' },
      8,
      ['WINDOW_NOT_SETTLED 5:14-5:39'],
    ],
    ['weekdays of last week, just complete', { when: 'clicks same weekday over 2 weeks > 3' }, 7, []],
    ['an unused window of the rule', { over: '60 days', when: 'clicks on yesterday > 3' }, 0, []],
    ['more in a larger table', { from: 'quarter', over: '60 days', when: 'clicks over previous 30 days > 3' }, 0, []],
    ['fixed days', { from: 'fixed_days' }, 0, ['WINDOW_NOT_SETTLED 4:7-4:13']],
  ])('%s', (_, changes, settle, places) => {
    expect(placesOf(changes, settle)).toEqual(places);
  });

  it('are reported with numbers', () => {
    const cases: [RuleText, number][] = [
      [{ over: '40 days' }, 0],
      [{ over: '30 days' }, 1],
      [{ when: 'clicks over previous 30 days > 3' }, 2],
      [{ over: 'yesterday' }, 1],
      [{ when: 'clicks on yesterday > 3' }, 2],
      [{ from: 'fixed_days' }, 0],
      [{ when: 'clicks over 0 days > 3' }, 0],
      [{ when: 'clicks > budget over 7 days' }, 0],
      [{ when: '(clicks > 5) over 7 days' }, 0],
      [{ over: undefined }, 0],
      [{ over: undefined, when: 'clicks over previous 7 days > 3' }, 0],
      [{ over: undefined, when: 'budget > 3' }, 0],
    ];
    const messages = cases.flatMap(([changes, settle]) =>
      findingsOf(changes, new Map([['stats', settle]])).map(({ message, hint }) => `${message} ${hint}`),
    );
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      ""over 40 days" starts 40 days ago, but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-40 AND :yesterday. Or shorten the window.
      "over 30 days" starts 31 days ago (including 1 day until numbers are final), but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-31 AND :yesterday. Or shorten the window.
      "over previous 30 days", before the 7 days of the rule, starts 39 days ago (including 2 days until numbers are final), but the query stats starts 30 days ago. Read more days: segments.date BETWEEN :today-39 AND :yesterday. Or shorten the window.
      "on yesterday" reads days that are not complete yet: days of stats are complete 1 day later. Use complete days such as "over 7 days". Or lower settle_days or conversion_window.
      "on yesterday" reads days that are not complete yet: days of stats are complete 2 days later. Use complete days such as "over 7 days". Or lower settle_days or conversion_window.
      The query fixed_days reads fixed days, but "over 7 days" moves every day. Use dates that move with the calendar: segments.date DURING LAST_30_DAYS.
      Found 0 days, expected a whole number from 1 to 999. Write "over 7 days".
      Found no metric for the window in "budget". Attributes, budgets and numbers have no days.
      Found a window after a condition, expected it after a metric. Write it after the metric, such as "clicks over 7 days >= 30".
      This metric has no window, and the rule has no "over". Add "over: 7 days" to the rule, or write "over 7 days" after the metric.
      Previous days end before the days of "over", but the rule has no "over". Add "over: 7 days" to the rule.
      The rule has no days: "when" has no metric, and "over" is missing. Add "over: 7 days" to the rule."
    `);
  });
});

describe('a quotient of different days', () => {
  it.each([
    ['cost / clicks over previous 7 days > 2', ['MIXED_WINDOWS 5:7-5:41 (warning)']],
    ['(cost / clicks on yesterday) over 14 days > 2', ['MIXED_WINDOWS 5:7-5:35 (warning)']],
    ['1.2 * cost / clicks over previous 7 days > 2', ['MIXED_WINDOWS 5:7-5:47 (warning)']],
    ['(cost / clicks) over previous 7 days > 2', []],
    ['cost / (cost over previous 7 days) > 2', []],
    ['cost over 7 days / cost over previous 7 days > 2', []],
    ['cost / clicks over 7 days > 2', []],
    ['budget / cost on yesterday > 2', []],
    ['1.2 * cost over previous 7 days > 2', []],
  ])('%s', (when, places) => {
    const check = checkText(ruleText({ when }));
    expect(check.diagnostics.map(place)).toEqual(places);
    expect(check.rule).toBeDefined();
  });

  it('gets a hint with both meanings', () => {
    const [found] = findingsOf({ when: '1.2 * cost / clicks over previous 7 days > 2' });
    expect(`${found?.message} ${found?.hint}`).toMatchInlineSnapshot(
      `"The window "over previous 7 days" applies only to clicks, but 1.2 * cost has the window "over 7 days". To use the same days for both, write (1.2 * cost / clicks) over previous 7 days. To keep the current meaning, write 1.2 * cost / (clicks over previous 7 days)."`,
    );
  });
});

const reachWhere = (condition: string) => {
  const { window } = queryNamed(
    'a',
    `SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE ${condition}`,
  );
  if (!window) throw new Error('The query names no days.');
  return reachOf(window);
};

describe('the days of a query', () => {
  it.each([
    ['segments.date DURING LAST_30_DAYS', 30, 1],
    ['segments.date DURING LAST_7_DAYS', 7, 1],
    ['segments.date DURING TODAY', 0, 0],
    ['segments.date DURING YESTERDAY', 1, 1],
    ['segments.date DURING THIS_MONTH', 30, 0],
    ['segments.date DURING LAST_MONTH', 61, 1],
    ['segments.date DURING LAST_WEEK_MON_SUN', 13, 1],
    ['segments.date BETWEEN :today-90 AND :yesterday', 90, 1],
    ['segments.date BETWEEN :today-60 AND :today-30', 60, 30],
    ['segments.date BETWEEN :month_start AND :yesterday', 30, 1],
    ['segments.date BETWEEN :year_start AND :yesterday', 365, 1],
    ["segments.date >= '2026-01-01' AND segments.date <= :yesterday", Number.POSITIVE_INFINITY, 1],
    ["segments.date >= '2040-01-01' AND segments.date <= :yesterday", Number.POSITIVE_INFINITY, 0],
  ])('of %s', (condition, oldest, newest) => {
    expect(reachWhere(condition)).toEqual({ kind: 'moving', oldest, newest });
  });

  it.each(["segments.date BETWEEN '2026-01-01' AND '2026-03-31'", "segments.date = '2026-01-01'"])(
    'are fixed: %s',
    (condition) => {
      expect(reachWhere(condition)).toEqual({ kind: 'fixed' });
    },
  );
});
