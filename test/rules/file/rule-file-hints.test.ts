import { describe, expect, it } from 'vitest';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

const hintsOf = (changes: RuleText) =>
  checkText(ruleText({ from: 'keyword_stats', ...changes })).diagnostics.map(({ hint }) => hint);

describe('suggests the right words for a typing mistake', () => {
  it.each([
    ['a sign of print', 'clicks ≥ 30', 'Write ">=".'],
    ['another', 'clicks ≤ 30', 'Write "<=".'],
    ['and another', 'clicks ≠ 30', 'Write "!=".'],
    ['a semicolon', 'clicks >= 30;', 'Remove the semicolon.'],
    ['a sign in two parts', 'clicks > = 30', 'Write ">=" without a space.'],
    ['another in two parts', 'clicks ! = 30', 'Write "!=" without a space.'],
    ['the last days', 'clicks over last 7 days > 30', 'Write "over 7 days".'],
    ['a week', 'clicks over 1 week > 30', 'Write "over 7 days".'],
    ['two weeks', 'clicks over 2 weeks > 30', 'Write "over 14 days".'],
    ['days without over', 'clicks last 7 days > 30', 'Write "over 7 days".'],
    ['days before without over', 'clicks previous 7 days > 30', 'Write "over previous 7 days".'],
    ['the last month', 'clicks over last month > 30', 'Write "over month to date" or "over 30 days".'],
    ['this month', 'clicks over this month > 30', 'Write "over month to date" or "over 30 days".'],
    ['yesterday without on', 'cost yesterday > 30', 'Write "on yesterday".'],
    ['today without on', 'cost today > 30', 'Write "on today".'],
    ['today as a stretch', 'cost over today > 30', 'Write "on today".'],
    ['over yesterday', 'cost over yesterday > 30', 'Write "on yesterday".'],
    ['a month without over', 'cost month to date > 30', 'Write "over month to date".'],
    [
      'over before a weekday',
      'cost over same weekday over 4 weeks > 30',
      'Write "same weekday over 4 weeks", without "over" before it.',
    ],
    ['a comma in a fraction', 'cost / clicks > 2,50', 'Write 2.50.'],
    ['a currency', 'cost > 50 EUR', 'Remove EUR. Set the currency with its own key: "currency: EUR".'],
    ['text of two words without quotes', 'campaign_name = Brand shoes', "Put text in quotes: 'Brand shoes'."],
  ])('%s', (_, when, hint) => {
    expect(hintsOf({ when })).toEqual([hint]);
  });

  it.each<[string, RuleText, string]>([
    [
      'a currency in a change',
      { change: 'decrease budget by 5 EUR' },
      'Remove EUR. Set the currency with its own key: "currency: EUR".',
    ],
    ['the last days', { over: 'last 7 days' }, 'Write "over: 7 days".'],
    ['a week', { over: '1 week' }, 'Write "over: 7 days".'],
    ['this month', { over: 'this month' }, 'Write "over: month to date" or "over: 30 days".'],
    ['days with over', { over: 'over 7 days' }, 'Write "over: 7 days".'],
    ['days before', { over: 'previous 7 days' }, 'Write these days after a metric in "when".'],
    ['an alert of one text', { alert: 'too dear' }, `Write "alert: { severity: warning, text: 'too dear' }".`],
    ['one limit', { limit: '{ floor: 5 }' }, 'Did you mean limits?'],
    ['a key in capitals', { Mode: 'apply' }, 'Did you mean mode?'],
    ['a key of another system', { if: 'clicks > 3' }, 'Write the condition as "when: clicks >= 30".'],
    [
      'the least amount',
      { limits: '{ min: 5 }' },
      'Did you mean "floor" (the lowest amount) or "minimum: { clicks: 30 }"?',
    ],
    ['the largest amount', { limits: '{ max: 5 }' }, 'Did you mean ceiling?'],
    ['a limit with a currency', { limits: '{ floor: 5 EUR }' }, 'Write 5.'],
    ['a key of an alert', { alert: '{ txt: x, text: x }' }, 'Did you mean text?'],
  ])('%s in the file', (_, changes, hint) => {
    expect(hintsOf(changes)).toEqual([hint]);
  });
});

describe('suggests the line to write for a change in the words of another system', () => {
  it.each([
    ['reduce budget', 'Write "change: decrease budget by 10%".'],
    ['reduce the budget by 20%', 'Write "change: decrease budget by 20%".'],
    ['Lower budget by 5.50', 'Write "change: decrease budget by 5.50".'],
    ['raise budget by 5', 'Write "change: increase budget by 5".'],
    ['increase budget to 60', 'Write "change: set budget to 60".'],
    ['decrease budget to 80%', 'Write "change: set budget to 80% * budget".'],
    ['decrease budget by -15%', 'Write "change: decrease budget by 15%".'],
    ['increase budget by -5', 'Write "change: decrease budget by 5".'],
    ['increase budget by +15%', 'Write "change: increase budget by 15%".'],
    ['by -15%', 'Write "change: decrease budget by 15%".'],
    ['-15%', 'Write "change: decrease budget by 15%".'],
    ['budget + 10', 'Write "change: increase budget by 10".'],
    ['decrease by 15%', 'Write "change: decrease budget by 15%".'],
    ['increase budget 10%', 'Write "change: increase budget by 10%".'],
    ['increase budget by', 'Write "change: increase budget by 10%".'],
    ['set budget 60', 'Write "change: set budget to 60".'],
    ['budget = 60', 'Write "change: set budget to 60".'],
    ['double budget', 'Write "change: increase budget by 100%".'],
    ['halve the budget', 'Write "change: decrease budget by 50%".'],
    [
      'pause campaign',
      'Rules cannot pause or enable anything. Write "change: decrease budget by 50%", or an alert that asks a person.',
    ],
    ['decrease bid by 10%', 'Rules change budgets, not bids. Write "change: decrease budget by 10%".'],
    [
      'if clicks > 3 then decrease budget by 15%',
      'Condition and change are separate keys. Write "when: clicks > 3" and "change: decrease budget by 15%".',
    ],
  ])('%s', (change, hint) => {
    const found = checkText(ruleText({ change })).diagnostics;
    expect(found.map((one) => [one.span.start.line, one.hint])).toEqual([[6, hint]]);
  });

  it('accepts the suggested line', () => {
    for (const change of ['decrease budget by 10%', 'set budget to 80% * budget', 'increase budget by 100%']) {
      expect(checkText(ruleText({ change })).diagnostics).toEqual([]);
    }
  });
});

describe('suggests the line to write for other natural words', () => {
  it.each<[string, RuleText, string]>([
    [
      'if and then in a condition',
      { when: 'if clicks > 3 then decrease budget by 10%' },
      'Condition and change are separate keys. Write "when: clicks > 3" and "change: decrease budget by 10%".',
    ],
    [
      'then behind an AND',
      { when: 'clicks > 3 AND then alert' },
      `Condition and change are separate keys. Write "when: clicks > 3" and "alert: { severity: warning, text: '{clicks} clicks' }".`,
    ],
    ['if in a condition', { when: 'IF clicks > 3' }, 'Remove "if". Write "when: clicks > 3".'],
    [
      'then in a condition',
      { when: 'clicks > 3 then alert' },
      `Condition and change are separate keys. Write "when: clicks > 3" and "alert: { severity: warning, text: '{clicks} clicks' }".`,
    ],
    ['a high severity', { alert: '{ severity: high, text: x }' }, 'Write "severity: critical".'],
    ['a severity in capitals', { alert: '{ severity: WARNING, text: x }' }, 'Write "severity: warning".'],
    ['a low severity', { alert: '{ severity: low, text: x }' }, 'Write "severity: info".'],
    ['an alert that is on', { alert: 'true' }, `Write "alert: { severity: warning, text: '{clicks} clicks' }".`],
    ['an alert that is off', { alert: 'no' }, 'Remove "alert".'],
    ['a mode of another name', { mode: 'auto' }, 'Write "mode: apply".'],
    ['a mode that only shows', { mode: 'show' }, 'Write "mode: propose".'],
    ['a misspelt mode', { mode: 'aply' }, 'Did you mean apply?'],
    ['several campaigns', { for: 'campaigns' }, 'Did you mean campaign?'],
    [
      'a severity outside the alert',
      { severity: 'high' },
      `Severity belongs to the alert. Write "alert: { severity: critical, text: '{clicks} clicks' }".`,
    ],
    ['a limit outside the limits', { floor: '5' }, 'This is one of the limits. Write "limits: { floor: 5 }".'],
    ['the text of an alert', { alert: '{ message: x, text: x }' }, 'Did you mean text?'],
  ])('%s', (_, changes, hint) => {
    expect(hintsOf(changes)).toEqual([hint]);
  });

  it('refuses to set a negative budget', () => {
    const found = checkText(ruleText({ change: 'set budget to -5' })).diagnostics;
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'BAD_VALUE Found a budget of -5, expected an amount above zero.',
    ]);
  });
});

describe('an unknown name', () => {
  it.each<[string, RuleText, string]>([
    ['a word beside a column of text', { when: 'campaign_name = Brand' }, "Put text in quotes: 'Brand'."],
    ['a word before it', { when: 'Brand = campaign_name' }, "Put text in quotes: 'Brand'."],
    ['a word in a list', { when: "campaign_name IN ('Shoes', Brand)" }, "Put text in quotes: 'Brand'."],
    ['a sum', { when: 'SUM(clicks) > 30' }, 'Write "clicks". It is already the sum over its days.'],
    ['an average', { when: 'avg(clicks) > 30' }, 'Write "clicks / 7".'],
    ['an average of other days', { when: 'avg(clicks over 14 days) > 30' }, 'Write "clicks over 14 days / 14".'],
    [
      'a metric that is not selected',
      { when: 'interactions > 30' },
      'Add metrics.interactions to queries/keyword_stats.sql.',
    ],
    [
      'an attribute that is not selected',
      { when: "campaign_serving_status = 'ENDED'" },
      'Add campaign.serving_status to queries/keyword_stats.sql.',
    ],
    [
      'a rate that is not selected',
      { when: 'interaction_rate > 30%' },
      'Select metrics.interactions and metrics.impressions, and write interactions / impressions.',
    ],
    ['a figure under its short name', { when: 'cvr > 30%' }, 'Write "conversions / clicks".'],
    [
      'a figure of conversions, without conversions',
      { when: 'cpa > 30', from: 'stats' },
      'Select metrics.cost_micros and metrics.conversions.',
    ],
    [
      'a short name that is near to nothing',
      { when: 'cxx > 30', from: 'stats' },
      expect.stringMatching(/^Known names: /),
    ],
  ])('%s', (_, changes, hint) => {
    expect(hintsOf(changes)).toEqual([hint]);
  });
});
