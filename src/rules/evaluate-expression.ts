import { unreachable } from '../domain/errors.ts';
import { add, compare, divide, formatRational, multiply, type Rational, subtract } from '../domain/rational.ts';
import type { ComparisonSign, Expression } from './expression.ts';

/** A value of a name; undefined when there is none, which is never the same as zero. */
export type NamedValue = Rational | string | undefined;

/** What is known of a condition. Unknown is not false: NOT unknown is unknown, too. */
export type Truth = 'true' | 'false' | 'unknown';

/** Three-valued, exact. Missing values and division by zero are unknown and stay so unless the other side decides. */
export function evaluateCondition(tree: Expression, valueFor: (name: string) => NamedValue): Truth {
  switch (tree.kind) {
    case 'logic': {
      const [left, right] = [evaluateCondition(tree.left, valueFor), evaluateCondition(tree.right, valueFor)];
      const decisive = tree.sign === 'AND' ? 'false' : 'true';
      if (left === decisive || right === decisive) return decisive;
      return left === 'unknown' || right === 'unknown' ? 'unknown' : left;
    }
    case 'not': {
      const operand = evaluateCondition(tree.operand, valueFor);
      return operand === 'unknown' ? 'unknown' : operand === 'true' ? 'false' : 'true';
    }
    case 'comparison':
      return evaluateComparison(tree.sign, evaluateValue(tree.left, valueFor), evaluateValue(tree.right, valueFor));
    default:
      return 'unknown';
  }
}

function evaluateComparison(sign: ComparisonSign, left: NamedValue, right: NamedValue): Truth {
  if (left === undefined || right === undefined) return 'unknown';
  if (typeof left === 'string')
    return typeof right === 'string' ? truth(holds(sign, left === right ? 0 : 1)) : 'unknown';
  return typeof right === 'string' ? 'unknown' : truth(holds(sign, compare(left, right)));
}

const truth = (value: boolean): Truth => (value ? 'true' : 'false');

function holds(sign: ComparisonSign, order: -1 | 0 | 1): boolean {
  switch (sign) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return unreachable(sign);
  }
}

function evaluateValue(tree: Expression, valueFor: (name: string) => NamedValue): NamedValue {
  switch (tree.kind) {
    case 'number':
    case 'text':
      return tree.value;
    case 'name':
      return valueFor(tree.name);
    case 'negation': {
      const operand = evaluateValue(tree.operand, valueFor);
      return typeof operand === 'object' ? { n: -operand.n, d: operand.d } : undefined;
    }
    case 'arithmetic': {
      const [left, right] = [evaluateValue(tree.left, valueFor), evaluateValue(tree.right, valueFor)];
      if (typeof left !== 'object' || typeof right !== 'object') return undefined;
      return { '+': add, '-': subtract, '*': multiply, '/': divide }[tree.sign](left, right);
    }
    default:
      return undefined;
  }
}

/**
 * The condition with the values it was decided on, in the condition's own words:
 * `clicks (412) >= 30 AND cost / clicks (3.21) > 2.50`.
 */
export function explainCondition(tree: Expression, source: string, valueFor: (name: string) => NamedValue): string {
  const written = (part: Expression) => source.slice(part.span.start.offset, part.span.end.offset);
  const side = (part: Expression): string => {
    if (part.kind === 'number' || part.kind === 'text') return written(part);
    return `${written(part)} (${shown(evaluateValue(part, valueFor))})`;
  };
  const inner = (part: Expression, within: Expression): string => {
    const text = explainCondition(part, source, valueFor);
    const looser =
      part.kind === 'logic' && (within.kind === 'not' || (within.kind === 'logic' && within.sign !== part.sign));
    return looser ? `(${text})` : text;
  };
  switch (tree.kind) {
    case 'logic':
      return `${inner(tree.left, tree)} ${tree.sign} ${inner(tree.right, tree)}`;
    case 'not':
      return `NOT ${inner(tree.operand, tree)}`;
    case 'comparison':
      return `${side(tree.left)} ${tree.sign} ${side(tree.right)}`;
    default:
      return written(tree);
  }
}

function shown(value: NamedValue): string {
  if (value === undefined) return 'unknown';
  return typeof value === 'string' ? `'${value}'` : formatRational(value, 2);
}
