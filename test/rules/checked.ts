import { type Span, spanAt } from '../../src/domain/diagnostic.ts';
import { parseDecimal, type Rational } from '../../src/domain/rational.ts';
import type { ComparisonSign } from '../../src/language/gaql/syntax/tree.ts';
import type { CheckedCondition, CheckedValue, Measure } from '../../src/language/rules/check/checked-expression.ts';
import type { ArithmeticSign } from '../../src/language/rules/language/expression.ts';
import type { Window } from '../../src/language/rules/language/window.ts';

/** Trees as the checker makes them, made by hand: also those that it refuses. */
const NOWHERE: Span = spanAt('', 0, 0);

export const WEEK: Window = { kind: 'days', days: 7 };

export function decimal(text: string): Rational {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no number`);
  return value;
}

export const number = (text: string): CheckedValue => ({ kind: 'number', value: decimal(text), span: NOWHERE });
export const text = (value: string): CheckedValue => ({ kind: 'text', value, span: NOWHERE });
export const budget: CheckedValue = { kind: 'budget', span: NOWHERE };

export function metric(
  column: string,
  {
    window = WEEK,
    measure = 'sum' as Measure,
    type = 'INT64' as 'INT64' | 'DOUBLE',
    inMicros = false,
    neverNegative = false,
  } = {},
): CheckedValue {
  return { kind: 'metric', metric: { column, type, inMicros, neverNegative, window, measure }, span: NOWHERE };
}

export const clicks = metric('clicks');
export const cost = metric('cost_micros', { inMicros: true });

export const attribute = (column: string, inMicros = false): CheckedValue => ({
  kind: 'attribute',
  column,
  inMicros,
  span: NOWHERE,
});

export function arithmetic(left: CheckedValue, sign: ArithmeticSign, right: CheckedValue): CheckedValue {
  return { kind: 'arithmetic', sign, left, right, span: NOWHERE };
}

export const coalesce = (...values: CheckedValue[]): CheckedValue => ({ kind: 'coalesce', values, span: NOWHERE });
export const negation = (operand: CheckedValue): CheckedValue => ({ kind: 'negation', operand, span: NOWHERE });

export function compares(left: CheckedValue, sign: ComparisonSign, right: CheckedValue): CheckedCondition {
  return { kind: 'comparison', sign, left, right, span: NOWHERE };
}

export function logic(left: CheckedCondition, sign: 'AND' | 'OR', right: CheckedCondition): CheckedCondition {
  return { kind: 'logic', sign, left, right, span: NOWHERE };
}

export const not = (operand: CheckedCondition): CheckedCondition => ({ kind: 'not', operand, span: NOWHERE });
