import { describe, expect, it } from 'vitest';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

const hintsOf = (changes: RuleText) =>
  checkText(ruleText({ from: 'keyword_stats', ...changes })).diagnostics.map(({ hint }) => hint);

const DAYS = 'Write days as "over 7 days", "over month to date" or "on today".';

describe('suggests the right words for a typing mistake', () => {
  it.each([
    ['a sign of print', 'clicks ≥ 30', 'Write ">=".'],
    ['another', 'clicks ≤ 30', 'Write "<=".'],
    ['and another', 'clicks ≠ 30', 'Write "!=".'],
    ['a semicolon', 'clicks >= 30;', 'Remove the semicolon.'],
    ['a sign in two parts', 'clicks > = 30', 'Write ">=" without a space.'],
    ['another in two parts', 'clicks ! = 30', 'Write "!=" without a space.'],
    ['the last days', 'clicks over last 7 days > 30', DAYS],
    ['two months', 'clicks over 2 months > 30', DAYS],
    ['days without over', 'clicks last 7 days > 30', DAYS],
    ['this month', 'clicks over this month > 30', DAYS],
    ['yesterday without on', 'cost yesterday > 30', DAYS],
    ['over before a weekday', 'cost over same weekday over 4 weeks > 30', DAYS],
    ['a comma in a fraction', 'cost / clicks > 2,50', 'Write numbers without separators: 1000, 2.50.'],
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
    ['an alert of one text', { alert: 'too dear' }, `Write "alert: { severity: warning, text: '{clicks} clicks' }".`],
    ['one limit', { limit: '{ floor: 5 }' }, 'Did you mean limits?'],
    ['a key in capitals', { Mode: 'apply' }, 'Did you mean mode?'],
    ['a key of another system', { if: 'clicks > 3' }, 'Write the condition as "when: clicks >= 30".'],
    [
      'the least amount',
      { limits: '{ min: 5 }' },
      'Did you mean "floor" (the lowest amount) or "minimum: { clicks: 30 }"?',
    ],
    ['the largest amount', { limits: '{ max: 5 }' }, 'Did you mean ceiling?'],
    ['a key of an alert', { alert: '{ txt: x, text: x }' }, 'Did you mean text?'],
  ])('%s in the file', (_, changes, hint) => {
    expect(hintsOf(changes)).toEqual([hint]);
  });
});

describe('suggests the line to write for other natural words', () => {
  it.each<[string, RuleText, string]>([
    ['a misspelt mode', { mode: 'aply' }, 'Did you mean apply?'],
    ['several campaigns', { for: 'campaigns' }, 'Did you mean campaign?'],
    ['a severity in capitals', { alert: '{ severity: WARNING, text: x }' }, 'Did you mean warning?'],
    ['a limit', { floor: '5' }, 'Write it under "limits", as in "limits: { floor: 5, cooldown: 3 days }".'],
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
    [
      'a sum',
      { when: 'SUM(clicks) > 30' },
      'A metric is already the sum over its days. For an average, divide it: clicks over 7 days / 7.',
    ],
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
      'Select the counts behind the metric and divide their sums, as in cost / clicks.',
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
