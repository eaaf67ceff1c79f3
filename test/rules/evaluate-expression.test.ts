import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, rational } from '../../src/domain/rational.ts';
import {
  evaluateCondition,
  explainCondition,
  type NamedValue,
  type Truth,
} from '../../src/rules/evaluate-expression.ts';
import type { Expression } from '../../src/rules/expression.ts';
import { parseExpression } from '../../src/rules/parse-expression.ts';

function treeOf(source: string): Expression {
  const reading = parseExpression(source);
  if (reading.kind === 'refused') throw new Error(reading.diagnostics.map(({ message }) => message).join(' '));
  return reading.tree;
}

/** Names with decimals or text; `t`, `f` and `u` in a condition stand for one that is true, false or unknown. */
const valuesOf =
  (values: Readonly<Record<string, string>>) =>
  (name: string): NamedValue => {
    const value = new Map(Object.entries(values)).get(name);
    return value === undefined ? undefined : (parseDecimal(value) ?? value);
  };
const evaluate = (source: string, values: Readonly<Record<string, string>> = {}) =>
  evaluateCondition(treeOf(source), valuesOf(values));

const TRUTHS: readonly Truth[] = ['true', 'false', 'unknown'];
const WRITTEN: Readonly<Record<Truth, string>> = { true: '1 = 1', false: '1 = 2', unknown: 'nothing = 1' };
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

  it.each(pairs)('%s AND %s', (left, right) => {
    expect(evaluate(`${WRITTEN[left]} AND ${WRITTEN[right]}`)).toBe(AND[left][TRUTHS.indexOf(right)]);
  });

  it.each(pairs)('%s OR %s', (left, right) => {
    expect(evaluate(`${WRITTEN[left]} OR ${WRITTEN[right]}`)).toBe(OR[left][TRUTHS.indexOf(right)]);
  });

  it.each([
    ['true', 'false'],
    ['false', 'true'],
    ['unknown', 'unknown'],
  ] as const)('NOT %s is %s', (operand, expected) => {
    expect(evaluate(`NOT ${WRITTEN[operand]}`)).toBe(expected);
  });

  it.each(pairs)('NOT (%s AND %s) is NOT … OR NOT …', (left, right) => {
    expect(evaluate(`NOT (${WRITTEN[left]} AND ${WRITTEN[right]})`)).toBe(
      evaluate(`NOT ${WRITTEN[left]} OR NOT ${WRITTEN[right]}`),
    );
  });
});

describe('comparisons', () => {
  it.each([
    ['=', 'false', 'true', 'false'],
    ['!=', 'true', 'false', 'true'],
    ['<', 'true', 'false', 'false'],
    ['<=', 'true', 'true', 'false'],
    ['>', 'false', 'false', 'true'],
    ['>=', 'false', 'true', 'true'],
  ])('%s below, at and above', (sign, below, at, above) => {
    expect(['29', '30', '31'].map((clicks) => evaluate(`clicks ${sign} 30`, { clicks }))).toEqual([below, at, above]);
  });

  it('a cost per click of exactly 2.50 is not more than 2.50', () => {
    const at = (cost: string) => evaluate('cost / clicks > 2.50', { cost, clicks: '30' });
    expect(at('75')).toBe('false');
    expect(at('75.000001')).toBe('true');
    expect(at('74.999999')).toBe('false');
  });

  it('a third three times is one', () => {
    expect(evaluate('clicks / 3 + clicks / 3 + clicks / 3 = 1', { clicks: '1' })).toBe('true');
    expect(evaluate('0.1 + 0.2 = 0.3')).toBe('true');
  });

  it('counts beyond what a float holds are told apart', () => {
    expect(evaluate('clicks = 9007199254740993', { clicks: '9007199254740992' })).toBe('false');
  });

  it.each([
    ['the same text is equal', "name = 'x'", 'true'],
    ['other text is not', "name = 'y'", 'false'],
    ['text counts in its case', "name = 'X'", 'false'],
    ['other text is unequal', "name != 'y'", 'true'],
    ['text of digits is no number', 'name = 5', 'unknown'],
    ['nor unequal to one', 'name != 5', 'unknown'],
  ])('%s', (_, source, expected) => {
    expect(evaluateCondition(treeOf(source), () => 'x')).toBe(expected);
  });
});

describe('what is not there', () => {
  it.each([
    ['division by zero', 'cost / clicks > 0'],
    ['its negation', 'NOT cost / clicks > 0'],
    ['zero by zero', 'clicks / clicks = 1'],
    ['division by zero inside a sum', 'cost / clicks + 5 > 0'],
    ['division by zero taken from itself', 'cost / clicks - cost / clicks = 0'],
    ['division by zero times zero', 'cost / clicks * 0 = 0'],
    ['a negative quotient by zero', '-(cost / clicks) < 1'],
    ['a missing value', 'missing > 0'],
    ['a missing value beside itself', 'missing = missing'],
    ['arithmetic on text', "'x' + 1 > 0"],
    ['a sign before text', "-'x' < 0"],
  ])('%s is unknown, never true', (_, source) => {
    expect(evaluate(source, { cost: '5', clicks: '0' })).toBe('unknown');
  });

  it('does not matter where the rest decides', () => {
    const values = { cost: '5', clicks: '0' };
    expect(evaluate('clicks >= 30 AND cost / clicks > 2', values)).toBe('false');
    expect(evaluate('cost / clicks > 2 OR cost > 1', values)).toBe('true');
    expect(evaluate('cost > 1 AND cost / clicks > 2', values)).toBe('unknown');
  });
});

describe('the condition with its values', () => {
  const explain = (source: string, values: Readonly<Record<string, string>>) =>
    explainCondition(treeOf(source), source, valuesOf(values));
  const values = { clicks: '412', cost: '1322.52', name: 'Shoes', zero: '0' };

  it.each([
    ['the example', 'clicks >= 30 AND cost / clicks > 2.50', 'clicks (412) >= 30 AND cost / clicks (3.21) > 2.50'],
    ['parentheses inside a value', 'cost / (clicks + 1) > 2', 'cost / (clicks + 1) (3.2) > 2'],
    ['parentheses first', '(cost + 1) * 2 > clicks', '(cost + 1) * 2 (2647.04) > clicks (412)'],
    [
      'looser parts in parentheses',
      '(clicks > 1 OR cost > 1) AND NOT (clicks = 2 OR cost = 2)',
      '(clicks (412) > 1 OR cost (1322.52) > 1) AND NOT (clicks (412) = 2 OR cost (1322.52) = 2)',
    ],
    [
      'a row without parentheses',
      'clicks > 1 AND clicks > 2 AND clicks > 3',
      'clicks (412) > 1 AND clicks (412) > 2 AND clicks (412) > 3',
    ],
    ['text in quotes', "name = 'Shoes'", "name ('Shoes') = 'Shoes'"],
    ['what is unknown', 'cost / zero > 1 OR missing > 1', 'cost / zero (unknown) > 1 OR missing (unknown) > 1'],
  ])('shows %s', (_, source, expected) => {
    expect(explain(source, values)).toBe(expected);
  });
});

it('any two fractions compare as their cross products do', () => {
  const part = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });
  const positive = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const tree = treeOf('a / b > c / d');
  fc.assert(
    fc.property(part, positive, part, positive, (a, b, c, d) => {
      const values: Readonly<Record<string, bigint>> = { a, b, c, d };
      const truth = evaluateCondition(tree, (name) => rational(values[name] ?? 0n));
      expect(truth).toBe(a * d > c * b ? 'true' : 'false');
    }),
  );
});
