import { EmbeddedActionsParser, type IToken, Lexer } from 'chevrotain';
import type { Span } from '../../domain/diagnostic.ts';
import { InvariantError } from '../../domain/errors.ts';
import { parseDecimal } from '../../domain/rational.ts';
import { textOf } from '../../gaql/syntax/build-value.ts';
import { tokenSpan } from '../../gaql/syntax/syntax-messages.ts';
import {
  type ArithmeticSign,
  type ComparisonSign,
  type Expression,
  shareOf,
  type WrittenChange,
  type WrittenWindow,
} from './expression.ts';
import { expressionMessages } from './expression-messages.ts';
import * as t from './expression-tokens.ts';
import type { Window } from './window.ts';

type Tail = (left: Expression) => Expression;

interface CallTail {
  readonly values: readonly Expression[];
  readonly close: IToken;
}

const joined = (left: Expression, right: Expression): Span => ({ start: left.span.start, end: right.span.end });
const from = (first: IToken, operand: Expression): Span => ({ start: tokenSpan(first).start, end: operand.span.end });
const upTo = (left: Expression, last: IToken): Span => ({ start: left.span.start, end: tokenSpan(last).end });

function numberOf(token: IToken, percent: IToken | undefined): Expression {
  const value = percent ? shareOf(token.image) : parseDecimal(token.image);
  if (value === undefined) throw new InvariantError(`"${token.image}" is not a number.`);
  return { kind: 'number', value, percent: percent !== undefined, span: tokenSpan(token, percent) };
}

function arithmetic(sign: IToken, left: Expression, right: Expression): Expression {
  return { kind: 'arithmetic', sign: sign.image as ArithmeticSign, left, right, span: joined(left, right) };
}

function windowOf(window: Window, first: IToken, last: IToken): WrittenWindow {
  return { window, span: tokenSpan(first, last) };
}

/** A window binds tightest, then arithmetic, comparison, NOT, AND, OR. */
class ExpressionGrammar extends EmbeddedActionsParser {
  constructor() {
    super(t.EXPRESSION_TOKENS, { errorMessageProvider: expressionMessages });
    this.performSelfAnalysis();
  }

  readonly condition = this.RULE('condition', (): Expression => this.SUBRULE(this.disjunction));

  readonly value = this.RULE('value', (): Expression => this.SUBRULE(this.sum));

  readonly change = this.RULE(
    'change',
    (): WrittenChange =>
      this.OR([
        {
          ALT: () => {
            const direction = this.OR1([
              { ALT: () => this.CONSUME(t.IncreaseWord) },
              { ALT: () => this.CONSUME(t.DecreaseWord) },
            ]);
            this.CONSUME1(t.BudgetWord);
            this.CONSUME(t.ByWord);
            const amount = this.CONSUME(t.UnsignedNumber);
            const percent = this.OPTION(() => this.CONSUME(t.Percent));
            return this.ACTION(
              (): WrittenChange => ({
                kind: 'by',
                direction: direction.tokenType === t.IncreaseWord ? 'increase' : 'decrease',
                digits: amount.image,
                percent: percent !== undefined,
                bySpan: tokenSpan(amount, percent),
              }),
            );
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.SetWord);
            this.CONSUME2(t.BudgetWord);
            this.CONSUME(t.ToWord);
            const value = this.SUBRULE(this.sum);
            return this.ACTION((): WrittenChange => ({ kind: 'to', value }));
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.PaceWord);
            this.CONSUME3(t.BudgetWord);
            this.CONSUME2(t.ToWord);
            const target = this.CONSUME2(t.UnsignedNumber);
            this.CONSUME(t.PerWord);
            const period = this.CONSUME(t.ColumnName);
            return this.ACTION(
              (): WrittenChange => ({
                kind: 'pace',
                digits: target.image,
                targetSpan: tokenSpan(target),
                period: period.image,
                periodSpan: tokenSpan(period),
              }),
            );
          },
        },
      ]),
  );

  private readonly disjunction: () => Expression = this.RULE('disjunction', (): Expression => {
    let left = this.SUBRULE1(this.conjunction);
    this.MANY(() => {
      this.CONSUME(t.OrWord);
      const right = this.SUBRULE2(this.conjunction);
      left = this.ACTION(() => ({ kind: 'logic', sign: 'OR', left, right, span: joined(left, right) }));
    });
    return left;
  });

  private readonly conjunction = this.RULE('conjunction', (): Expression => {
    let left = this.SUBRULE1(this.inversion);
    this.MANY(() => {
      this.CONSUME(t.AndWord);
      const right = this.SUBRULE2(this.inversion);
      left = this.ACTION(() => ({ kind: 'logic', sign: 'AND', left, right, span: joined(left, right) }));
    });
    return left;
  });

  private readonly inversion: () => Expression = this.RULE(
    'inversion',
    (): Expression =>
      this.OR([
        {
          ALT: () => {
            const not = this.CONSUME(t.NotWord);
            const operand = this.SUBRULE(this.inversion);
            return this.ACTION((): Expression => ({ kind: 'not', operand, span: from(not, operand) }));
          },
        },
        { ALT: () => this.SUBRULE(this.comparison) },
      ]),
  );

  private readonly comparison = this.RULE('comparison', (): Expression => {
    const left = this.SUBRULE(this.sum);
    const tail = this.OPTION(() =>
      this.OR([
        { ALT: () => this.SUBRULE(this.compared) },
        { ALT: () => this.SUBRULE(this.member) },
        { ALT: () => this.SUBRULE(this.nullTest) },
      ]),
    );
    return this.ACTION(() => tail?.(left) ?? left);
  });

  private readonly compared = this.RULE('compared', (): Tail => {
    const sign = this.CONSUME(t.ComparisonOperator);
    const right = this.SUBRULE(this.sum);
    return this.ACTION((): Tail => {
      const { image } = sign;
      return (left) => ({ kind: 'comparison', sign: image as ComparisonSign, left, right, span: joined(left, right) });
    });
  });

  private readonly member = this.RULE('member', (): Tail => {
    const not = this.OPTION(() => this.CONSUME(t.NotWord));
    return this.OR([
      { ALT: () => this.SUBRULE(this.between, { ARGS: [not] }) },
      { ALT: () => this.SUBRULE(this.list, { ARGS: [not] }) },
      { ALT: () => this.SUBRULE(this.like, { ARGS: [not] }) },
    ]);
  });

  private readonly between = this.RULE('between', (not: IToken | undefined): Tail => {
    this.CONSUME(t.BetweenWord);
    const low = this.SUBRULE1(this.sum);
    this.CONSUME(t.AndWord);
    const high = this.SUBRULE2(this.sum);
    return this.ACTION((): Tail => {
      const negated = not !== undefined;
      return (operand) => ({ kind: 'between', negated, operand, low, high, span: joined(operand, high) });
    });
  });

  private readonly list = this.RULE('list', (not: IToken | undefined): Tail => {
    const list: Expression[] = [];
    this.CONSUME(t.InWord);
    this.CONSUME(t.LeftParen);
    this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => list.push(this.SUBRULE(this.sum)) });
    const close = this.CONSUME(t.RightParen);
    return this.ACTION((): Tail => {
      const negated = not !== undefined;
      return (operand) => ({ kind: 'in', negated, operand, list, span: upTo(operand, close) });
    });
  });

  private readonly like = this.RULE('like', (not: IToken | undefined): Tail => {
    this.CONSUME(t.LikeWord);
    const pattern = this.CONSUME(t.StringLiteral);
    return this.ACTION((): Tail => {
      const negated = not !== undefined;
      return (operand) => ({ kind: 'like', negated, operand, pattern: textOf(pattern), span: upTo(operand, pattern) });
    });
  });

  private readonly nullTest = this.RULE('nullTest', (): Tail => {
    this.CONSUME(t.IsWord);
    const not = this.OPTION(() => this.CONSUME(t.NotWord));
    const last = this.CONSUME(t.NullWord);
    return this.ACTION((): Tail => {
      const negated = not !== undefined;
      return (operand) => ({ kind: 'null_test', negated, operand, span: upTo(operand, last) });
    });
  });

  private readonly sum: () => Expression = this.RULE('sum', (): Expression => {
    let left = this.SUBRULE1(this.product);
    this.MANY(() => {
      const sign = this.OR([{ ALT: () => this.CONSUME(t.Plus) }, { ALT: () => this.CONSUME(t.Minus) }]);
      const right = this.SUBRULE2(this.product);
      left = this.ACTION(() => arithmetic(sign, left, right));
    });
    return left;
  });

  private readonly product = this.RULE('product', (): Expression => {
    let left = this.SUBRULE1(this.factor);
    this.MANY(() => {
      const sign = this.OR([{ ALT: () => this.CONSUME(t.Times) }, { ALT: () => this.CONSUME(t.DividedBy) }]);
      const right = this.SUBRULE2(this.factor);
      left = this.ACTION(() => arithmetic(sign, left, right));
    });
    return left;
  });

  private readonly factor: () => Expression = this.RULE(
    'factor',
    (): Expression =>
      this.OR([
        {
          ALT: () => {
            const minus = this.CONSUME(t.Minus);
            const operand = this.SUBRULE(this.factor);
            return this.ACTION((): Expression => ({ kind: 'negation', operand, span: from(minus, operand) }));
          },
        },
        {
          ALT: () => {
            const operand = this.SUBRULE(this.primary);
            const over = this.OPTION(() => this.SUBRULE(this.window));
            return this.ACTION((): Expression => {
              if (over === undefined) return operand;
              return { kind: 'windowed', operand, over, span: { start: operand.span.start, end: over.span.end } };
            });
          },
        },
      ]),
  );

  private readonly primary = this.RULE(
    'primary',
    (): Expression =>
      this.OR([
        {
          ALT: () => {
            const number = this.CONSUME(t.UnsignedNumber);
            const percent = this.OPTION1(() => this.CONSUME(t.Percent));
            return this.ACTION(() => numberOf(number, percent));
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(t.StringLiteral);
            return this.ACTION((): Expression => ({ kind: 'text', value: textOf(token), span: tokenSpan(token) }));
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(t.ColumnName);
            const call = this.OPTION2(() => this.SUBRULE(this.call));
            return this.ACTION((): Expression => {
              const name = token.image;
              const span = tokenSpan(token, call?.close);
              if (call === undefined) return { kind: 'name', name, span };
              return { kind: 'call', name, nameSpan: tokenSpan(token), values: call.values, span };
            });
          },
        },
        { ALT: () => this.SUBRULE(this.parenthesis) },
      ]),
  );

  private readonly call = this.RULE('call', (): CallTail => {
    const values: Expression[] = [];
    this.CONSUME(t.LeftParen);
    this.MANY_SEP({ SEP: t.Comma, DEF: () => values.push(this.SUBRULE(this.sum)) });
    const close = this.CONSUME(t.RightParen);
    return { values, close };
  });

  private readonly parenthesis = this.RULE('parenthesis', (): Expression => {
    const open = this.CONSUME(t.LeftParen);
    const inner = this.SUBRULE(this.disjunction);
    const close = this.CONSUME(t.RightParen);
    // Includes the parentheses, so that a part's text always has both.
    return this.ACTION((): Expression => ({ ...inner, span: tokenSpan(open, close) }));
  });

  private readonly window = this.RULE('window', (): WrittenWindow => {
    return this.OR([
      { ALT: () => this.SUBRULE(this.overWindow) },
      {
        ALT: () => {
          const first = this.CONSUME(t.OnWord);
          const last = this.CONSUME(t.NamedDay);
          return this.ACTION(() =>
            windowOf({ kind: last.image.toLowerCase() === 'today' ? 'today' : 'yesterday' }, first, last),
          );
        },
      },
      {
        ALT: () => {
          const first = this.CONSUME(t.SameWord);
          this.CONSUME(t.WeekdayWord);
          this.CONSUME(t.OverWord);
          const count = this.CONSUME(t.UnsignedNumber);
          const last = this.CONSUME(t.WeeksWord);
          return this.ACTION(() => windowOf({ kind: 'same_weekday', weeks: Number(count.image) }, first, last));
        },
      },
    ]);
  });

  private readonly overWindow = this.RULE('overWindow', (): WrittenWindow => {
    const first = this.CONSUME(t.OverWord);
    return this.OR([
      {
        ALT: () => {
          this.CONSUME(t.MonthWord);
          this.CONSUME(t.ToWord);
          const last = this.CONSUME(t.DateWord);
          return this.ACTION(() => windowOf({ kind: 'month_to_date' }, first, last));
        },
      },
      {
        ALT: () => {
          const previous = this.OPTION(() => this.CONSUME(t.PreviousWord));
          const count = this.CONSUME(t.UnsignedNumber);
          const last = this.CONSUME(t.DaysWord);
          return this.ACTION(() =>
            windowOf({ kind: previous ? 'previous' : 'days', days: Number(count.image) }, first, last),
          );
        },
      },
    ]);
  });
}

let reader: { readonly lexer: Lexer; readonly grammar: ExpressionGrammar } | undefined;

/** Created on demand: checking a query does not wait for the analysis of this grammar. */
export function expressionReader(): NonNullable<typeof reader> {
  reader ??= {
    lexer: new Lexer(t.EXPRESSION_TOKENS, { positionTracking: 'full' }),
    grammar: new ExpressionGrammar(),
  };
  return reader;
}
