import { describe, expect, it } from 'vitest';
import type { CheckedCondition, CheckedValue } from '../../../src/language/rules/check/checked-expression.ts';
import {
  compileCondition,
  compileValue,
  likePattern,
  type Truth,
  type Value,
} from '../../../src/language/rules/evaluate/evaluate-condition.ts';
import {
  arithmetic,
  attribute,
  budget,
  clicks,
  coalesce,
  compares,
  cost,
  decimal,
  logic,
  metric,
  negation,
  not,
  number,
  text,
} from '../checked.ts';

/** Values by column; metrics and `budget` in decimals. */
type Values = Readonly<Record<string, string | undefined>>;

const numberOf = (values: Values, name: string) => (values[name] === undefined ? undefined : decimal(values[name]));
const SOURCE = {
  metric:
    ({ column }: { column: string }) =>
    (values: Values) =>
      numberOf(values, column),
  attribute: (column: string) => (values: Values) => values[column],
  budget: () => (values: Values) => numberOf(values, 'budget'),
  isOpen: () => false,
};
const evaluate = (tree: CheckedCondition, values: Values = {}): Truth => compileCondition(tree, SOURCE)(values);
const valueIn = (tree: CheckedValue, values: Values = {}): Value => compileValue(tree, SOURCE)(values);

const TRUTHS: readonly Truth[] = ['true', 'false', 'unknown'];
const WITH: Readonly<Record<Truth, CheckedCondition>> = {
  true: compares(number('1'), '=', number('1')),
  false: compares(number('1'), '=', number('2')),
  unknown: compares(metric('nothing'), '=', number('1')),
};
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
    expect(evaluate(logic(WITH[left], 'AND', WITH[right]))).toBe(AND[left][TRUTHS.indexOf(right)]);
  });

  it.each(pairs)('%s OR %s', (left, right) => {
    expect(evaluate(logic(WITH[left], 'OR', WITH[right]))).toBe(OR[left][TRUTHS.indexOf(right)]);
  });

  it.each([
    ['true', 'false'],
    ['false', 'true'],
    ['unknown', 'unknown'],
  ] as const)('NOT %s is %s', (operand, expected) => {
    expect(evaluate(not(WITH[operand]))).toBe(expected);
  });

  it.each(pairs)('NOT (%s AND %s) is NOT … OR NOT …', (left, right) => {
    const whole = evaluate(not(logic(WITH[left], 'AND', WITH[right])));
    expect(whole).toBe(evaluate(logic(not(WITH[left]), 'OR', not(WITH[right]))));
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
  ] as const)('%s below, at and above', (sign, below, at, above) => {
    const found = ['29', '30', '31'].map((value) => evaluate(compares(clicks, sign, number('30')), { clicks: value }));
    expect(found).toEqual([below, at, above]);
  });

  it('a cost per click of exactly 2.50 is not more than 2.50', () => {
    const tree = compares(arithmetic(cost, '/', clicks), '>', number('2.50'));
    const at = (amount: string) => evaluate(tree, { cost_micros: amount, clicks: '30' });
    expect([at('75'), at('75.000001'), at('74.999999')]).toEqual(['false', 'true', 'false']);
  });

  it('a tenth and two tenths are three tenths, a third three times is one', () => {
    const tenths = arithmetic(metric('a'), '+', metric('b'));
    expect(evaluate(compares(tenths, '=', number('0.3')), { a: '0.1', b: '0.2' })).toBe('true');
    const third = arithmetic(clicks, '/', number('3'));
    const whole = arithmetic(arithmetic(third, '+', third), '+', third);
    expect(evaluate(compares(whole, '=', number('1')), { clicks: '1' })).toBe('true');
  });

  it('distinguishes counts beyond float precision', () => {
    const tree = compares(clicks, '=', number('9007199254740993'));
    expect(evaluate(tree, { clicks: '9007199254740992' })).toBe('false');
  });

  it.each([
    ['the same text is equal', compares(attribute('name'), '=', text('x')), 'true'],
    ['other text is not', compares(attribute('name'), '=', text('y')), 'false'],
    ['text counts in its case', compares(attribute('name'), '=', text('X')), 'false'],
    ['other text is unequal', compares(attribute('name'), '!=', text('y')), 'true'],
    ['text is no number', compares(attribute('name'), '!=', number('5')), 'unknown'],
    ['a number is no text', compares(number('5'), '!=', attribute('name')), 'unknown'],
  ] as const)('%s', (_, tree, expected) => {
    expect(evaluate(tree, { name: 'x' })).toBe(expected);
  });
});

describe('missing values', () => {
  const quotient = arithmetic(cost, '/', clicks);
  it.each([
    ['division by zero', compares(quotient, '>', number('0'))],
    ['its negation', not(compares(quotient, '>', number('0')))],
    ['zero by zero', compares(arithmetic(clicks, '/', clicks), '=', number('1'))],
    ['division by zero inside a sum', compares(arithmetic(quotient, '+', number('5')), '>', number('0'))],
    ['division by zero times zero', compares(arithmetic(quotient, '*', number('0')), '=', number('0'))],
    ['a negative quotient by zero', compares(negation(quotient), '<', number('1'))],
    ['a missing value', compares(metric('missing'), '>', number('0'))],
    ['a missing value beside itself', compares(metric('missing'), '=', metric('missing'))],
    ['an unknown budget', compares(budget, '>', number('0'))],
    ['arithmetic on text', compares(arithmetic(text('x'), '+', number('1')), '>', number('0'))],
    ['a sign before text', compares(negation(text('x')), '<', number('0'))],
  ])('%s is unknown, never true', (_, tree) => {
    expect(evaluate(tree, { cost_micros: '5', clicks: '0' })).toBe('unknown');
  });

  it('coalesce takes the first known value', () => {
    const tree = coalesce(metric('missing'), arithmetic(cost, '/', clicks), number('7'));
    expect(valueIn(tree, { cost_micros: '5', clicks: '0' })).toEqual(decimal('7'));
    expect(valueIn(coalesce(metric('missing')), {})).toBeUndefined();
    expect(valueIn(coalesce(clicks, number('7')), { clicks: '0' })).toEqual(decimal('0'));
  });

  it.each([
    ['nothing is NULL', false, undefined, 'true'],
    ['zero is not', false, '0', 'false'],
    ['nothing IS NOT NULL: no', true, undefined, 'false'],
    ['zero IS NOT NULL', true, '0', 'true'],
  ] as const)('%s', (_, negated, value, expected) => {
    expect(evaluate({ kind: 'null_test', negated, operand: clicks, span: clicks.span }, { clicks: value })).toBe(
      expected,
    );
  });
});

describe('BETWEEN and IN', () => {
  const between = (low: CheckedValue, high: CheckedValue, negated = false): CheckedCondition => ({
    kind: 'between',
    negated,
    operand: clicks,
    low,
    high,
    span: clicks.span,
  });
  const isIn = (list: readonly CheckedValue[], negated = false): CheckedCondition => ({
    kind: 'in',
    negated,
    operand: clicks,
    list,
    span: clicks.span,
  });
  const nothing = metric('nothing');

  it.each([
    ['includes its low end', between(number('5'), number('9')), 'true'],
    ['includes its high end', between(number('1'), number('5')), 'true'],
    ['nothing above it', between(number('6'), number('9')), 'false'],
    ['nothing when its ends are the wrong way round', between(number('9'), number('1')), 'false'],
    ['is unknown with an unknown end', between(number('1'), nothing), 'unknown'],
    ['is false when the known end says so', between(number('6'), nothing), 'false'],
    ['NOT: the opposite', between(number('6'), number('9'), true), 'true'],
    ['NOT: unknown stays so', between(number('1'), nothing, true), 'unknown'],
    ['IN finds it', isIn([number('4'), number('5')]), 'true'],
    ['IN finds it beside what is unknown', isIn([nothing, number('5')]), 'true'],
    ['IN is unknown when only the unknown could be it', isIn([number('4'), nothing]), 'unknown'],
    ['IN does not find it', isIn([number('4')]), 'false'],
    ['NOT IN with an unknown is unknown', isIn([number('4'), nothing], true), 'unknown'],
    ['NOT IN', isIn([number('4')], true), 'true'],
  ] as const)('%s', (_, tree, expected) => {
    expect(evaluate(tree, { clicks: '5' })).toBe(expected);
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

  it('is unknown for unknown values and numbers, also negated', () => {
    const like = (negated: boolean): CheckedCondition => ({
      kind: 'like',
      negated,
      operand: attribute('name'),
      pattern: 'Test%',
      span: clicks.span,
    });
    expect([evaluate(like(false)), evaluate(like(true))]).toEqual(['unknown', 'unknown']);
    expect(evaluate(like(true), { name: 'Shoes' })).toBe('true');
  });

  it('with many wildcards ends without trying every match', () => {
    expect(likePattern('%a'.repeat(200))(`${'a'.repeat(199)}${'b'.repeat(20_000)}`)).toBe(false);
  });
});
