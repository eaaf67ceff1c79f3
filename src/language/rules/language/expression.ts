import type { Span } from '../../../domain/diagnostic.ts';
import { parseDecimal, type Rational, rational } from '../../../domain/rational.ts';
import type { ComparisonSign } from '../../gaql/syntax/tree.ts';
import type { Window } from './window.ts';

export type ArithmeticSign = '+' | '-' | '*' | '/';

/** The numbers in the window may be invalid. */
export interface WrittenWindow {
  readonly window: Window;
  readonly span: Span;
}

/** Names are unresolved. A percentage is a share: 20% is 1/5. */
export type Expression = { readonly span: Span } & (
  | { readonly kind: 'number'; readonly value: Rational; readonly percent: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly nameSpan: Span; readonly values: readonly Expression[] }
  /** The window applies to every metric in `operand` without its own window. */
  | { readonly kind: 'windowed'; readonly operand: Expression; readonly over: WrittenWindow }
  | { readonly kind: 'negation'; readonly operand: Expression }
  | ({ readonly kind: 'arithmetic'; readonly sign: ArithmeticSign } & Sides<Expression>)
  | ({ readonly kind: 'comparison'; readonly sign: ComparisonSign } & Sides<Expression>)
  | ({ readonly kind: 'logic'; readonly sign: 'AND' | 'OR' } & Sides<Expression>)
  | { readonly kind: 'not'; readonly operand: Expression }
  | ({ readonly kind: 'between'; readonly low: Expression; readonly high: Expression } & Tested<Expression>)
  | ({ readonly kind: 'in'; readonly list: readonly Expression[] } & Tested<Expression>)
  | ({ readonly kind: 'in_column'; readonly column: string; readonly columnSpan: Span } & Tested<Expression>)
  | ({ readonly kind: 'like'; readonly pattern: string } & Tested<Expression>)
  | ({ readonly kind: 'null_test' } & Tested<Expression>)
);

export interface Sides<Side> {
  readonly left: Side;
  readonly right: Side;
}

export interface Tested<Value> {
  readonly negated: boolean;
  readonly operand: Value;
}

export type WrittenChange =
  | {
      readonly kind: 'by';
      readonly direction: 'increase' | 'decrease';
      readonly digits: string;
      readonly percent: boolean;
      readonly bySpan: Span;
    }
  | { readonly kind: 'to'; readonly value: Expression }
  | { readonly kind: 'by_weekday'; readonly amounts: readonly WrittenAmount[] }
  | {
      readonly kind: 'pace';
      readonly digits: string;
      readonly targetSpan: Span;
      readonly period: WrittenPeriod;
    };

/** `days` are names in any case of letters, each with its own place. Undefined for all other days. */
export interface WrittenAmount {
  readonly value: Expression;
  readonly days: readonly WrittenDays[] | undefined;
}

export interface WrittenDays {
  readonly from: string;
  readonly to: string;
  readonly span: Span;
}

export type WrittenPeriod =
  | { readonly kind: 'per'; readonly word: string; readonly span: Span }
  | { readonly kind: 'flight'; readonly from: WrittenDay; readonly to: WrittenDay };

/** `text` is not always a valid day. */
export interface WrittenDay {
  readonly text: string;
  readonly span: Span;
}

/** "20" becomes 1/5. Undefined if `digits` is not a number. */
export function shareOf(digits: string): Rational | undefined {
  const percent = parseDecimal(digits);
  return percent && rational(percent.n, percent.d * 100n);
}
