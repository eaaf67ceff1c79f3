import type { IToken } from 'chevrotain';
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
import type { Window } from './window.ts';

export const joined = (left: Expression, right: Expression): Span => ({
  start: left.span.start,
  end: right.span.end,
});

export const from = (first: IToken, operand: Expression): Span => ({
  start: tokenSpan(first).start,
  end: operand.span.end,
});

const upTo = (left: Expression, last: IToken): Span => ({ start: left.span.start, end: tokenSpan(last).end });

export function number(token: IToken, percent: IToken | undefined): Expression {
  const value = percent ? shareOf(token.image) : parseDecimal(token.image);
  if (value === undefined) throw new InvariantError(`"${token.image}" is not a number.`);
  return { kind: 'number', value, percent: percent !== undefined, span: tokenSpan(token, percent) };
}

/** The arguments of a call, with the parenthesis behind them. */
export interface CallTail {
  readonly values: readonly Expression[];
  readonly close: IToken;
}

export function nameOrCall(token: IToken, call: CallTail | undefined): Expression {
  const name = token.image;
  if (!call) return { kind: 'name', name, span: tokenSpan(token) };
  return { kind: 'call', name, nameSpan: tokenSpan(token), values: call.values, span: tokenSpan(token, call.close) };
}

export function arithmetic(sign: IToken, left: Expression, right: Expression): Expression {
  return { kind: 'arithmetic', sign: sign.image as ArithmeticSign, left, right, span: joined(left, right) };
}

export function window(meaning: Window, first: IToken, last: IToken): WrittenWindow {
  return { window: meaning, span: tokenSpan(first, last) };
}

export const namedDay = ({ image }: IToken): Window => ({
  kind: image.toLowerCase() === 'today' ? 'today' : 'yesterday',
});

export function windowed(operand: Expression, over: WrittenWindow): Expression {
  return { kind: 'windowed', operand, over, span: { start: operand.span.start, end: over.span.end } };
}

type Tail = (left: Expression) => Expression;

export const comparison =
  (sign: IToken, right: Expression): Tail =>
  (left) => ({ kind: 'comparison', sign: sign.image as ComparisonSign, left, right, span: joined(left, right) });

export const between =
  (not: IToken | undefined, low: Expression, high: Expression): Tail =>
  (operand) => ({ kind: 'between', negated: not !== undefined, operand, low, high, span: joined(operand, high) });

export const membership =
  (not: IToken | undefined, list: readonly Expression[], close: IToken): Tail =>
  (operand) => ({ kind: 'in', negated: not !== undefined, operand, list, span: upTo(operand, close) });

export const like =
  (not: IToken | undefined, pattern: IToken): Tail =>
  (operand) => ({
    kind: 'like',
    negated: not !== undefined,
    operand,
    pattern: textOf(pattern),
    span: upTo(operand, pattern),
  });

export const nullTest =
  (not: IToken | undefined, last: IToken): Tail =>
  (operand) => ({ kind: 'null_test', negated: not !== undefined, operand, span: upTo(operand, last) });

export const paceTo = (target: IToken, period: IToken): WrittenChange => ({
  kind: 'pace',
  digits: target.image,
  targetSpan: tokenSpan(target),
  period: period.image,
  periodSpan: tokenSpan(period),
});

export function changeBy(direction: IToken, amount: IToken, percent: IToken | undefined): WrittenChange {
  return {
    kind: 'by',
    direction: direction.image.toLowerCase() === 'increase' ? 'increase' : 'decrease',
    digits: amount.image,
    percent: percent !== undefined,
    bySpan: tokenSpan(amount, percent),
  };
}
