import { describe, expect, it } from 'vitest';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import { place } from '../../gaql/findings.ts';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

const check = (changes: RuleText) => checkText(ruleText(changes));
const findingsOf = (changes: RuleText) => check(changes).diagnostics.map((found) => `${place(found)} ${found.message}`);

it('says how a pacing rule can omit the condition', () => {
  const pace = {
    change: 'increase budget by 5%',
    pace: '{ curve: even }',
    currency: 'EUR',
    when: undefined,
    over: undefined,
  };
  const errors = check(pace).diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ hint }) => hint)).toEqual([
    'Add when: clicks >= 30. Or write change: pace budget to 3000 per month, without "when".',
    expect.stringMatching(/^Write change: pace budget to 3000 per month/),
  ]);
});

describe('a rule file that is refused', () => {
  it('shows all of its findings', () => {
    const mistakes: RuleText[] = [
      { from: 'nothing_like_it' },
      { from: 'stat' },
      { from: 'undated', when: 'clicks > 3' },
      { from: 'misnamed', when: 'clicks > 3' },
      { from: 'limited', when: 'clicks > 3' },
      { for: 'advert' },
      { for: 'ad_group', from: 'keyword_stats' },
      { for: 'keyword', change: undefined, alert: '{ text: x }' },
      { for: 'account', from: 'misnamed', when: 'clicks > 3', where: 'campaign_id = 5' },
      { where: 'clicks > 3' },
      { for: 'account', change: 'set budget to 0.9 * budget' },
      { over: '0 days' },
      { over: '1000 days' },
      { over: '7' },
      { when: 'clickz > 3' },
      { when: 'clicks > 3 AND (costs / clicks) > 2' },
      { when: "campaign_name = 'PLA #1'" },
      { when: '' },
      { change: 'raise budget by 5%' },
      { change: 'increase budget by 0%' },
      { change: 'increase budget by 0.00' },
      { change: 'decrease budget by 100%' },
      { limits: '{ step: 0% }' },
      { limits: '{ step: 100% }' },
      { limits: '{ step: 5 }' },
      { limits: '{ floor: 10, ceiling: 5 }' },
      { limits: '{ floor: -5 }' },
      { limits: '{ drift: 0% over 30 days }' },
      { limits: '{ drift: 50% }' },
      { limits: '{ cooldown: 0 days }' },
      { limits: '{ minimum: { clickz: 3, ctr: 1, campaign_id: 2, clicks: -1 } }' },
      { alert: '{ text: {clicks} }' },
      { alert: '{ severity: loud }' },
      { alert: '{ text: "{campaign_name}: {cost / clickz} a click" }' },
      { limits: '{ ceil: 5 }' },
      { mode: 'auto' },
      { currency: 'EUT' },
      { colour: 'red' },
      { from: undefined, change: undefined },
    ];
    expect(mistakes.flatMap(findingsOf).join('\n')).toMatchInlineSnapshot(`
      "UNKNOWN_TABLE 2:7-2:22 No query or model gives a table "nothing_like_it".
      UNKNOWN_TABLE 2:7-2:11 No query or model gives a table "stat".
      UNUSABLE_TABLE 2:7-2:14 A rule for campaigns needs segments.date in the query undated, without an alias.
      UNUSABLE_TABLE 2:7-2:15 A rule for campaigns needs campaign.id in the query misnamed, without an alias.
      UNUSABLE_TABLE 2:7-2:14 The query limited has a LIMIT, so its table may be incomplete.
      BAD_VALUE 3:6-3:12 Found "advert" for "for", expected one of campaign, budget, account, ad_group, keyword.
      NO_BUDGET 6:1-6:7 An ad group has no budget of its own, so the rule may only alert.
      UNUSABLE_TABLE 2:7-2:12 A rule for keywords needs ad_group.id and ad_group_criterion.criterion_id in the query stats, without an alias.
      UNUSABLE_TABLE 2:7-2:15 A rule for accounts with a "where" needs campaign.id in the query misnamed, without an alias.
      ATTRIBUTE_OF_SEVERAL 7:8-7:19 "campaign_id" belongs to ad_group, but an account may have several.
      METRIC_IN_WHERE 7:8-7:14 "clicks" is a metric: "where" filters by attributes only, such as names and states.
      ATTRIBUTE_OF_SEVERAL 6:9-6:35 An account may have several budgets, and each would get the amount of the whole account.
      BAD_VALUE 4:7-4:13 Found "0 days" for "over", expected days such as "7 days", "month to date", "yesterday" or "today".
      BAD_VALUE 4:7-4:16 Found "1000 days" for "over", expected days such as "7 days", "month to date", "yesterday" or "today".
      BAD_VALUE 4:7-4:8 Found "7" for "over", expected days such as "7 days", "month to date", "yesterday" or "today".
      UNRECOGNIZED_FIELD 5:7-5:13 Unknown column "clickz".
      UNRECOGNIZED_FIELD 5:23-5:28 Unknown column "costs".
      STRING_NOT_TERMINATED 5:23-5:27 The text starting with "'PLA" has no closing '.
      BAD_VALUE 5:7-5:7 Found "" for "when", expected text that is not empty.
      UNEXPECTED_INPUT 6:9-6:14 Found "raise", expected "increase budget by 10%", "decrease budget by 5", "set budget to 1.1 * budget" or "pace budget to 3000 per month".
      BAD_VALUE 6:28-6:30 A change by 0% changes nothing.
      BAD_VALUE 6:28-6:32 A change by 0 changes nothing.
      BAD_VALUE 6:28-6:32 A decrease by 100% or more leaves no budget.
      IMPOSSIBLE_LIMITS 7:17-7:19 A step of 0% allows no change.
      IMPOSSIBLE_LIMITS 7:17-7:21 A step of 100% or more does not limit decreases.
      BAD_VALUE 7:17-7:18 Found "5" for "limits.step", expected a percentage such as 20%.
      IMPOSSIBLE_LIMITS 7:18-7:20 The floor of 10 is above the ceiling of 5.
      BAD_VALUE 7:18-7:20 Found "-5" for "limits.floor", expected an amount from 0.000001 to 9223372036854.775807, such as 12.50.
      IMPOSSIBLE_LIMITS 7:18-7:33 A drift of 0% allows no change.
      BAD_VALUE 7:18-7:21 Found "50%" for "limits.drift", expected a percentage and days such as "50% over 30 days".
      BAD_VALUE 7:21-7:27 Found "0 days" for "limits.cooldown", expected days such as "3 days".
      UNRECOGNIZED_FIELD 7:22-7:28 Unknown column "clickz".
      OPERATOR_FIELD_MISMATCH 7:33-7:36 Found "ctr", expected a metric that can be summed, such as clicks.
      OPERATOR_FIELD_MISMATCH 7:41-7:52 Found "campaign_id", expected a metric that can be summed, such as clicks.
      BAD_VALUE 7:65-7:67 Found "-1" for "limits.minimum.clicks", expected a number of 0 or more, such as 30.
      BAD_VALUE 7:16-7:24 Found a group of settings for "alert.text", expected text, in quotes if it begins with a brace.
      MISSING_KEY 7:8-7:26 "alert.text" is missing, expected text, in quotes if it begins with a brace.
      BAD_VALUE 7:20-7:24 Found "loud" for "alert.severity", expected one of info, warning, critical.
      UNRECOGNIZED_FIELD 7:42-7:48 Unknown column "clickz".
      UNKNOWN_KEY 7:11-7:15 Unknown setting "ceil".
      BAD_VALUE 7:7-7:11 Found "auto" for "mode", expected one of propose, approve, apply, suggest.
      BAD_VALUE 7:11-7:14 Found "EUT" for "currency", expected a currency code such as EUR.
      UNKNOWN_KEY 7:1-7:7 Unknown setting "colour".
      MISSING_KEY 1:1-5:1 "from" is missing, expected text that is not empty.
      MISSING_KEY 1:1-5:1 The rule has neither "change" nor "alert", so it does nothing."
    `);
    for (const changes of mistakes) expect(check(changes).rule).toBeUndefined();
  });

  it('gets all findings at once, in file order', () => {
    const changes = {
      from: 'stat',
      when: 'clicks > ',
      change: 'decrease budget by 100%',
      limits: '{ floor: 9, ceiling: 5, step: 200% }',
    };
    expect(check(changes).diagnostics.map(place)).toEqual([
      ...'UNKNOWN_TABLE 2:7-2:11, UNEXPECTED_END_OF_QUERY 5:15-5:16, BAD_VALUE 6:28-6:32'.split(', '),
      ...'IMPOSSIBLE_LIMITS 7:18-7:19, IMPOSSIBLE_LIMITS 7:39-7:43'.split(', '),
    ]);
  });

  it('suggests a similar table and column', () => {
    expect(check({ from: 'stat' }).diagnostics[0]?.hint).toBe('Did you mean stats?');
    expect(check({ when: 'clickz > 3' }).diagnostics[0]?.hint).toBe('Did you mean clicks?');
    expect(check({ from: 'zzzzzzzz' }).diagnostics[0]?.hint).toBe(
      'Known tables: stats, campaign_spend, keyword_stats, quarter, year, so_far, hours, past_hours, fixed_days, misnamed, impression_shares, only_lost, undated, limited.',
    );
    expect(checkRuleFile('a', ruleText(), new Map(), new Set(), { version: '' }).diagnostics[0]?.hint).toBe(
      'Known tables: none yet.',
    );
  });

  it("does not repeat what a broken query file's own findings say", () => {
    const { rule, diagnostics } = checkText(ruleText({ from: 'broken' }), 'a', new Map(), new Set(['broken']));
    expect(rule).toBeUndefined();
    expect(diagnostics).toEqual([]);
  });

  it('is checked as YAML first', () => {
    expect(checkText('from: a\nfrom: b\n').diagnostics.map(place)).toEqual(['BAD_YAML 2:1-2:5']);
  });
});

describe('a rule file with several mistakes', () => {
  it('shows all mistakes at once', () => {
    const found = findingsOf({
      over: '0 days',
      from: 'keyword_stat',
      when: 'clics > 3 AND',
      change: 'decrease budget by 100%',
      limits: '{ floor: none, step: 120% }',
      mode: 'aply',
    });
    expect(found.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      ...'UNKNOWN_TABLE 2:7-2:19, BAD_VALUE 4:7-4:13, UNEXPECTED_END_OF_QUERY 5:20-6:1'.split(', '),
      ...'BAD_VALUE 6:28-6:32, BAD_VALUE 7:18-7:22, IMPOSSIBLE_LIMITS 7:30-7:34, BAD_VALUE 8:7-8:11'.split(', '),
    ]);
  });
});
