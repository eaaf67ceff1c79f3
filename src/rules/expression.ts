import type { Span } from '../domain/diagnostic.ts';
import type { Rational } from '../domain/rational.ts';

export type ComparisonSign = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type ArithmeticSign = '+' | '-' | '*' | '/';

/** A condition of a rule as a tree. Spans count from the expression's own first character. */
export type Expression =
  | { readonly kind: 'number'; readonly value: Rational; readonly span: Span }
  | { readonly kind: 'text'; readonly value: string; readonly span: Span }
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  | { readonly kind: 'negation'; readonly operand: Expression; readonly span: Span }
  | {
      readonly kind: 'arithmetic';
      readonly sign: ArithmeticSign;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: 'comparison';
      readonly sign: ComparisonSign;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | { readonly kind: 'not'; readonly operand: Expression; readonly span: Span }
  | {
      readonly kind: 'logic';
      readonly sign: 'AND' | 'OR';
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    };
