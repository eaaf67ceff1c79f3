import type { Span } from '../../domain/diagnostic.ts';
import { parseDecimal, type Rational, rational } from '../../domain/rational.ts';
import type { Window } from './window.ts';

export type ComparisonSign = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type ArithmeticSign = '+' | '-' | '*' | '/';

/** A window as it is written: its numbers may be none that a window can have. */
export interface WrittenWindow {
  readonly window: Window;
  readonly span: Span;
}

/** A condition or a value of a rule as a tree, names not yet resolved. Spans count from the text's own first character. */
export type Expression = { readonly span: Span } /** A percentage is held as its share: 20% is 1/5. */ & (
  | { readonly kind: 'number'; readonly value: Rational; readonly percent: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly nameSpan: Span; readonly values: readonly Expression[] }
  /** `cost over previous 7 days`; the window counts for every metric within that has none of its own. */
  | { readonly kind: 'windowed'; readonly operand: Expression; readonly over: WrittenWindow }
  | { readonly kind: 'negation'; readonly operand: Expression }
  | ({ readonly kind: 'arithmetic'; readonly sign: ArithmeticSign } & Sides<Expression>)
  | ({ readonly kind: 'comparison'; readonly sign: ComparisonSign } & Sides<Expression>)
  | ({ readonly kind: 'logic'; readonly sign: 'AND' | 'OR' } & Sides<Expression>)
  | { readonly kind: 'not'; readonly operand: Expression }
  | ({ readonly kind: 'between'; readonly low: Expression; readonly high: Expression } & Tested<Expression>)
  | ({ readonly kind: 'in'; readonly list: readonly Expression[] } & Tested<Expression>)
  /** `%` any text, `_` any character; capitals and small letters are the same. */
  | ({ readonly kind: 'like'; readonly pattern: string } & Tested<Expression>)
  /** `IS NULL`: the value is not known. Itself always known. */
  | ({ readonly kind: 'null_test' } & Tested<Expression>)
);

export interface Sides<Side> {
  readonly left: Side;
  readonly right: Side;
}

/** The value that something is asked of. */
export interface Tested<Value> {
  readonly negated: boolean;
  readonly operand: Value;
}

/** A change of a budget as it is written. */
export type WrittenChange =
  | {
      readonly kind: 'by';
      readonly direction: 'increase' | 'decrease';
      /** The number's own digits. */
      readonly digits: string;
      readonly percent: boolean;
      readonly bySpan: Span;
    }
  | { readonly kind: 'to'; readonly value: Expression }
  | {
      readonly kind: 'pace';
      /** The target's own digits. */
      readonly digits: string;
      readonly targetSpan: Span;
      /** The word behind "per". */
      readonly period: string;
      readonly periodSpan: Span;
    };

/** The digits before a percent sign as a share, in lowest terms: "20" is 1/5. Undefined for what is no number. */
export function shareOf(digits: string): Rational | undefined {
  const percent = parseDecimal(digits);
  return percent && rational(percent.n, percent.d * 100n);
}
