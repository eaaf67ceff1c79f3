import { describe, expect, it } from 'vitest';
import { likePattern, type Truth } from '../../../src/language/rules/evaluate/evaluate-condition.ts';
import { accountOf, budgetOf, row, type TableRow, verdictOf } from '../evaluated.ts';

/** There are five clicks that cost nothing, the impressions are unknown, and so is the budget. */
const ROW: TableRow = { clicks: 5n, cost_micros: 0n, impressions: null, campaign_name: 'x' };

const verdict = (when: string, changes: TableRow = {}, account = accountOf({})) =>
  verdictOf({ when }, [row({ ...ROW, ...changes })], account);
const truthOf = (when: string, changes?: TableRow): Truth => verdict(when, changes).truth;

const TRUTHS: readonly Truth[] = ['true', 'false', 'unknown'];
const WITH: Readonly<Record<Truth, string>> = { true: 'clicks = 5', false: 'clicks = 6', unknown: 'impressions = 1' };
const pairs = TRUTHS.flatMap((left) => TRUTHS.map((right) => [left, right] as const));

describe('three values of truth', () => {
  const AND: Readonly<Record<Truth, readonly Truth[]>> = {
    true: ['true', 'false', 'unknown'],
    false: ['false', 'false', 'false'],
    unknown: ['unknown', 'false', 'unknown'],
  };
  const OR: Readonly<Record<Truth, readonly Truth[]>> = {
    true: ['true', 'true', 'true'],
    false: ['true', 'false', 'unknown'],
    unknown: ['true', 'unknown', 'unknown'],
  };

  it.each(pairs)('%s AND %s, %s OR %s', (left, right) => {
    expect(truthOf(`${WITH[left]} AND ${WITH[right]}`)).toBe(AND[left][TRUTHS.indexOf(right)]);
    expect(truthOf(`${WITH[left]} OR ${WITH[right]}`)).toBe(OR[left][TRUTHS.indexOf(right)]);
    const whole = truthOf(`NOT (${WITH[left]} AND ${WITH[right]})`);
    expect(whole).toBe(truthOf(`NOT (${WITH[left]}) OR NOT (${WITH[right]})`));
  });

  it.each([
    ['true', 'false'],
    ['false', 'true'],
    ['unknown', 'unknown'],
  ] as const)('NOT %s is %s', (operand, expected) => {
    expect(truthOf(`NOT (${WITH[operand]})`)).toBe(expected);
  });
});

describe('a condition', () => {
  it.each([
    ['=', 'false', 'true', 'false'],
    ['!=', 'true', 'false', 'true'],
    ['<', 'true', 'false', 'false'],
    ['<=', 'true', 'true', 'false'],
    ['>', 'false', 'false', 'true'],
    ['>=', 'false', 'true', 'true'],
  ])('compares with %s: below, at and above', (sign, ...expected) => {
    expect([4n, 5n, 6n].map((clicks) => truthOf(`clicks ${sign} 5`, { clicks }))).toEqual(expected);
  });

  it.each<[string, string, Truth]>([
    ['a third three times is one', 'clicks / 15 + clicks / 15 + clicks / 15 = 1', 'true'],
    ['the same text is equal', "campaign_name = 'x'", 'true'],
    ['other text is not', "campaign_name = 'y'", 'false'],
    ['text counts in its case', "campaign_name = 'X'", 'false'],
    ['other text is unequal', "campaign_name != 'y'", 'true'],
    ['division by zero is unknown', 'clicks / cost > 0', 'unknown'],
    ['its negation, too', 'NOT clicks / cost > 0', 'unknown'],
    ['zero by zero', 'cost / cost = 1', 'unknown'],
    ['division by zero inside a sum', 'clicks / cost + 5 > 0', 'unknown'],
    ['division by zero times zero', 'clicks / cost * 0 = 0', 'unknown'],
    ['a negative quotient by zero', '-(clicks / cost) < 1', 'unknown'],
    ['a missing value beside itself', 'impressions = impressions', 'unknown'],
    ['an unknown budget', 'budget > 0', 'unknown'],
    ['coalesce takes the first known value', 'coalesce(impressions, clicks / (clicks - 5), 7) = 7', 'true'],
    ['coalesce takes zero', 'coalesce(cost, 7) = 0', 'true'],
    ['coalesce of unknown values is unknown', 'coalesce(impressions, clicks / (clicks - 5)) = 0', 'unknown'],
    ['nothing is NULL', 'impressions IS NULL', 'true'],
    ['zero is not', 'cost IS NULL', 'false'],
    ['nothing IS NOT NULL: no', 'impressions IS NOT NULL', 'false'],
    ['zero IS NOT NULL', 'cost IS NOT NULL', 'true'],
    ['BETWEEN includes its low end', 'clicks BETWEEN 5 AND 9', 'true'],
    ['BETWEEN includes its high end', 'clicks BETWEEN 1 AND 5', 'true'],
    ['nothing above it', 'clicks BETWEEN 6 AND 9', 'false'],
    ['nothing when its ends are the wrong way round', 'clicks BETWEEN 9 AND 1', 'false'],
    ['BETWEEN is unknown with an unknown end', 'clicks BETWEEN 1 AND impressions', 'unknown'],
    ['BETWEEN is false when the known end says so', 'clicks BETWEEN 6 AND impressions', 'false'],
    ['NOT BETWEEN: the opposite', 'clicks NOT BETWEEN 6 AND 9', 'true'],
    ['NOT BETWEEN: unknown stays so', 'clicks NOT BETWEEN 1 AND impressions', 'unknown'],
    ['IN finds it', 'clicks IN (4, 5)', 'true'],
    ['IN finds it beside what is unknown', 'clicks IN (impressions, 5)', 'true'],
    ['IN is unknown when only the unknown could be it', 'clicks IN (4, impressions)', 'unknown'],
    ['IN does not find it', 'clicks IN (4, 6)', 'false'],
    ['NOT IN with an unknown is unknown', 'clicks NOT IN (4, impressions)', 'unknown'],
    ['NOT IN', 'clicks NOT IN (4, 6)', 'true'],
    ['NOT LIKE', "campaign_name NOT LIKE 'Test%'", 'true'],
  ])('%s', (_, when, expected) => {
    expect(truthOf(when)).toBe(expected);
  });

  it('compares a cost per click of exactly 2.50, and counts beyond float precision', () => {
    const at = (cost_micros: bigint) => truthOf('cost / clicks > 2.50', { cost_micros });
    expect([at(12_500_000n), at(12_500_001n), at(12_499_999n)]).toEqual(['false', 'true', 'false']);
    expect(truthOf('clicks = 9007199254740993', { clicks: 9007199254740992n })).toBe('false');
  });

  it('is unknown for an unknown text, also negated', () => {
    const whens = ["campaign_name LIKE 'Test%'", "campaign_name NOT LIKE 'Test%'", "campaign_name = 'x'"];
    expect(whens.map((when) => truthOf(when, { campaign_name: null }))).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('knows the budget of the account', () => {
    expect(verdict('budget = 20', {}, accountOf({ 1: budgetOf(71, '20') })).truth).toBe('true');
  });
});

describe('LIKE', () => {
  it.each([
    ['Test%', 'Test 1', true],
    ['Test%', 'test', true],
    ['Test%', 'A Test', false],
    ['%test%', 'A TEST of it', true],
    ['%', '', true],
    ['', '', true],
    ['', 'x', false],
    ['a', 'ab', false],
    ['a_c', 'abc', true],
    ['a_c', 'ac', false],
    ['_', '😀', true],
    ['%b%b%', 'abc', false],
    ['%b%b%', 'abcb', true],
    ['ab%ba', 'aba', false],
    ['ab%ba', 'abba', true],
    ['%_', '', false],
    ['.*', 'anything', false],
    ['[a]', 'a', false],
    ['100%', '100 % sure', true],
    ['STRASSE%', 'straße 5', true],
    ['a%\n%z', 'a\nz', true],
  ])('%j: %j is %s', (pattern, value, expected) => {
    expect(likePattern(pattern)(value)).toBe(expected);
  });

  it('with many wildcards ends without trying every match', () => {
    expect(likePattern('%a'.repeat(200))(`${'a'.repeat(199)}${'b'.repeat(20_000)}`)).toBe(false);
  });
});
