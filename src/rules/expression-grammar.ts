import { createToken, EmbeddedActionsParser, type IToken, Lexer, type TokenType } from 'chevrotain';
import type { Span } from '../domain/diagnostic.ts';
import { InvariantError } from '../domain/errors.ts';
import { parseDecimal } from '../domain/rational.ts';
import { textOf } from '../gaql/syntax/build-value.ts';
import { tokenSpan } from '../gaql/syntax/syntax-messages.ts';
import {
  And,
  ComparisonOperator,
  ForeignOperator,
  LeftParen,
  Not,
  Or,
  RightParen,
  StringLiteral,
  UnterminatedString,
} from '../gaql/syntax/tokens.ts';
import type { ArithmeticSign, ComparisonSign, Expression } from './expression.ts';

const ColumnName = createToken({ name: 'ColumnName', pattern: /[a-zA-Z_][a-zA-Z0-9_]*/ });
/** Without a sign: in `clicks -5` the minus is an operator. */
export const UnsignedNumber = createToken({ name: 'UnsignedNumber', pattern: /\d+(?:\.\d+)?/ });
const Times = createToken({ name: 'Times', pattern: '*' });
const Over = createToken({ name: 'Over', pattern: '/' });
const Plus = createToken({ name: 'Plus', pattern: '+' });
const Minus = createToken({ name: 'Minus', pattern: '-' });
const WhiteSpace = createToken({ name: 'WhiteSpace', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });

/** The queries' keywords end where a column's name goes on: `order_count` is not OR and `der_count`. */
const word = (keyword: TokenType): TokenType =>
  createToken({ name: keyword.name, pattern: keyword.PATTERN as RegExp, longer_alt: ColumnName });
const [AndWord, OrWord, NotWord] = [word(And), word(Or), word(Not)];

const TOKENS = [
  WhiteSpace,
  ...[AndWord, OrWord, NotWord, ColumnName, ForeignOperator, ComparisonOperator, UnsignedNumber],
  ...[StringLiteral, UnterminatedString, LeftParen, RightParen, Times, Over, Plus, Minus],
];

/** Arithmetic binds tighter than comparison, comparison than NOT, NOT than AND, AND than OR. */
class ExpressionGrammar extends EmbeddedActionsParser {
  constructor() {
    super(TOKENS);
    this.performSelfAnalysis();
  }

  readonly condition = this.RULE('condition', (): Expression => this.SUBRULE(this.disjunction));

  private readonly disjunction = this.RULE('disjunction', (): Expression => {
    let left = this.SUBRULE1(this.conjunction);
    this.MANY(() => {
      this.CONSUME(OrWord);
      const right = this.SUBRULE2(this.conjunction);
      left = this.ACTION(() => ({ kind: 'logic', sign: 'OR', left, right, span: joined(left, right) }));
    });
    return left;
  });

  private readonly conjunction = this.RULE('conjunction', (): Expression => {
    let left = this.SUBRULE1(this.inversion);
    this.MANY(() => {
      this.CONSUME(AndWord);
      const right = this.SUBRULE2(this.inversion);
      left = this.ACTION(() => ({ kind: 'logic', sign: 'AND', left, right, span: joined(left, right) }));
    });
    return left;
  });

  private readonly inversion: () => Expression = this.RULE(
    'inversion',
    (): Expression =>
      this.OR<Expression>([
        {
          ALT: () => {
            const not = this.CONSUME(NotWord);
            const operand = this.SUBRULE(this.inversion);
            return this.ACTION((): Expression => ({ kind: 'not', operand, span: from(not, operand) }));
          },
        },
        { ALT: () => this.SUBRULE(this.comparison) },
      ]),
  );

  private readonly comparison = this.RULE('comparison', (): Expression => {
    let left = this.SUBRULE1(this.sum);
    this.OPTION(() => {
      const sign = this.CONSUME(ComparisonOperator).image as ComparisonSign;
      const right = this.SUBRULE2(this.sum);
      left = this.ACTION(() => ({ kind: 'comparison', sign, left, right, span: joined(left, right) }));
    });
    return left;
  });

  private readonly sum = this.RULE('sum', (): Expression => {
    let left = this.SUBRULE1(this.product);
    this.MANY(() => {
      const sign = this.OR([{ ALT: () => this.CONSUME(Plus) }, { ALT: () => this.CONSUME(Minus) }]);
      const right = this.SUBRULE2(this.product);
      left = this.ACTION(() => arithmetic(sign, left, right));
    });
    return left;
  });

  private readonly product = this.RULE('product', (): Expression => {
    let left = this.SUBRULE1(this.factor);
    this.MANY(() => {
      const sign = this.OR([{ ALT: () => this.CONSUME(Times) }, { ALT: () => this.CONSUME(Over) }]);
      const right = this.SUBRULE2(this.factor);
      left = this.ACTION(() => arithmetic(sign, left, right));
    });
    return left;
  });

  private readonly factor: () => Expression = this.RULE(
    'factor',
    (): Expression =>
      this.OR<Expression>([
        {
          ALT: () => {
            const minus = this.CONSUME(Minus);
            const operand = this.SUBRULE(this.factor);
            return this.ACTION((): Expression => ({ kind: 'negation', operand, span: from(minus, operand) }));
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(UnsignedNumber);
            return this.ACTION((): Expression => {
              const value = parseDecimal(token.image);
              if (value === undefined) throw new InvariantError(`"${token.image}" is not a number.`);
              return { kind: 'number', value, span: tokenSpan(token) };
            });
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(StringLiteral);
            return this.ACTION(
              (): Expression => ({
                kind: 'text',
                value: textOf(token),
                span: tokenSpan(token),
              }),
            );
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(ColumnName);
            return this.ACTION((): Expression => ({ kind: 'name', name: token.image, span: tokenSpan(token) }));
          },
        },
        {
          ALT: () => {
            const open = this.CONSUME(LeftParen);
            const inner = this.SUBRULE(this.disjunction);
            const close = this.CONSUME(RightParen);
            // With its parentheses, so that a part's text never holds one without the other.
            return this.ACTION((): Expression => ({ ...inner, span: tokenSpan(open, close) }));
          },
        },
      ]),
  );
}

function arithmetic(sign: IToken, left: Expression, right: Expression): Expression {
  return { kind: 'arithmetic', sign: sign.image as ArithmeticSign, left, right, span: joined(left, right) };
}

const joined = (left: Expression, right: Expression): Span => ({ start: left.span.start, end: right.span.end });
const from = (first: IToken, operand: Expression): Span => ({ start: tokenSpan(first).start, end: operand.span.end });

let reader: { readonly lexer: Lexer; readonly grammar: ExpressionGrammar } | undefined;

/** Made for the first rule: whoever checks a query alone does not wait for the analysis of this grammar. */
export function expressionReader(): NonNullable<typeof reader> {
  reader ??= { lexer: new Lexer(TOKENS, { positionTracking: 'full' }), grammar: new ExpressionGrammar() };
  return reader;
}
