import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { place } from '../../gaql/findings.ts';
import { checkText, money, type RuleText, ruleOf, ruleText } from '../rule-fixtures.ts';

const check = (changes: RuleText) => checkText(ruleText(changes));

describe('a rule file', () => {
  it('is read as a whole', () => {
    const changes = {
      where: "campaign_name NOT LIKE 'Test%'",
      over: '30 days',
      currency: 'EUR',
      change: 'increase budget by 12.5%',
      limits:
        '{ floor: 5, ceiling: 200.50, step: 20%, cooldown: 3 days, drift: 50% over 30 days, minimum: { clicks: 30, cost: 2.50 } }',
      mode: 'approve',
      alert: '{ severity: critical, text: "{campaign_name}: {cost / clicks} a click" }',
    };
    const text = ruleText(changes);
    expect(checkText(text).rule).toMatchObject({
      name: 'a-rule',
      description: 'A rule of a test.',
      from: 'stats',
      version: createHash('sha256').update(text).digest('hex').slice(0, 12),
      for: 'campaign',
      where: { text: "campaign_name NOT LIKE 'Test%'" },
      over: { kind: 'days', days: 30 },
      when: { text: 'clicks >= 30 AND cost / clicks > 2.50' },
      change: {
        direction: 'increase',
        by: { kind: 'share', share: { n: 1n, d: 8n } },
        text: 'increase budget by 12.5%',
      },
      limits: {
        floor: money('5'),
        ceiling: money('200.50'),
        step: { n: 1n, d: 5n },
        cooldownDays: 3,
        drift: { share: { n: 1n, d: 2n }, days: 30 },
        minimum: [
          {
            name: 'clicks',
            least: { n: 30n, d: 1n },
            value: { kind: 'metric', metric: { column: 'clicks', inMicros: false } },
          },
          {
            name: 'cost',
            least: { n: 5n, d: 2n },
            value: { kind: 'metric', metric: { column: 'cost_micros', inMicros: true } },
          },
        ],
      },
      alert: { severity: 'critical', written: '{campaign_name}: {cost / clicks} a click' },
      currency: 'EUR',
      mode: 'approve',
    });
  });

  it('only suggests, has no limits and applies to every currency by default', () => {
    const rule = ruleOf({ limits: undefined });
    expect(rule.mode).toBe('propose');
    expect(rule.limits).toEqual({
      floor: undefined,
      ceiling: undefined,
      step: undefined,
      cooldownDays: undefined,
      drift: undefined,
      minimum: [],
    });
    expect([rule.where, rule.alert]).toEqual([undefined, undefined]);
    expect(rule.currency).toBeUndefined();
  });

  it.each([
    ['a condition on counts alone', { when: 'clicks > 30' }, false],
    ['an amount in the condition', { when: 'cost > 30' }, true],
    ['a floor', { when: 'clicks > 30', limits: '{ floor: 5 }' }, true],
    ['a ceiling', { when: 'clicks > 30', limits: '{ ceiling: 5 }' }, true],
    ['a step', { when: 'clicks > 30', limits: '{ step: 5% }' }, false],
    ['a change by an amount', { when: 'clicks > 30', change: 'increase budget by 5' }, true],
    ['a change to an amount', { when: 'clicks > 30', change: 'set budget to 50' }, true],
    ['a change to a multiple', { when: 'clicks > 30', change: 'set budget to 1.1 * budget' }, false],
    ['an amount in a change', { when: 'clicks > 30', change: 'set budget to budget + 5' }, true],
    ['a least amount', { when: 'clicks > 30', limits: '{ minimum: { cost: 5 } }' }, true],
    ['a least count', { when: 'clicks > 30', limits: '{ minimum: { clicks: 5 } }' }, false],
    ['an amount in what is chosen', { when: 'clicks > 30', where: 'campaign_budget_amount > 50' }, true],
    ['an amount in an alert', { when: 'clicks > 30', alert: '{ text: "{cost - 5}" }' }, true],
  ])('names money or not: %s', (_, changes, namesMoney) => {
    expect(ruleOf(changes).amountAt !== undefined).toBe(namesMoney);
  });

  it('knows the first amount of the file', () => {
    const rule = ruleOf({ limits: '{ floor: 5 }', when: 'clicks > 3 AND cost > 3 AND cost < 9' });
    expect(rule.amountAt).toMatchObject({ start: { line: 5, column: 29 }, end: { line: 5, column: 30 } });
  });

  it.each<[string, RuleText]>([
    ['budgets', { for: 'budget' }],
    ['accounts', { for: 'account' }],
    ['accounts that choose campaigns', { for: 'account', where: "campaign_name LIKE 'Brand%'" }],
    ['ad groups', { for: 'ad_group', from: 'keyword_stats', change: undefined, alert: '{ text: "{ad_group_name}" }' }],
    [
      'keywords',
      {
        for: 'keyword',
        from: 'keyword_stats',
        change: undefined,
        alert: '{ text: "{ad_group_criterion_keyword_text}" }',
      },
    ],
  ])('may be for %s', (_, changes) => {
    expect(ruleOf(changes).for).toBe(changes.for);
  });

  it('may change and alert, or only alert', () => {
    const both = ruleOf({ alert: '{ text: "{clicks} clicks" }' });
    expect([both.change?.kind, both.alert?.severity]).toEqual(['by', 'warning']);
    expect(ruleOf({ change: undefined, alert: '{ text: x }' }).change).toBeUndefined();
  });

  it('gets a warning for limits without effect, and stays valid', () => {
    const { rule, diagnostics } = check({
      change: undefined,
      alert: '{ text: x }',
      limits: '{ minimum: { clicks: 3 } }',
    });
    expect(rule).toBeDefined();
    expect(diagnostics.map(place)).toEqual(['LIMITS_WITHOUT_CHANGE 7:1-7:7 (warning)']);
  });

  it.each<[string, RuleText, string]>([
    ['no limits', { limits: undefined }, '{ step: 20%, cooldown: 3 days, drift: 50% over 30 days }'],
    ['empty ones', { limits: '{}', currency: 'EUR' }, '{ floor: 5, ceiling: 200, step: 20%, cooldown: 3 days }'],
  ])('that changes budgets within %s is warned of, and stays a rule', (_, changes, limits) => {
    const { rule, diagnostics } = check(changes);
    expect(rule).toBeDefined();
    expect(diagnostics.map(place)).toEqual(['CHANGE_WITHOUT_LIMITS 6:1-6:7 (warning)']);
    expect(diagnostics[0]?.hint).toBe(`Add limits: ${limits}.`);
  });

  it.each([
    ['an amount', 'decrease budget by 2.50', { kind: 'amount', amount: money('2.50') }],
    ['a share', 'decrease budget by 99.99%', { kind: 'share', share: { n: 9999n, d: 10000n } }],
    [
      'an amount of a currency of small units',
      'increase budget by 5000000',
      { kind: 'amount', amount: money('5000000') },
    ],
    ['more than all', 'increase budget by 200%', { kind: 'share', share: { n: 2n, d: 1n } }],
  ])('changes by %s', (_, change, by) => {
    expect(ruleOf({ change }).change).toMatchObject({ kind: 'by', by });
  });

  it('may be written with Windows line ends, comments, quotes and a byte order mark', () => {
    const source = `\uFEFF# Why.\r\n${ruleText({ change: '"decrease budget by 10%" # so much' }).replaceAll('\n', '\r\n')}`;
    expect(checkText(source).diagnostics).toEqual([]);
  });
});

describe('the place of a mistake in a condition', () => {
  it.each([
    ['plain, on its line', 'clicks > 3 AND clickz > 3', '5:22-5:28'],
    ['plain, before a comment', 'clickz > 3 # why', '5:7-5:13'],
    ['plain, on several lines', 'clicks > 3 AND\n  clickz > 3', '6:3-6:9'],
    ['in double quotes', '"clickz > 3"', '5:8-5:14'],
    ['in single quotes', "'clickz > 3'", '5:8-5:14'],
    ['in quotes with escapes: the whole', '"clickz\\u0020> 3"', '5:7-5:24'],
    ['folded', '>\n  clicks > 3 AND\n  clickz > 3', '7:3-7:9'],
    ['literal', '|- # why\n  clicks > 3 AND\n\n    clickz > 3', '8:5-8:11'],
    ['behind an anchor', '&condition clickz > 3', '5:18-5:24'],
  ])('%s', (_, when, expected) => {
    expect(check({ when }).diagnostics.map(place)).toEqual([`UNRECOGNIZED_FIELD ${expected}`]);
  });

  it('is reported for each of two in one condition', () => {
    expect(check({ when: '"clickz > 3 AND costs > 2"' }).diagnostics.map(({ message }) => message)).toEqual([
      'Unknown column "clickz".',
      'Unknown column "costs".',
    ]);
  });

  it.each([
    ['plain', 'clicks >= 30 AND cost / clicks > 2.50'],
    ['in quotes', '"clicks >= 30 AND cost / clicks > 2.50"'],
    ['folded', '>-\n  clicks >= 30\n  AND cost / clicks > 2.50'],
  ])('means the same %s', (_, when) => {
    expect(ruleOf({ when }).when?.text).toBe('clicks >= 30 AND cost / clicks > 2.50');
  });

  it('keeps a # in a text when the whole condition is quoted', () => {
    expect(ruleOf({ when: `"campaign_name = 'PLA #1 -- brand'"` }).when?.text).toBe(
      "campaign_name = 'PLA #1 -- brand'",
    );
  });
});
