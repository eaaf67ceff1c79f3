import type { Diagnostic, Span } from '../domain/diagnostic.ts';
import { unreachable } from '../domain/errors.ts';
import { alignAll } from './align-parts.ts';
import { checkConstants } from './check-constants.ts';
import { meaningOf } from './check-name.ts';
import { checkValue } from './check-value.ts';
import type { CheckedCondition, CheckedValue } from './checked-expression.ts';
import { beginChecking, type Checking, refuse, type Scope, type Typed } from './checking.ts';
import type { Expression } from './expression.ts';
import { type PartType, typeWords } from './part-type.ts';
import { mixedDays } from './warn-mixed-days.ts';
import { warnOfPattern, warnOfUnits } from './warn-never-true.ts';

export interface ExpressionCheck<Tree> {
  /** Undefined where `diagnostics` has an error. */
  readonly tree: Tree | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The first literal that stands for an amount, so that the expression means nothing without a currency. */
  readonly amountAt: Span | undefined;
  /** Whether a metric is summed over the rule's own window. */
  readonly usesOwnDays: boolean;
  /** Whether there is a metric at all. */
  readonly usesDays: boolean;
}

/** Names exist, sides fit each other, and every metric has days that the table has. `text` is what the tree was read from. */
export function checkCondition(tree: Expression, scope: Scope, text: string): ExpressionCheck<CheckedCondition> {
  const checking = beginChecking(scope, text);
  return outcome(checking, condition(checking, tree));
}

/** As {@link checkCondition}, for a number or a text, with its type. */
export function checkWholeValue(
  tree: Expression,
  scope: Scope,
  text: string,
): ExpressionCheck<CheckedValue> & { readonly type: PartType } {
  const checking = beginChecking(scope, text);
  const { type, value } = checkValue(checking, tree, undefined);
  if (type.kind === 'boolean') {
    refuse(
      checking,
      'OPERATOR_FIELD_MISMATCH',
      tree.span,
      'Found a condition, expected a value such as cost / clicks.',
    );
  }
  return { ...outcome(checking, value), type };
}

function outcome<Tree>(checking: Checking, tree: Tree | undefined): ExpressionCheck<Tree> {
  const { diagnostics, amounts, ownDaysUsed, metricsUsed } = checking;
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  return {
    ...{ tree: failed ? undefined : tree, diagnostics, amountAt: amounts[0] },
    ...{ usesOwnDays: ownDaysUsed > 0, usesDays: metricsUsed > 0 },
  };
}

function condition(checking: Checking, part: Expression): CheckedCondition | undefined {
  switch (part.kind) {
    case 'comparison':
      return comparison(checking, part);
    case 'between':
      return between(checking, part);
    case 'in':
      return membership(checking, part);
    case 'like':
      return like(checking, part);
    case 'null_test': {
      const operand = side(checking, part.operand).value;
      return operand && { kind: 'null_test', negated: part.negated, operand, span: part.span };
    }
    case 'not': {
      const operand = condition(checking, part.operand);
      return operand && { kind: 'not', operand, span: part.span };
    }
    case 'logic': {
      const [left, right] = [condition(checking, part.left), condition(checking, part.right)];
      return left && right && { kind: 'logic', sign: part.sign, left, right, span: part.span };
    }
    case 'number':
    case 'text':
    case 'name':
    case 'call':
    case 'windowed':
    case 'negation':
    case 'arithmetic': {
      const { type } = checkValue(checking, part, undefined);
      if (type.kind === 'wrong' || type.kind === 'boolean') return undefined;
      const message = `Found ${typeWords(type)}, expected a comparison such as clicks >= 30.`;
      refuse(checking, 'OPERATOR_FIELD_MISMATCH', part.span, message);
      return undefined;
    }
    default:
      return unreachable(part);
  }
}

interface Side extends Typed {
  readonly span: Span;
}

/** A value that something is compared with. A condition in its place is told once, with what is wrong within it. */
function side(checking: Checking, part: Expression, beside: readonly Expression[] = []): Side {
  checking.besideText = beside.some((other) => isText(checking, other));
  const typed = checkValue(checking, part, undefined);
  checking.besideText = false;
  if (typed.type.kind !== 'boolean') return { ...typed, span: part.span };
  const message = 'Found a condition, expected a value: conditions are joined with AND, OR and NOT.';
  return { ...refuse(checking, 'OPERATOR_FIELD_MISMATCH', part.span, message), span: part.span };
}

/** A text, or a column that holds one. */
function isText(checking: Checking, part: Expression): boolean {
  if (part.kind !== 'name') return part.kind === 'text';
  const meaning = meaningOf(checking, part.name);
  return meaning?.kind === 'attribute' && meaning.type === 'text';
}

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** What may be compared and is seldom meant; a constant that there is not is an error. */
function warnOfSlips(checking: Checking, sides: readonly Side[], span: Span): void {
  const values = sides.flatMap(({ value }) => value ?? []);
  if (values.length < sides.length) return;
  checkConstants(checking, values);
  warnOfUnits(checking, values, span);
  const mixed = mixedDays(values, span, checking.text);
  if (mixed) checking.diagnostics.push(mixed);
}

function comparison(checking: Checking, { sign, left, right, span }: Of<'comparison'>): CheckedCondition | undefined {
  const [one, other] = [side(checking, left, [right]), side(checking, right, [left])];
  const type = alignAll(checking, span, [one, other]);
  if (type.kind === 'text' && sign !== '=' && sign !== '!=') {
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, `Text is compared with ${sign}, expected =, !=, IN or LIKE.`);
  }
  warnOfSlips(checking, [one, other], span);
  return one.value && other.value && { kind: 'comparison', sign, left: one.value, right: other.value, span };
}

function between(checking: Checking, part: Of<'between'>): CheckedCondition | undefined {
  const { negated, span } = part;
  const sides = [part.operand, part.low, part.high].map((each) => side(checking, each));
  const type = alignAll(checking, span, sides);
  if (type.kind === 'text') {
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, 'Text is compared with BETWEEN, expected =, !=, IN or LIKE.');
  }
  warnOfSlips(checking, sides, span);
  const [operand, low, high] = sides.map(({ value }) => value);
  return operand && low && high && { kind: 'between', negated, operand, low, high, span };
}

function membership(checking: Checking, part: Of<'in'>): CheckedCondition | undefined {
  const { negated, span } = part;
  const operand = side(checking, part.operand);
  const members = part.list.map((each) => side(checking, each, [part.operand]));
  alignAll(checking, span, [operand, ...members]);
  warnOfSlips(checking, [operand, ...members], span);
  const list = members.flatMap(({ value }) => value ?? []);
  if (!operand.value || list.length < members.length) return undefined;
  return { kind: 'in', negated, operand: operand.value, list, span };
}

function like(checking: Checking, { negated, operand, pattern, span }: Of<'like'>): CheckedCondition | undefined {
  const { type, value } = side(checking, operand);
  if (type.kind === 'number') {
    const message = 'A number is compared with LIKE, expected text such as campaign_name.';
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', operand.span, message);
    return undefined;
  }
  warnOfPattern(checking, pattern, span);
  return value && { kind: 'like', negated, operand: value, pattern, span };
}
