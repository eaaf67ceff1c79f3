import { WEEKDAYS } from '../../../domain/civil-date.ts';
import { unreachable } from '../../../domain/errors.ts';
import { add, compare, divide, multiply, type Rational, subtract } from '../../../domain/rational.ts';
import { type ComparisonSign, HOLDS } from '../../gaql/syntax/tree.ts';
import type { CheckedCondition, CheckedValue, ClockName, MetricUse } from '../check/checked-expression.ts';
import type { ArithmeticSign } from '../language/expression.ts';
import { readIn, withParts } from './collect-values.ts';

/** Unknown is not false: NOT unknown is unknown, too. */
export type Truth = 'true' | 'false' | 'unknown';

/** Amounts are in currency units. Undefined means no value, never zero. */
export type Value = Rational | string | undefined;

export interface ValueSource<Subject> {
  metric(use: MetricUse): (subject: Subject) => Rational | undefined;
  attribute(column: string, inMicros: boolean): (subject: Subject) => Value;
  labelled(labels: CheckedValue, name: string): (subject: Subject) => Truth;
  budget(): (subject: Subject) => Rational | undefined;
  clock(name: ClockName): Value;
  /** True if the metric's window has no usable days now. */
  isOpen(use: MetricUse): boolean;
}

type Reader<Subject> = (subject: Subject) => Value;
type Test<Subject> = (subject: Subject) => Truth;

/** A comparison with a missing value or a division by zero is unknown. */
export function compileCondition<Subject>(tree: CheckedCondition, source: ValueSource<Subject>): Test<Subject> {
  const read = (value: CheckedValue) => compileValue(value, source);
  switch (tree.kind) {
    case 'logic':
      return logic(tree.sign, compileCondition(tree.left, source), compileCondition(tree.right, source));
    case 'not':
      return negatedIf(true, compileCondition(tree.operand, source));
    case 'comparison':
      return comparison(tree.sign, read(tree.left), read(tree.right));
    case 'between': {
      const operand = read(tree.operand);
      const low = comparison('>=', operand, read(tree.low));
      return negatedIf(tree.negated, logic('AND', low, comparison('<=', operand, read(tree.high))));
    }
    case 'in': {
      const operand = read(tree.operand);
      const never: Test<Subject> = () => 'false';
      const anyOf = tree.list
        .map((item) => comparison('=', operand, read(item)))
        .reduceRight<Test<Subject>>((rest, item) => logic('OR', item, rest), never);
      return negatedIf(tree.negated, anyOf);
    }
    case 'labelled':
      return negatedIf(tree.negated, source.labelled(tree.labels, tree.name));
    case 'like': {
      const operand = read(tree.operand);
      const isLike = likePattern(tree.pattern);
      return negatedIf(tree.negated, (subject) => {
        const value = operand(subject);
        return typeof value === 'string' ? truth(isLike(value)) : 'unknown';
      });
    }
    case 'null_test': {
      const operand = read(tree.operand);
      const missing: Truth = waitsForDays(tree.operand, source) ? 'unknown' : truth(!tree.negated);
      return (subject) => (operand(subject) === undefined ? missing : truth(tree.negated));
    }
    default:
      return unreachable(tree);
  }
}

export function compileValue<Subject>(tree: CheckedValue, source: ValueSource<Subject>): Reader<Subject> {
  switch (tree.kind) {
    case 'number':
    case 'text': {
      const { value } = tree;
      return () => value;
    }
    case 'metric':
      return source.metric(tree.metric);
    case 'attribute':
      return source.attribute(tree.column, tree.inMicros);
    case 'budget':
      return source.budget();
    case 'clock': {
      const value = source.clock(tree.name);
      return () => value;
    }
    case 'negation': {
      const operand = compileValue(tree.operand, source);
      return (subject) => {
        const value = operand(subject);
        return typeof value === 'object' ? { n: -value.n, d: value.d } : undefined;
      };
    }
    case 'arithmetic': {
      const left = compileValue(tree.left, source);
      const right = compileValue(tree.right, source);
      const work = ARITHMETIC[tree.sign];
      const parts = tree.sign === '/' ? readIn(tree).map((part) => compileValue(part, source)) : [];
      return (subject) => {
        const one = left(subject);
        if (typeof one !== 'object') return undefined;
        const other = right(subject);
        if (typeof other !== 'object' || parts.some((part) => isNegative(part(subject)))) return undefined;
        return work(one, other);
      };
    }
    case 'by_weekday': {
      const today = source.clock('weekday');
      const value = tree.values.find((_, place) => WEEKDAYS[place] === today);
      return value === undefined ? () => undefined : compileValue(value, source);
    }
    case 'coalesce': {
      const values = tree.values.map((value) => ({
        read: compileValue(value, source),
        waits: waitsForDays(value, source),
      }));
      return (subject) => {
        for (const { read, waits } of values) {
          const known = read(subject);
          if (known !== undefined || waits) return known;
        }
        return undefined;
      };
    }
    default:
      return unreachable(tree);
  }
}

/** A rate with a part below zero is unknown: conversions of −49 would make any cost per conversion look low. */
export function isNegative(value: Value): value is Rational {
  return typeof value === 'object' && value.n < 0n;
}

function waitsForDays<Subject>(tree: CheckedValue, source: ValueSource<Subject>): boolean {
  return withParts(tree).some((part) => part.kind === 'metric' && source.isOpen(part.metric));
}

const ARITHMETIC: Readonly<Record<ArithmeticSign, (a: Rational, b: Rational) => Rational | undefined>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
};

function logic<Subject>(sign: 'AND' | 'OR', left: Test<Subject>, right: Test<Subject>): Test<Subject> {
  const decisive: Truth = sign === 'AND' ? 'false' : 'true';
  return (subject) => {
    const one = left(subject);
    if (one === decisive) return one;
    const other = right(subject);
    return one === 'unknown' && other !== decisive ? one : other;
  };
}

function negatedIf<Subject>(negated: boolean, test: Test<Subject>): Test<Subject> {
  if (!negated) return test;
  return (subject) => {
    const operand = test(subject);
    return operand === 'unknown' ? operand : truth(operand === 'false');
  };
}

function comparison<Subject>(sign: ComparisonSign, left: Reader<Subject>, right: Reader<Subject>): Test<Subject> {
  const holds = HOLDS[sign];
  return (subject) => {
    const one = left(subject);
    if (one === undefined) return 'unknown';
    const other = right(subject);
    // The checker allows only = and != for texts.
    if (typeof one === 'string') return typeof other === 'string' ? truth(holds(one === other ? 0 : 1)) : 'unknown';
    return typeof other === 'object' ? truth(holds(compare(one, other))) : 'unknown';
  };
}

export const truth = (value: boolean): Truth => (value ? 'true' : 'false');

/** Matches the whole text: `%` any text, `_` any character. Ignores case. */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = pattern.split(/%+/).map(fold);
  const [first = [], ...rest] = parts;
  const last = rest.pop();
  return (written) => {
    const text = fold(written);
    if (last === undefined) return text.length === first.length && standsAt(text, first, 0);
    if (text.length < first.length + last.length || !standsAt(text, first, 0)) return false;
    const end = text.length - last.length;
    let from = first.length;
    // The earliest match of each part is enough. Without backtracking, no pattern is slow.
    for (const part of rest) {
      while (from + part.length <= end && !standsAt(text, part, from)) from += 1;
      from += part.length;
      if (from > end) return false;
    }
    return standsAt(text, last, end);
  };
}

/** Converts to upper case first, because some letters have two lower-case forms. */
const fold = (text: string): string[] => Array.from(text.toUpperCase().toLowerCase());

function standsAt(text: readonly string[], part: readonly string[], offset: number): boolean {
  return part.every((character, index) => character === '_' || character === text[offset + index]);
}
