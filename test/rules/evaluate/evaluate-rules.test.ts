import { describe, expect, it } from 'vitest';
import { addDays, type CivilDate } from '../../../src/domain/civil-date.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { demandsOf, evaluateRules } from '../../../src/language/rules/evaluate/evaluate-rules.ts';
import { accountOf, evaluateAll, membersOf, row, type TableRow, TODAY, verdictOf } from '../evaluated.ts';
import { type RuleText, ruleOf } from '../rule-fixtures.ts';

const truthOf = (when: string, rows: readonly TableRow[], over: string | undefined = '7 days') =>
  verdictOf({ when, over }, rows).truth;
const KEYWORDS: RuleText = { from: 'keyword_stats', change: undefined, alert: "{ severity: info, text: 'x' }" };

describe('a rule without a complete day', () => {
  it.each([
    ['yesterday', 'yesterday', 'clicks > 0', { lastSettled: addDays(TODAY, -2) }, '2026-11-19 is not complete yet'],
    [
      'the month that has just begun',
      'month to date',
      'clicks > 0',
      { today: civilDate('2026-12-01'), lastSettled: civilDate('2026-11-30') },
      'no day since 2026-12-01 is complete yet',
    ],
  ])('is not evaluated, and says why: %s', (_, over, when, changes, reason) => {
    expect(evaluateAll([ruleOf({ over, when })], [row()], accountOf(undefined, changes))).toMatchObject([
      { kind: 'not', reason },
    ]);
  });
});

describe('windows', () => {
  it.each([
    [
      'the last seven days, no more',
      'clicks = 3',
      '7 days',
      [row({ clicks: 1n }), row({ ago: 7, clicks: 2n }), row({ ago: 8, clicks: 9n })],
    ],
    [
      'the seven before',
      'clicks over previous 7 days = 9',
      '7 days',
      [row(), row({ ago: 8, clicks: 4n }), row({ ago: 14, clicks: 5n }), row({ ago: 15 })],
    ],
    ['yesterday', 'clicks on yesterday = 2', '7 days', [row({ clicks: 2n }), row({ ago: 2 })]],
    [
      'the month',
      'clicks = 5',
      'month to date',
      [row({ clicks: 2n }), row({ ago: 19, clicks: 3n }), row({ ago: 20, clicks: 9n })],
    ],
    [
      'the mean of a weekday, of the days that have rows',
      'clicks same weekday over 4 weeks = 1.5',
      '7 days',
      [row(), row({ ago: 8, clicks: 1n }), row({ ago: 22, clicks: 2n })],
    ],
    [
      'the same said with mean',
      'mean(clicks) same weekday over 4 weeks = 1.5',
      '7 days',
      [row(), row({ ago: 8, clicks: 1n }), row({ ago: 22, clicks: 2n })],
    ],
    [
      'a deviation, rounded down to a millionth',
      'deviation(clicks) same weekday over 4 weeks = 0.707106',
      '7 days',
      [row(), row({ ago: 8, clicks: 1n }), row({ ago: 22, clicks: 2n })],
    ],
    [
      'a deviation of an amount',
      'deviation(cost) same weekday over 4 weeks = 0.50',
      '7 days',
      [row(), ...[8, 15, 22].map((ago, index) => row({ ago, cost_micros: BigInt(index + 1) * 500_000n }))],
    ],
    [
      'a deviation of equal days is zero',
      'deviation(clicks) same weekday over 4 weeks = 0',
      '7 days',
      [row(), row({ ago: 8 }), row({ ago: 15 })],
    ],
  ])('%s', (_, when, over, rows) => {
    expect(truthOf(when, rows, over)).toBe('true');
  });

  it.each([
    ['no row in the window', 'clicks on yesterday >= 0', [row({ ago: 2 })]],
    ['a deviation of one day', 'deviation(clicks) same weekday over 4 weeks >= 0', [row(), row({ ago: 8 })]],
    ['a mean of no day', 'mean(clicks) same weekday over 4 weeks >= 0', [row()]],
    ['a row without a value', 'clicks >= 0', [row(), row({ ago: 2, clicks: null })]],
    [
      'a weekday of which one day has no value',
      'mean(clicks) same weekday over 2 weeks >= 0',
      [row(), row({ ago: 8 }), row({ ago: 15, clicks: null })],
    ],
  ])('%s is unknown, not zero', (_, when, rows) => {
    expect(truthOf(when, rows)).toBe('unknown');
  });

  it('a rule may set a default for missing values', () => {
    expect(truthOf('coalesce(clicks on yesterday, 0) = 0', [row({ ago: 2 })])).toBe('true');
  });
});

describe('exactness', () => {
  it('an average of exactly 2.50 is not more than 2.50', () => {
    const rows = [
      row({ clicks: 10n, cost_micros: 25_000_000n }),
      row({ ago: 2, clicks: 20n, cost_micros: 50_000_000n }),
    ];
    expect(truthOf('cost / clicks > 2.50', rows)).toBe('false');
    expect(truthOf('average_cpc = 2.50', rows)).toBe('true');
  });

  it('a tenth and two tenths of a conversion are three tenths', () => {
    const rows = [row({ conversions: 0.1 }), row({ ago: 2, conversions: 0.2 })];
    expect(verdictOf({ ...KEYWORDS, when: 'conversions = 0.3' }, rows).truth).toBe('true');
  });

  it('sums beyond int64 compare to the last digit', () => {
    const most = 2n ** 63n - 1n;
    const rows = [row({ clicks: most }), row({ ago: 2, clicks: most })];
    expect(truthOf('clicks = 18446744073709551614', rows)).toBe('true');
    expect(truthOf('clicks > 18446744073709551614', rows)).toBe('false');
  });
});

describe('days that are not complete', () => {
  // Between midnight and 03:00, when yesterday is not over.
  const early = accountOf(undefined, { lastSettled: addDays(TODAY, -2) });
  it.each([
    ['zero on purpose', 'coalesce(clicks on yesterday, 0) = 0'],
    ['the first value that is known', 'coalesce(clicks on yesterday, clicks) > 0'],
    ['a test for no value', 'clicks on yesterday IS NULL'],
    ['the days before it', 'coalesce(clicks over previous 7 days, 0) = 0', 'yesterday'],
  ])('are unknown, and no default replaces them: %s', (_, when, over = '7 days') => {
    const text = { when: `impressions over 7 days > 0 AND ${when}`, over };
    expect(verdictOf(text, [row(), row({ ago: 2 })], early).truth).toBe('unknown');
  });

  it('do not change a value before them', () => {
    expect(verdictOf({ when: 'coalesce(clicks, clicks on yesterday) = 412' }, [row({ ago: 2 })], early).truth).toBe(
      'true',
    );
  });

  const settled = (...open: readonly number[]) => ({
    settled: (day: CivilDate) => !open.some((number) => addDays(TODAY, -number) === day),
  });
  it.each([
    ['one', [3], 'stats has no complete data for 2026-11-17'],
    ['two', [3, 5], 'stats has no complete data for 2026-11-15 and 1 more day'],
    ['of another window', [9, 10, 11], 'stats has no complete data for 2026-11-09 and 2 more days'],
  ])('keep a rule from being evaluated: %s', (_, open, reason) => {
    const rule = ruleOf({ when: 'clicks > clicks over previous 7 days' });
    expect(evaluateAll([rule], [row()], accountOf({}, settled(...open)))).toMatchObject([{ kind: 'not', reason }]);
  });

  it('do not affect a rule that does not read them', () => {
    const rules = [ruleOf({ over: '7 days' }, 'long'), ruleOf({ over: '2 days' }, 'short')];
    const found = evaluateAll(rules, [row()], accountOf({}, settled(5)));
    expect(found.map(({ kind }) => kind)).toEqual(['not', 'evaluated']);
    expect(demandsOf(rules, accountOf({}, settled(5)))[0]?.stretches).toEqual([
      { from: '2026-11-18', to: '2026-11-19' },
    ]);
  });
});

describe('the demand on the table', () => {
  it('is one demand for all rules of a grain, with every sum and stretch once', () => {
    const rules = [
      ruleOf({ when: 'clicks > 1 AND cost > 1' }, 'a'),
      ruleOf({ when: 'clicks > clicks over previous 7 days', for: 'budget' }, 'b'),
      ruleOf({ when: "clicks over 30 days > 1 AND campaign_status = 'ENABLED'" }, 'c'),
    ];
    expect(demandsOf(rules, accountOf())).toEqual([
      {
        grain: 'campaign',
        ids: ['campaign_id'],
        stretches: [
          { from: '2026-10-21', to: '2026-11-05' },
          { from: '2026-11-06', to: '2026-11-12' },
          { from: '2026-11-13', to: '2026-11-19' },
        ],
        metrics: [
          { column: 'clicks', type: 'INT64' },
          { column: 'cost_micros', type: 'INT64' },
        ],
        attributes: ['campaign_name', 'campaign_status'],
      },
    ]);
  });

  it('is one demand more for ad groups and one for keywords', () => {
    const rules = (['campaign', 'ad_group', 'keyword'] as const).map((kind) =>
      ruleOf({ ...KEYWORDS, for: kind }, kind),
    );
    expect(demandsOf(rules, accountOf()).map(({ grain, ids }) => [grain, ...ids])).toEqual([
      ['campaign', 'campaign_id'],
      ['ad_group', 'ad_group_id'],
      ['keyword', 'ad_group_id', 'ad_group_criterion_criterion_id'],
    ]);
  });

  it('keeps rules independent: a campaign without rows in the days of a rule is not a subject of it', () => {
    const rows = [row(), row({ campaign_id: 2n, ago: 20 })];
    const short = ruleOf({ when: 'clicks >= 0' }, 'short');
    const long = ruleOf({ when: 'clicks >= 0', over: '30 days' }, 'long');
    const counts = evaluateAll([short, long], rows).map((one) => (one.kind === 'evaluated' ? one.counts.true : 0));
    expect(counts).toEqual([1, 2]);
    expect(evaluateAll([short], rows)).toMatchObject([{ counts: { true: 1, false: 0, unknown: 0 } }]);
  });

  it('takes attributes from the newest day of a rule', () => {
    const rows = [row({ campaign_name: 'Now' }), row({ ago: 9, campaign_name: 'Then' })];
    const when = "campaign_name = 'Now' AND clicks over previous 7 days > 0";
    const other = ruleOf({
      when: "campaign_name = 'Then' AND mean(clicks) same weekday over 4 weeks > 0",
      over: undefined,
    });
    expect(evaluateAll([ruleOf({ when }), other], [...rows, row({ ago: 8, campaign_name: 'Then' })])).toMatchObject([
      { counts: { true: 1 } },
      { counts: { true: 1 } },
    ]);
  });

  it('counts subjects that are not kept', () => {
    const rules = [ruleOf({ when: 'clicks > 100' })];
    const rows = [row(), row({ campaign_id: 2n, clicks: 1n }), row({ campaign_id: 3n, clicks: null })];
    const read = (demand: Parameters<typeof membersOf>[1]) => membersOf(rows, demand);
    const [found] = evaluateRules(rules, accountOf(), read, (truth) => truth !== 'false').values();
    expect(found).toMatchObject({ counts: { true: 1, false: 1, unknown: 1 } });
    expect(found?.kind === 'evaluated' && found.verdicts.map(({ subject }) => subject.campaignId)).toEqual(['1', '3']);
  });
});
