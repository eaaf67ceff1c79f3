import { unreachable } from '../domain/errors.ts';
import { alignAll } from './align-parts.ts';
import { checkCall } from './check-call.ts';
import { checkName } from './check-name.ts';
import { checkWindow, windowWords } from './check-window.ts';
import { type Around, type Checking, refuse, type Typed, WRONG_PART, written } from './checking.ts';
import type { ArithmeticSign, Expression } from './expression.ts';
import { BOOLEAN, productType, TEXT, typeWords } from './part-type.ts';
import type { Window } from './window.ts';

/** Resolves the names of a value and sees that its parts fit. A condition is typed as one; its parts are not looked at. */
export function checkValue(checking: Checking, part: Expression, around: Around | undefined): Typed {
  switch (part.kind) {
    case 'number': {
      const { value, percent, span } = part;
      const type = { kind: 'number', moneyPower: 0, literal: !percent, zero: value.n === 0n } as const;
      return { type, value: { kind: 'number', value, span } };
    }
    case 'text':
      return { type: TEXT, value: { kind: 'text', value: part.value, span: part.span } };
    case 'name':
      return checkName(checking, part.name, part.span, around);
    case 'call':
      return checkCall(checking, part, around, checkValue);
    case 'windowed':
      return checkWindowed(checking, part);
    case 'negation': {
      const operand = checkNumber(checking, part.operand, around);
      const { value } = operand;
      return { type: operand.type, value: value && { kind: 'negation', operand: value, span: part.span } };
    }
    case 'arithmetic':
      return checkArithmetic(checking, part, around);
    case 'comparison':
    case 'between':
    case 'in':
    case 'like':
    case 'null_test':
    case 'not':
    case 'logic':
      return { type: BOOLEAN, value: undefined };
    default:
      return unreachable(part);
  }
}

/** The value of a part that must be a number. */
export function checkNumber(checking: Checking, part: Expression, around: Around | undefined): Typed {
  const typed = checkValue(checking, part, around);
  if (typed.type.kind === 'number' || typed.type.kind === 'wrong') return typed;
  return refuse(checking, 'OPERATOR_FIELD_MISMATCH', part.span, `Found ${typeWords(typed.type)}, expected a number.`);
}

function checkWindowed(checking: Checking, { operand, over, span }: Extract<Expression, { kind: 'windowed' }>): Typed {
  const isUsable = checkWindow(checking, over.window, over.span);
  const around: Around = { window: over.window, taken: false };
  const before = checking.diagnostics.length;
  const typed = checkValue(checking, operand, around);
  if (typed.type.kind === 'boolean') {
    const message = 'A window belongs to a value, and this is a condition.';
    return refuse(checking, 'BAD_WINDOW', span, message, 'Write it behind a metric: clicks over 7 days >= 30.');
  }
  if (!around.taken && checking.diagnostics.length === before) {
    const message = `There is no metric in ${JSON.stringify(written(checking, operand.span))} that the window could belong to.`;
    return refuse(checking, 'BAD_WINDOW', over.span, message, 'Attributes, budgets and numbers have no days.');
  }
  // The window is part of the value's words.
  return { type: typed.type, value: isUsable && typed.value ? { ...typed.value, span } : undefined };
}

type Arithmetic = Extract<Expression, { kind: 'arithmetic' }>;

function checkArithmetic(checking: Checking, part: Arithmetic, around: Around | undefined): Typed {
  const used = checking.ownDaysUsed;
  const taken = around?.taken ?? false;
  if (around) around.taken = false;
  const left = checkNumber(checking, part.left, around);
  const leftHasDays = around ? around.taken : checking.ownDaysUsed > used;
  if (leftHasDays) warnOfOtherDays(checking, part, around?.window ?? checking.scope.over);
  const right = checkNumber(checking, part.right, around);
  if (around) around.taken ||= taken;
  if (left.type.kind !== 'number' || right.type.kind !== 'number') return WRONG_PART;
  const { sign, span } = part;
  const type = isSum(sign)
    ? alignAll(checking, span, [
        { type: left.type, span: part.left.span },
        { type: right.type, span: part.right.span },
      ])
    : productType(left.type, right.type, sign === '/');
  if (!left.value || !right.value) return { type, value: undefined };
  return { type, value: { kind: 'arithmetic', sign, left: left.value, right: right.value, span } };
}

const isSum = (sign: ArithmeticSign): boolean => sign === '+' || sign === '-';

/** `cost / clicks over previous 7 days` divides by clicks of other days, which is seldom meant. */
function warnOfOtherDays(checking: Checking, { sign, left, right, span }: Arithmetic, days: Window | undefined): void {
  if (sign !== '/' || right.kind !== 'windowed' || right.span.end.offset !== right.over.span.end.offset) return;
  if (!days || windowWords(days) === windowWords(right.over.window)) return;
  const [above, below] = [written(checking, left.span), written(checking, right.operand.span)];
  const over = written(checking, right.over.span);
  checking.diagnostics.push({
    code: 'MIXED_WINDOWS',
    severity: 'warning',
    span,
    message: `The window ${JSON.stringify(over)} belongs to ${below} alone; ${above} is ${windowWords(days)}.`,
    hint: `Write (${above} / ${below}) ${over}; or ${above} / (${below} ${over}) if it is meant so.`,
  });
}
