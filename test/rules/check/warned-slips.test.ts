import { describe, expect, it } from 'vitest';
import { checkText, type RuleText, ruleText } from '../rule-fixtures.ts';

function warningsOf(changes: RuleText): string[] {
  return checkText(ruleText({ from: 'keyword_stats', ...changes })).diagnostics.map(
    ({ code, severity, message, hint }) => `${code} ${severity}: ${message}${hint === undefined ? '' : ` ${hint}`}`,
  );
}

describe('a budget covers one day', () => {
  it('so that a value of several days next to it gets a warning', () => {
    const slips: RuleText[] = [
      { when: 'cost > budget' },
      { when: 'cost >= 90% * budget' },
      { when: 'cost over previous 14 days < budget' },
      { when: 'budget - cost < 5' },
      { when: 'coalesce(cost, 0) BETWEEN 0 AND budget' },
      { when: 'cost / budget > 90%' },
      { when: 'cost > budget', over: 'month to date' },
      { change: 'set budget to 1.1 * cost' },
      { change: 'set budget to cost over 30 days' },
    ];
    expect(slips.flatMap(warningsOf).join('\n')).toMatchInlineSnapshot(`
      "MIXED_DAYS warning: cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".
      MIXED_DAYS warning: cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".
      MIXED_DAYS warning: cost over previous 14 days covers 14 days, but budget covers one day. Write "cost over previous 14 days / 14", or "14 * budget".
      MIXED_DAYS warning: cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".
      MIXED_DAYS warning: cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".
      MIXED_DAYS warning: cost covers 7 days, but budget covers one day. Write "cost / 7", or "7 * budget".
      MIXED_DAYS warning: cost covers the month to date, but budget covers one day. Divide cost by the number of days in the month to date.
      MIXED_DAYS warning: cost covers 7 days, but a budget covers one day. Write "cost / 7".
      MIXED_DAYS warning: cost over 30 days covers 30 days, but a budget covers one day. Write "cost over 30 days / 30"."
    `);
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
  it('gets a warning', () => {
    const slips: RuleText[] = [
      { when: 'ctr < 2' },
      { when: '2.5 > ctr' },
      { when: 'clicks / impressions BETWEEN 0 AND 3' },
      { when: 'ctr > 150%' },
      { when: 'cost_micros > 5' },
      { when: 'cost_micros over 14 days > 50' },
      { when: 'cost_micros / clicks > 2.50' },
      { from: 'stats', when: 'clicks > 3 AND campaign_budget_amount_micros > 50' },
      { where: "campaign_name LIKE 'Brand*'" },
    ];
    expect(slips.flatMap(warningsOf).join('\n')).toMatchInlineSnapshot(`
      "UNLIKELY_COMPARISON warning: ctr is a share between 0 and 1, but the other side is 2. Write 2%.
      UNLIKELY_COMPARISON warning: ctr is a share between 0 and 1, but the other side is 2.5. Write 2.5%.
      UNLIKELY_COMPARISON warning: clicks / impressions is a share between 0 and 1, but the other side is 3. Write 3%.
      UNLIKELY_COMPARISON warning: ctr is a share between 0 and 1, but the other side is 150%. Write a percentage below 100%.
      UNLIKELY_COMPARISON warning: cost_micros is in micros (millionths), but the other side is 5. Write cost > 5.
      UNLIKELY_COMPARISON warning: cost_micros over 14 days is in micros (millionths), but the other side is 50. Write cost over 14 days > 50.
      UNLIKELY_COMPARISON warning: cost_micros / clicks is in micros (millionths), but the other side is 2.50. Write cost / clicks > 2.50.
      UNLIKELY_COMPARISON warning: campaign_budget_amount_micros is in micros (millionths), but the other side is 50. Write campaign_budget_amount > 50.
      UNLIKELY_COMPARISON warning: In LIKE, % matches any text, but * matches only a star. Write 'Brand%'."
    `);
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
