import { describe, expect, it } from 'vitest';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

function warningsOf(changes: RuleText): string[] {
  return checkText(ruleText({ from: 'keyword_stats', ...changes })).diagnostics.map(
    ({ code, severity, message, hint }) => `${code} ${severity}: ${message}${hint === undefined ? '' : ` ${hint}`}`,
  );
}

describe('a budget covers one day', () => {
  it.each<[string, RuleText, string]>([
    [
      'a sum of the own days',
      { when: 'cost > budget' },
      'cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".',
    ],
    [
      'a part of it',
      { when: 'cost >= 90% * budget' },
      'cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".',
    ],
    [
      'other days',
      { when: 'cost over previous 14 days < budget' },
      'cost over previous 14 days covers 14 days, but budget covers one day. Write "cost over previous 14 days / 14", or "14 * budget".',
    ],
    [
      'the rest of it',
      { when: 'budget - cost < 5' },
      'cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".',
    ],
    [
      'a range',
      { when: 'coalesce(cost, 0) BETWEEN 0 AND budget' },
      'cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".',
    ],
    [
      'a share',
      { when: 'cost / budget > 90%' },
      'cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".',
    ],
    [
      'the month to date',
      { when: 'cost > budget', over: 'month to date' },
      'cost covers the month to date, but budget covers one day. Divide cost by the number of days in the month to date.',
    ],
    [
      'a target',
      { change: 'set budget to 1.1 * cost' },
      'cost covers 7 days, but a budget covers one day. Write "cost / 7".',
    ],
    [
      'a target of other days',
      { change: 'set budget to cost over 30 days' },
      'cost over 30 days covers 30 days, but a budget covers one day. Write "cost over 30 days / 30".',
    ],
  ])('%s next to it gets a warning', (_, changes, expected) => {
    expect(warningsOf(changes)).toEqual([`MIXED_DAYS warning: ${expected}`]);
  });

  it.each<[string, RuleText]>([
    ['a sum divided by its days', { when: 'cost / 7 > budget' }],
    ['a budget times the days', { when: 'cost >= 0.9 * 7 * budget' }],
    ['a share beside the number of days', { when: 'cost / budget > 6.5' }],
    ['one day', { when: 'cost on yesterday > budget' }],
    ['a window of one day', { when: 'cost over 1 day > budget' }],
    ['a mean of days', { when: 'cost same weekday over 4 weeks > budget' }],
    ['a price', { when: 'budget > 10 * cost / clicks' }],
    ['a ratio of two sums', { change: 'set budget to budget * (cost / (cost over previous 7 days))' }],
    ['a target divided by its days', { change: 'set budget to 1.1 * cost over 7 days / 7' }],
  ])('%s gets no warning', (_, changes) => {
    expect(warningsOf(changes)).toEqual([]);
  });
});

describe('a comparison that is always or never true', () => {
  it.each<[string, RuleText, string]>([
    ['a share above 1', { when: 'ctr < 2' }, 'ctr is a share between 0 and 1, but the other side is 2. Write 2%.'],
    [
      'a share before it',
      { when: '2.5 > ctr' },
      'ctr is a share between 0 and 1, but the other side is 2.5. Write 2.5%.',
    ],
    [
      'the quotient itself',
      { when: 'clicks / impressions BETWEEN 0 AND 3' },
      'clicks / impressions is a share between 0 and 1, but the other side is 3. Write 3%.',
    ],
    [
      'more than all',
      { when: 'ctr > 150%' },
      'ctr is a share between 0 and 1, but the other side is 150%. Write a percentage below 100%.',
    ],
    [
      'micros',
      { when: 'cost_micros > 5' },
      'cost_micros is in micros (millionths), but the other side is 5. Write cost > 5.',
    ],
    [
      'micros of other days',
      { when: 'cost_micros over 14 days > 50' },
      'cost_micros over 14 days is in micros (millionths), but the other side is 50. Write cost over 14 days > 50.',
    ],
    [
      'micros a click',
      { when: 'cost_micros / clicks > 2.50' },
      'cost_micros / clicks is in micros (millionths), but the other side is 2.50. Write cost / clicks > 2.50.',
    ],
    [
      'micros of an attribute',
      { from: 'stats', when: 'clicks > 3 AND campaign_budget_amount_micros > 50' },
      'campaign_budget_amount_micros is in micros (millionths), but the other side is 50. Write campaign_budget_amount > 50.',
    ],
    [
      'a star in a pattern',
      { where: "campaign_name LIKE 'Brand*'" },
      "In LIKE, % matches any text, but * matches only a star. Write 'Brand%'.",
    ],
  ])('%s gets a warning', (_, changes, expected) => {
    expect(warningsOf(changes)).toEqual([`UNLIKELY_COMPARISON warning: ${expected}`]);
  });

  it.each<[string, RuleText]>([
    ['a share below 1', { when: 'ctr < 0.02' }],
    ['micros in micros', { when: 'cost_micros > 5000000' }],
    ['no micros at all', { when: 'cost_micros > 0' }],
    ['micros as units', { when: 'cost_micros / 1000000 > 5' }],
    ['a pattern with both', { where: "campaign_name LIKE 'Brand*%'" }],
  ])('%s gets no warning', (_, changes) => {
    expect(warningsOf(changes)).toEqual([]);
  });
});

describe('an unknown constant', () => {
  it.each<[string, RuleText, string[]]>([
    [
      'small letters',
      { where: "campaign_status = 'enabled'" },
      ['BAD_ENUM_CONSTANT error: "enabled" is not a constant of campaign.status. Did you mean ENABLED?'],
    ],
    [
      'one of a list',
      { where: "campaign_status NOT IN ('ENABLED', 'STOPPED')" },
      [
        'BAD_ENUM_CONSTANT error: "STOPPED" is not a constant of campaign.status. Constants are ENABLED, PAUSED, REMOVED.',
      ],
    ],
    ['one that is', { where: "campaign_status != 'REMOVED'" }, []],
    ['UNKNOWN', { where: "campaign_status = 'UNKNOWN'" }, []],
    ['text of its own', { where: "campaign_name = 'enabled'" }, []],
  ])('%s', (_, changes, expected) => {
    expect(warningsOf(changes)).toEqual(expected);
  });
});
