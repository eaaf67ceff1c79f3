import { EmbeddedActionsParser, type IToken, Lexer, type TokenType } from 'chevrotain';
import type { Span } from '../../../domain/diagnostic.ts';
import { InvariantError } from '../../../domain/errors.ts';
import { parseDecimal } from '../../../domain/rational.ts';
import { textOf } from '../../gaql/syntax/build-value.ts';
import { tokenSpan } from '../../gaql/syntax/syntax-messages.ts';
import type { ComparisonSign } from '../../gaql/syntax/tree.ts';
import {
  type ArithmeticSign,
  type Expression,
  shareOf,
  type WrittenAmount,
  type WrittenChange,
  type WrittenDay,
  type WrittenDays,
  type WrittenPeriod,
  type WrittenWindow,
} from './expression.ts';
import { expressionMessages } from './expression-messages.ts';
import * as t from './expression-tokens.ts';
import { daysWindow, type Window } from './window.ts';

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

function logic(sign: 'AND' | 'OR', left: Expression, right: Expression): Expression {
  return { kind: 'logic', sign, left, right, span: joined(left, right) };
}

function windowOf(window: Window, first: IToken, last: IToken): WrittenWindow {
  return { window, span: tokenSpan(first, last) };
}

/** Operators by precedence, highest first: window, arithmetic, comparison, NOT, AND, OR. */
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
          ALT: (): WrittenChange => {
            const direction = this.oneOf(t.IncreaseWord, t.DecreaseWord);
            this.CONSUME1(t.BudgetWord);
            this.CONSUME(t.ByWord);
            const amount = this.CONSUME(t.UnsignedNumber);
            const percent = this.OPTION(() => this.CONSUME(t.Percent));
            return {
              kind: 'by',
              direction: direction.tokenType === t.IncreaseWord ? 'increase' : 'decrease',
              digits: amount.image,
              percent: percent !== undefined,
              bySpan: tokenSpan(amount, percent),
            };
          },
        },
        {
          ALT: (): WrittenChange => {
            this.CONSUME(t.SetWord);
            this.CONSUME2(t.BudgetWord);
            this.CONSUME(t.ToWord);
            const value = this.SUBRULE1(this.sum);
            const amounts: WrittenAmount[] = [];
            this.OPTION1(() => {
              amounts.push({ value, days: this.SUBRULE1(this.weekdays) });
              this.MANY(() => {
                this.CONSUME(t.Comma);
                this.OR2([
                  {
                    ALT: () => {
                      this.CONSUME(t.ElseWord);
                      amounts.push({ value: this.SUBRULE2(this.sum), days: undefined });
                    },
                  },
                  {
                    ALT: () => {
                      const own = this.SUBRULE3(this.sum);
                      amounts.push({ value: own, days: this.SUBRULE2(this.weekdays) });
                    },
                  },
                ]);
              });
            });
            return amounts.length > 0 ? { kind: 'by_weekday', amounts } : { kind: 'to', value };
          },
        },
        {
          ALT: (): WrittenChange => {
            this.CONSUME(t.PaceWord);
            this.CONSUME3(t.BudgetWord);
            this.CONSUME2(t.ToWord);
            const target = this.CONSUME2(t.UnsignedNumber);
            return {
              kind: 'pace',
              digits: target.image,
              targetSpan: tokenSpan(target),
              period: this.SUBRULE(this.period),
            };
          },
        },
      ]),
  );

  private readonly period: () => WrittenPeriod = this.RULE(
    'period',
    (): WrittenPeriod =>
      this.OR([
        {
          ALT: (): WrittenPeriod => {
            this.CONSUME(t.PerWord);
            const word = this.CONSUME(t.ColumnName);
            return { kind: 'per', word: word.image, span: tokenSpan(word) };
          },
        },
        {
          ALT: (): WrittenPeriod => {
            this.CONSUME(t.FromWord);
            const first = this.SUBRULE1(this.day);
            this.CONSUME(t.ToWord);
            return { kind: 'flight', from: first, to: this.SUBRULE2(this.day) };
          },
        },
      ]),
  );

  private readonly weekdays: () => readonly WrittenDays[] = this.RULE('weekdays', (): WrittenDays[] => {
    const days: WrittenDays[] = [];
    this.CONSUME(t.OnWord);
    this.AT_LEAST_ONE_SEP({
      SEP: t.AndWord,
      DEF: () => {
        const from = this.CONSUME1(t.DayName);
        const to = this.OPTION(() => {
          this.CONSUME(t.ToWord);
          return this.CONSUME2(t.DayName);
        });
        days.push({ from: from.image, to: (to ?? from).image, span: tokenSpan(from, to) });
      },
    });
    return days;
  });

  /** A day has no token of its own, because `2026-11-20` is a subtraction in a condition. */
  private readonly day: () => WrittenDay = this.RULE('day', (): WrittenDay => {
    const parts: IToken[] = [];
    this.AT_LEAST_ONE(() => parts.push(this.oneOf(t.UnsignedNumber, t.Minus, t.DividedBy)));
    return this.ACTION(() => {
      const [first] = parts;
      const last = parts.at(-1);
      if (first === undefined || last === undefined) throw new InvariantError('Found a day without a part.');
      return { text: parts.map(({ image }) => image).join(''), span: tokenSpan(first, last) };
    });
  });

  private oneOf(...types: readonly TokenType[]): IToken {
    return this.OR1(types.map((type) => ({ ALT: () => this.CONSUME(type) })));
  }

  private chain(
    part: () => Expression,
    signs: readonly TokenType[],
    join: (sign: IToken, left: Expression, right: Expression) => Expression,
  ): Expression {
    let left = this.SUBRULE1(part);
    this.MANY(() => {
      const sign = this.oneOf(...signs);
      const right = this.SUBRULE2(part);
      left = this.ACTION(() => join(sign, left, right));
    });
    return left;
  }

  private readonly disjunction: () => Expression = this.RULE(
    'disjunction',
    (): Expression => this.chain(this.conjunction, [t.OrWord], (_, left, right) => logic('OR', left, right)),
  );

  private readonly conjunction = this.RULE(
    'conjunction',
    (): Expression => this.chain(this.inversion, [t.AndWord], (_, left, right) => logic('AND', left, right)),
  );

  private readonly inversion: () => Expression = this.RULE(
    'inversion',
    (): Expression =>
      this.OR([
        {
          ALT: (): Expression => {
            const not = this.CONSUME(t.NotWord);
            const operand = this.SUBRULE(this.inversion);
            return { kind: 'not', operand, span: this.ACTION(() => from(not, operand)) };
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
    const image = sign.image as ComparisonSign;
    return (left) => ({ kind: 'comparison', sign: image, left, right, span: joined(left, right) });
  });

  private readonly member = this.RULE('member', (): Tail => {
    const negated = this.OPTION(() => this.CONSUME(t.NotWord)) !== undefined;
    return this.OR([
      { ALT: () => this.SUBRULE(this.between, { ARGS: [negated] }) },
      { ALT: () => this.SUBRULE(this.list, { ARGS: [negated] }) },
      { ALT: () => this.SUBRULE(this.like, { ARGS: [negated] }) },
    ]);
  });

  private readonly between = this.RULE('between', (negated: boolean): Tail => {
    this.CONSUME(t.BetweenWord);
    const low = this.SUBRULE1(this.sum);
    this.CONSUME(t.AndWord);
    const high = this.SUBRULE2(this.sum);
    return (operand) => ({ kind: 'between', negated, operand, low, high, span: joined(operand, high) });
  });

  private readonly list = this.RULE('list', (negated: boolean): Tail => {
    this.CONSUME(t.InWord);
    return this.OR([
      {
        ALT: (): Tail => {
          const list: Expression[] = [];
          this.CONSUME(t.LeftParen);
          this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => list.push(this.SUBRULE(this.sum)) });
          const close = this.CONSUME(t.RightParen);
          return (operand) => ({ kind: 'in', negated, operand, list, span: upTo(operand, close) });
        },
      },
      {
        ALT: (): Tail => {
          const column = this.CONSUME(t.ColumnName);
          const about = { column: column.image, columnSpan: tokenSpan(column) };
          return (operand) => ({ kind: 'in_column', negated, operand, ...about, span: upTo(operand, column) });
        },
      },
    ]);
  });

  private readonly like = this.RULE('like', (negated: boolean): Tail => {
    this.CONSUME(t.LikeWord);
    const pattern = this.CONSUME(t.StringLiteral);
    return (operand) => ({ kind: 'like', negated, operand, pattern: textOf(pattern), span: upTo(operand, pattern) });
  });

  private readonly nullTest = this.RULE('nullTest', (): Tail => {
    this.CONSUME(t.IsWord);
    const negated = this.OPTION(() => this.CONSUME(t.NotWord)) !== undefined;
    const last = this.CONSUME(t.NullWord);
    return (operand) => ({ kind: 'null_test', negated, operand, span: upTo(operand, last) });
  });

  private readonly sum: () => Expression = this.RULE('sum', (): Expression => {
    return this.chain(this.product, [t.Plus, t.Minus], arithmetic);
  });

  private readonly product = this.RULE('product', (): Expression => {
    return this.chain(this.factor, [t.Times, t.DividedBy], arithmetic);
  });

  private readonly factor: () => Expression = this.RULE(
    'factor',
    (): Expression =>
      this.OR([
        {
          ALT: (): Expression => {
            const minus = this.CONSUME(t.Minus);
            const operand = this.SUBRULE(this.factor);
            return { kind: 'negation', operand, span: this.ACTION(() => from(minus, operand)) };
          },
        },
        {
          ALT: (): Expression => {
            const operand = this.SUBRULE(this.primary);
            const over = this.OPTION({
              // In a change, "on Monday" says when the amount applies.
              GATE: () => this.LA(2).tokenType !== t.DayName,
              DEF: () => this.SUBRULE(this.window),
            });
            if (over === undefined) return operand;
            const span = this.ACTION(() => ({ start: operand.span.start, end: over.span.end }));
            return { kind: 'windowed', operand, over, span };
          },
        },
      ]),
  );

  private readonly primary = this.RULE(
    'primary',
    (): Expression =>
      this.OR([
        {
          ALT: (): Expression => {
            const number = this.CONSUME(t.UnsignedNumber);
            const percent = this.OPTION1(() => this.CONSUME(t.Percent));
            return this.ACTION(() => numberOf(number, percent));
          },
        },
        {
          ALT: (): Expression => {
            const token = this.CONSUME(t.StringLiteral);
            return { kind: 'text', value: textOf(token), span: tokenSpan(token) };
          },
        },
        {
          ALT: (): Expression => {
            const token = this.CONSUME(t.ColumnName);
            const call = this.OPTION2(() => this.SUBRULE(this.call));
            const name = token.image;
            const span = tokenSpan(token, call?.close);
            if (call === undefined) return { kind: 'name', name, span };
            return { kind: 'call', name, nameSpan: tokenSpan(token), values: call.values, span };
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
    // Includes both parentheses, so that no message quotes only one of them.
    return { ...inner, span: tokenSpan(open, close) };
  });

  private readonly window = this.RULE('window', (): WrittenWindow => {
    const days = this.SUBRULE(this.daysOfWindow);
    const now = this.OPTION(() => {
      this.CONSUME(t.UntilWord);
      return this.CONSUME(t.NowWord);
    });
    if (now === undefined) return days;
    return this.ACTION(() => ({
      window: { ...days.window, untilNow: true },
      span: { start: days.span.start, end: tokenSpan(now).end },
    }));
  });

  private readonly daysOfWindow = this.RULE('daysOfWindow', (): WrittenWindow => {
    return this.OR([
      { ALT: () => this.SUBRULE(this.overWindow) },
      {
        ALT: () => {
          const first = this.CONSUME(t.OnWord);
          const last = this.CONSUME(t.NamedDay);
          return windowOf({ kind: last.image.toLowerCase() === 'today' ? 'today' : 'yesterday' }, first, last);
        },
      },
      {
        ALT: () => {
          const first = this.CONSUME(t.SameWord);
          this.CONSUME(t.WeekdayWord);
          this.CONSUME(t.OverWord);
          const count = this.CONSUME(t.UnsignedNumber);
          const last = this.CONSUME(t.WeeksWord);
          return windowOf({ kind: 'same_weekday', weeks: Number(count.image) }, first, last);
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
          return windowOf({ kind: 'month_to_date' }, first, last);
        },
      },
      {
        ALT: () => {
          const previous = this.OPTION(() => this.CONSUME(t.PreviousWord));
          const count = this.CONSUME(t.UnsignedNumber);
          const last = this.oneOf(t.DaysWord, t.WeeksWord);
          const inWeeks = last.tokenType === t.WeeksWord;
          return windowOf(daysWindow(previous ? 'previous' : 'days', Number(count.image), inWeeks), first, last);
        },
      },
    ]);
  });
}

let reader: { readonly lexer: Lexer; readonly grammar: ExpressionGrammar } | undefined;

/** Created on first use, because analysing the grammar is slow. */
export function expressionReader(): NonNullable<typeof reader> {
  reader ??= {
    lexer: new Lexer(t.EXPRESSION_TOKENS, { positionTracking: 'full' }),
    grammar: new ExpressionGrammar(),
  };
  return reader;
}
