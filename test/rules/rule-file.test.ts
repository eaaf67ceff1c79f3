import { describe, expect, it } from 'vitest';
import { checkRuleFile } from '../../src/rules/rule-file.ts';
import { place } from '../gaql/findings.ts';
import { money, QUERIES, type RuleText, ruleOf, ruleText } from './rule-fixtures.ts';

const check = (changes: RuleText) => checkRuleFile('a-rule', ruleText(changes), QUERIES);
const findingsOf = (changes: RuleText) => check(changes).diagnostics.map((found) => `${place(found)} ${found.message}`);

describe('a rule file', () => {
  it('is read as a whole', () => {
    const rule = ruleOf({
      over: '30 days',
      currency: 'EUR',
      change: 'increase budget by 12.5%',
      limits: '{ floor: 5, ceiling: 200.50, step: 20% }',
      mode: 'approve',
    });
    expect(rule).toMatchObject({
      name: 'a-rule',
      description: 'A rule of a test.',
      from: 'stats',
      overDays: 30,
      whenText: 'clicks >= 30 AND cost / clicks > 2.50',
      change: {
        direction: 'increase',
        by: { kind: 'share', share: { n: 1n, d: 8n } },
        text: 'increase budget by 12.5%',
      },
      limits: { floor: money('5'), ceiling: money('200.50'), step: { n: 1n, d: 5n } },
      currency: 'EUR',
      namesMoney: true,
      mode: 'approve',
    });
  });

  it('proposes only, has no limits and holds for every currency unless it says otherwise', () => {
    const rule = ruleOf();
    expect(rule.mode).toBe('propose');
    expect(rule.limits).toEqual({ floor: undefined, ceiling: undefined, step: undefined });
    expect(rule.currency).toBeUndefined();
  });

  it.each([
    ['a condition on counts alone', { when: 'clicks > 30' }, false],
    ['an amount in the condition', { when: 'cost > 30' }, true],
    ['a floor', { when: 'clicks > 30', limits: '{ floor: 5 }' }, true],
    ['a ceiling', { when: 'clicks > 30', limits: '{ ceiling: 5 }' }, true],
    ['a step', { when: 'clicks > 30', limits: '{ step: 5% }' }, false],
    ['a change by an amount', { when: 'clicks > 30', change: 'increase budget by 5' }, true],
  ])('names money or not: %s', (_, changes, namesMoney) => {
    expect(ruleOf(changes).namesMoney).toBe(namesMoney);
  });

  it.each([
    ['one day', '1 day', 1],
    ['many days', '999 days', 999],
  ])('is over %s', (_, over, days) => {
    expect(ruleOf({ over }).overDays).toBe(days);
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
    expect(ruleOf({ change }).change.by).toEqual(by);
  });

  it('may be written with Windows line ends, comments, quotes and a byte order mark', () => {
    const source = `\uFEFF# Why.\r\n${ruleText({ change: '"decrease budget by 10%" # so much' }).replaceAll('\n', '\r\n')}`;
    expect(checkRuleFile('a', source, QUERIES).diagnostics).toEqual([]);
  });
});

describe('a rule file that is refused', () => {
  it.each<[string, RuleText, string[]]>([
    [
      'no table',
      { from: 'nothing_like_it' },
      ['UNKNOWN_TABLE 2:7-2:22 There is no query file for a table "nothing_like_it".'],
    ],
    ['a misspelt table', { from: 'stat' }, ['UNKNOWN_TABLE 2:7-2:11 There is no query file for a table "stat".']],
    [
      'a table without days',
      { from: 'undated', when: 'clicks > 3' },
      ['UNUSABLE_TABLE 2:7-2:14 A rule for campaigns needs segments.date in the query undated, without an alias.'],
    ],
    [
      'a table in which the ids of ad groups are called campaign_id',
      { from: 'misnamed', when: 'clicks > 3' },
      ['UNUSABLE_TABLE 2:7-2:15 A rule for campaigns needs campaign.id in the query misnamed, without an alias.'],
    ],
    [
      'a table with a LIMIT',
      { from: 'limited', when: 'clicks > 3' },
      ['UNUSABLE_TABLE 2:7-2:14 The query limited has a LIMIT, so its table may be a part only.'],
    ],
    [
      'another subject',
      { for: 'ad_group' },
      ['BAD_VALUE 3:6-3:14 Found "ad_group" for "for", expected one of campaign.'],
    ],
    ['no days', { over: '0 days' }, ['BAD_VALUE 4:7-4:13 Found "0 days" for "over", expected days such as "7 days".']],
    [
      'too many days',
      { over: '1000 days' },
      ['BAD_VALUE 4:7-4:16 Found "1000 days" for "over", expected days such as "7 days".'],
    ],
    [
      'days without the word',
      { over: '7' },
      ['BAD_VALUE 4:7-4:8 Found "7" for "over", expected days such as "7 days".'],
    ],
    ['an unknown column', { when: 'clickz > 3' }, ['UNRECOGNIZED_FIELD 5:7-5:13 There is no column "clickz".']],
    [
      'an unknown column in the middle',
      { when: 'clicks > 3 AND (costs / clicks) > 2' },
      ['UNRECOGNIZED_FIELD 5:23-5:28 There is no column "costs".'],
    ],
    [
      'text that YAML cuts at a #',
      { when: "campaign_name = 'PLA #1'" },
      ['STRING_NOT_TERMINATED 5:23-5:27 The text that begins with "\'PLA" has no closing \'.'],
    ],
    ['an empty condition', { when: '' }, ['BAD_VALUE 5:7-5:7 Found "" for "when", expected text that is not empty.']],
    [
      'another verb',
      { change: 'raise budget by 5%' },
      [
        'BAD_VALUE 6:9-6:27 Found "raise budget by 5%" for "change", expected "increase budget by 10%", "decrease budget by 15%" or an amount in place of the percentage.',
      ],
    ],
    [
      'a change of nothing',
      { change: 'increase budget by 0%' },
      ['BAD_VALUE 6:9-6:30 "increase budget by 0%" would leave nothing or change nothing.'],
    ],
    [
      'a change of no amount',
      { change: 'increase budget by 0.00' },
      ['BAD_VALUE 6:9-6:32 "increase budget by 0.00" would leave nothing or change nothing.'],
    ],
    [
      'a decrease by all of it',
      { change: 'decrease budget by 100%' },
      ['BAD_VALUE 6:9-6:32 "decrease budget by 100%" would leave nothing or change nothing.'],
    ],
    [
      'a step of nothing',
      { limits: '{ step: 0% }' },
      ['BAD_VALUE 7:17-7:19 Found "0%" for "limits.step", expected a percentage above 0% and below 100% such as 20%.'],
    ],
    [
      'a step of all',
      { limits: '{ step: 100% }' },
      [
        'BAD_VALUE 7:17-7:21 Found "100%" for "limits.step", expected a percentage above 0% and below 100% such as 20%.',
      ],
    ],
    [
      'a step without a percent sign',
      { limits: '{ step: 5 }' },
      ['BAD_VALUE 7:17-7:18 Found "5" for "limits.step", expected a percentage above 0% and below 100% such as 20%.'],
    ],
    [
      'a floor above the ceiling',
      { limits: '{ floor: 10, ceiling: 5 }' },
      ['IMPOSSIBLE_LIMITS 7:18-7:20 The floor is above the ceiling.'],
    ],
    [
      'a negative floor',
      { limits: '{ floor: -5 }' },
      [
        'BAD_VALUE 7:18-7:20 Found "-5" for "limits.floor", expected an amount above zero such as 12.50, at most six decimals.',
      ],
    ],
    ['an unknown limit', { limits: '{ ceil: 5 }' }, ['UNKNOWN_KEY 7:11-7:15 There is no setting "ceil" here.']],
    [
      'an unknown mode',
      { mode: 'auto' },
      ['BAD_VALUE 7:7-7:11 Found "auto" for "mode", expected one of propose, approve, apply.'],
    ],
    [
      'a currency that does not exist',
      { currency: 'EUT' },
      ['BAD_VALUE 7:11-7:14 Found "EUT" for "currency", expected a currency code such as EUR.'],
    ],
    ['an unknown key', { colour: 'red' }, ['UNKNOWN_KEY 7:1-7:7 There is no setting "colour" here.']],
    [
      'a missing key, with each of its kind',
      { from: undefined, change: undefined },
      [
        'MISSING_KEY 1:1-5:1 "from" is missing, expected text that is not empty.',
        'MISSING_KEY 1:1-5:1 "change" is missing, expected a change.',
      ],
    ],
  ])('%s', (_, changes, expected) => {
    expect(findingsOf(changes)).toEqual(expected);
    expect(check(changes).rule).toBeUndefined();
  });

  it.each([
    'increase budget by 0.0000001',
    'increase budget by 100000%',
    'increase budget by -5',
    'increase budget by 5 EUR',
  ])('changes by no such amount: %s', (change) => {
    expect(findingsOf({ change })[0]).toMatch(/^BAD_VALUE 6:9-.* expected "increase budget by 10%"/);
  });

  it('has every finding at once, in the order of the file', () => {
    const changes = {
      from: 'stat',
      when: 'clicks > ',
      change: 'decrease budget by 100%',
      limits: '{ floor: 9, ceiling: 5, step: 200% }',
    };
    expect(check(changes).diagnostics.map(place)).toEqual([
      'UNKNOWN_TABLE 2:7-2:11',
      'UNEXPECTED_END_OF_QUERY 5:15-5:16',
      'BAD_VALUE 6:9-6:32',
      'IMPOSSIBLE_LIMITS 7:18-7:19',
      'BAD_VALUE 7:39-7:43',
    ]);
  });

  it('suggests the table and the column that may be meant', () => {
    expect(check({ from: 'stat' }).diagnostics[0]?.hint).toBe('Did you mean stats?');
    expect(check({ when: 'clickz > 3' }).diagnostics[0]?.hint).toBe('Did you mean clicks?');
    expect(check({ from: 'zzzzzzzz' }).diagnostics[0]?.hint).toBe('Tables are stats, misnamed, undated, limited.');
    expect(checkRuleFile('a', ruleText(), new Map()).diagnostics[0]?.hint).toBe('Tables are none yet.');
  });

  it("does not repeat what a broken query file's own findings say", () => {
    const { rule, diagnostics } = checkRuleFile('a', ruleText({ from: 'broken' }), QUERIES, new Set(['broken']));
    expect(rule).toBeUndefined();
    expect(diagnostics).toEqual([]);
  });

  it('is refused as YAML first', () => {
    expect(checkRuleFile('a', 'from: a\nfrom: b\n', QUERIES).diagnostics.map(place)).toEqual(['BAD_YAML 2:1-2:2']);
  });
});

describe('a rule file with several mistakes', () => {
  it('shows all of them at once, whatever their kind', () => {
    const found = findingsOf({
      over: '0 days',
      from: 'keyword_stat',
      when: 'clics > 3 AND',
      change: 'decrease budget by 100%',
      limits: '{ floor: none, step: 120% }',
      mode: 'aply',
    });
    expect(found.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      'UNKNOWN_TABLE 2:7-2:19',
      'BAD_VALUE 4:7-4:13',
      'UNEXPECTED_END_OF_QUERY 5:20-6:1',
      'BAD_VALUE 6:9-6:32',
      'BAD_VALUE 7:18-7:22',
      'BAD_VALUE 7:30-7:34',
      'BAD_VALUE 8:7-8:11',
    ]);
  });
});

describe('the place of a mistake in a condition', () => {
  it.each([
    ['plain, on its line', 'clicks > 3 AND clickz > 3', '5:22-5:28'],
    ['plain, before a comment', 'clickz > 3 # why', '5:7-5:13'],
    ['plain, on several lines: the whole', 'clicks > 3 AND\n  clickz > 3', '5:7-6:13'],
    ['in double quotes: the whole', '"clickz > 3"', '5:7-5:19'],
    ['in single quotes: the whole', "'clickz > 3'", '5:7-5:19'],
    ['in quotes with escapes: the whole', '"clickz\\u0020> 3"', '5:7-5:24'],
    ['folded: the whole', '>\n  clicks > 3 AND\n  clickz > 3', '5:7-8:1'],
    ['literal: the whole', '|\n  clicks > 3 AND\n  clickz > 3', '5:7-8:1'],
    ['behind an anchor', '&condition clickz > 3', '5:18-5:24'],
  ])('%s', (_, when, expected) => {
    expect(check({ when }).diagnostics.map(place)).toEqual([`UNRECOGNIZED_FIELD ${expected}`]);
  });

  it('of two in one condition is told for each', () => {
    expect(check({ when: '"clickz > 3 AND costs > 2"' }).diagnostics.map(({ message }) => message)).toEqual([
      'There is no column "clickz".',
      'There is no column "costs".',
    ]);
  });

  it.each([
    ['plain', 'clicks >= 30 AND cost / clicks > 2.50'],
    ['in quotes', '"clicks >= 30 AND cost / clicks > 2.50"'],
    ['folded', '>-\n  clicks >= 30\n  AND cost / clicks > 2.50'],
  ])('means the same %s', (_, when) => {
    expect(ruleOf({ when }).whenText).toBe('clicks >= 30 AND cost / clicks > 2.50');
  });

  it('keeps a # in a text when the whole condition is quoted', () => {
    expect(ruleOf({ when: `"campaign_name = 'PLA #1 -- brand'"` }).whenText).toBe("campaign_name = 'PLA #1 -- brand'");
  });
});
