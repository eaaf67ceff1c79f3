import { WEEKDAYS } from '../../../domain/civil-date.ts';
import type { Span } from '../../../domain/diagnostic.ts';
import { unreachable } from '../../../domain/errors.ts';
import { checkConstant, isPlaceholderConstant } from '../../gaql/check/check-value.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import { reportTo } from '../../gaql/report.ts';
import { DAYS_LEAST } from '../evaluate/figures.ts';
import type { Expression } from '../language/expression.ts';
import type { Window } from '../language/window.ts';
import { checkMetric, checkName } from './check-name.ts';
import { checkWindow, windowWords } from './check-window.ts';
import { type CheckedCondition, type CheckedValue, DAY_MEASURES, type DayMeasure } from './checked-expression.ts';
import {
  type Around,
  BOOLEAN,
  beginChecking,
  type Checking,
  type Found,
  type PartType,
  productType,
  refuse,
  type Scope,
  TEXT,
  type Typed,
  typeWords,
  WRONG,
  WRONG_PART,
  written,
} from './checking.ts';
import { mixedDays, mixedHours, warnOfPattern, warnOfUnits } from './warn-slips.ts';

export interface ExpressionCheck<Tree> extends Found {
  readonly tree: Tree | undefined;
  readonly usesDays: boolean;
}

export function checkCondition(tree: Expression, scope: Scope, text: string): ExpressionCheck<CheckedCondition> {
  const checking = beginChecking(scope, text);
  return outcome(checking, condition(checking, tree));
}

export function checkWholeValue(
  tree: Expression,
  scope: Scope,
  text: string,
): ExpressionCheck<CheckedValue> & { readonly type: PartType } {
  const checking = beginChecking(scope, text);
  const { type, value } = checkValue(checking, tree, undefined);
  if (type.kind === 'boolean') {
    const message = 'Found a condition, expected a value such as cost / clicks.';
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', tree.span, message);
  }
  return { ...outcome(checking, value), type };
}

function outcome<Tree>(checking: Checking, tree: Tree | undefined): ExpressionCheck<Tree> {
  const { diagnostics, amounts, ownDaysUsed, metricsUsed } = checking;
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  return {
    tree: failed ? undefined : tree,
    diagnostics,
    amountAt: amounts[0],
    usesOwnDays: ownDaysUsed > 0,
    usesDays: metricsUsed > 0,
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
    case 'in_column':
      return labelled(checking, part);
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
      const left = condition(checking, part.left);
      const right = condition(checking, part.right);
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

function side(checking: Checking, part: Expression, beside: readonly Expression[] = []): Side {
  checking.besideText = beside.some((other) => isText(checking, other));
  const typed = checkValue(checking, part, undefined);
  checking.besideText = false;
  if (typed.type.kind !== 'boolean') return { ...typed, span: part.span };
  const message = 'Found a condition, expected a value. Join conditions with AND, OR and NOT.';
  return { ...refuse(checking, 'OPERATOR_FIELD_MISMATCH', part.span, message), span: part.span };
}

function isText(checking: Checking, part: Expression): boolean {
  if (part.kind !== 'name') return part.kind === 'text';
  const meaning = checking.scope.names.get(part.name);
  if (meaning?.kind === 'clock') return meaning.name === 'weekday';
  return meaning?.kind === 'attribute' && (meaning.type === 'text' || meaning.type === 'labels');
}

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

function warnOfSlips(checking: Checking, sides: readonly Side[], span: Span): void {
  const values = sides.flatMap(({ value }) => value ?? []);
  if (values.length < sides.length) return;
  checkConstants(checking, values);
  checkWeekdays(checking, values);
  warnOfUnits(checking, values, span);
  const mixed = mixedDays(values, span, checking.text) ?? mixedHours(values, span);
  if (mixed) checking.diagnostics.push(mixed);
}

function comparison(checking: Checking, { sign, left, right, span }: Of<'comparison'>): CheckedCondition | undefined {
  const one = side(checking, left, [right]);
  const other = side(checking, right, [left]);
  const type = alignAll(checking, span, [one, other]);
  if (type.kind === 'text' && sign !== '=' && sign !== '!=') {
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, `Found text with ${sign}, expected =, !=, IN or LIKE.`);
  }
  warnOfSlips(checking, [one, other], span);
  return one.value && other.value && { kind: 'comparison', sign, left: one.value, right: other.value, span };
}

function between(checking: Checking, part: Of<'between'>): CheckedCondition | undefined {
  const { negated, span } = part;
  const sides = [part.operand, part.low, part.high].map((each) => side(checking, each));
  const type = alignAll(checking, span, sides);
  if (type.kind === 'text') {
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, 'Found text with BETWEEN, expected =, !=, IN or LIKE.');
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

function labelled(checking: Checking, part: Of<'in_column'>): CheckedCondition | undefined {
  const { negated, operand, column, columnSpan, span } = part;
  const { value: name } = side(checking, operand);
  const { value: labels } = checkName(checking, column, columnSpan, undefined);
  if (name === undefined || labels === undefined) return undefined;
  const meaning = checking.scope.names.get(column);
  if (meaning?.kind !== 'attribute' || meaning.type !== 'labels' || name.kind !== 'text') {
    const message = `Found ${written(checking, span)}, expected a list in parentheses, or a label in a column of labels.`;
    const hint = "Write 'brand' IN campaign_labels, or campaign_name IN ('Shoes', 'Boots').";
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, message, hint);
    return undefined;
  }
  return { kind: 'labelled', negated, name: name.value, labels, span };
}

function like(checking: Checking, { negated, operand, pattern, span }: Of<'like'>): CheckedCondition | undefined {
  const { type, value } = side(checking, operand);
  if (type.kind === 'number') {
    const message = 'Found a number with LIKE, expected text such as campaign_name.';
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', operand.span, message);
    return undefined;
  }
  warnOfPattern(checking, pattern, span);
  if (value?.kind === 'clock') {
    const hint = "Write weekday = 'Monday', or weekday IN ('Saturday', 'Sunday').";
    refuse(checking, 'OPERATOR_FIELD_MISMATCH', span, 'Found a weekday with LIKE, expected =, != or IN.', hint);
  }
  return value && { kind: 'like', negated, operand: value, pattern, span };
}

function checkValue(checking: Checking, part: Expression, around: Around | undefined): Typed {
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
      return checkCall(checking, part, around);
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
    case 'in_column':
    case 'like':
    case 'null_test':
    case 'not':
    case 'logic':
      return { type: BOOLEAN, value: undefined };
    default:
      return unreachable(part);
  }
}

function checkNumber(checking: Checking, part: Expression, around: Around | undefined): Typed {
  const typed = checkValue(checking, part, around);
  if (typed.type.kind === 'number' || typed.type.kind === 'wrong') return typed;
  return refuse(checking, 'OPERATOR_FIELD_MISMATCH', part.span, `Found ${typeWords(typed.type)}, expected a number.`);
}

function checkWindowed(checking: Checking, { operand, over, span }: Of<'windowed'>): Typed {
  const isUsable = checkWindow(checking, over.window, over.span);
  const around: Around = { window: over.window, taken: false };
  const before = checking.diagnostics.length;
  const typed = checkValue(checking, operand, around);
  if (typed.type.kind === 'boolean') {
    const message = 'Found a window after a condition, expected it after a metric.';
    return refuse(
      checking,
      'BAD_WINDOW',
      span,
      message,
      'Write it after the metric, such as "clicks over 7 days >= 30".',
    );
  }
  if (!around.taken && checking.diagnostics.length === before) {
    const message = `Found no metric for the window in ${JSON.stringify(written(checking, operand.span))}.`;
    return refuse(checking, 'BAD_WINDOW', over.span, message, 'Attributes, budgets and numbers have no days.');
  }
  // The span includes the window, so that messages quote the whole value.
  return { type: typed.type, value: isUsable && typed.value ? { ...typed.value, span } : undefined };
}

function checkArithmetic(checking: Checking, part: Of<'arithmetic'>, around: Around | undefined): Typed {
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
  const sides = [
    { type: left.type, span: part.left.span },
    { type: right.type, span: part.right.span },
  ];
  const isSum = sign === '+' || sign === '-';
  const type = isSum ? alignAll(checking, span, sides) : productType(left.type, right.type, sign === '/');
  if (!left.value || !right.value) return { type, value: undefined };
  return { type, value: { kind: 'arithmetic', sign, left: left.value, right: right.value, span } };
}

/** Warns of `cost / clicks over previous 7 days`, which divides by the clicks of other days. */
function warnOfOtherDays(checking: Checking, part: Of<'arithmetic'>, days: Window | undefined): void {
  const { sign, left, right, span } = part;
  if (sign !== '/' || right.kind !== 'windowed' || right.span.end.offset !== right.over.span.end.offset) return;
  if (!days || windowWords(days) === windowWords(right.over.window)) return;
  const above = written(checking, left.span);
  const below = written(checking, right.operand.span);
  const over = written(checking, right.over.span);
  checking.diagnostics.push({
    code: 'MIXED_WINDOWS',
    severity: 'warning',
    span,
    message: `The window ${JSON.stringify(over)} applies only to ${below}, but ${above} has the window "${windowWords(days)}".`,
    hint: `To use the same days for both, write (${above} / ${below}) ${over}. To keep the current meaning, write ${above} / (${below} ${over}).`,
  });
}

const FUNCTIONS = [...DAY_MEASURES, 'coalesce'];

type Call = Of<'call'>;

function checkCall(checking: Checking, call: Call, around: Around | undefined): Typed {
  const name = call.name.toLowerCase();
  if (name === 'coalesce') return checkCoalesce(checking, call, around);
  const measure = DAY_MEASURES.find((one) => one === name);
  if (measure !== undefined) return checkOfDays(checking, call, measure, around);
  const hint =
    name === 'sum' || name === 'avg'
      ? 'A metric is already the sum over its days. For an average, divide it: clicks over 7 days / 7.'
      : (didYouMean(name, FUNCTIONS) ?? `Known functions: ${FUNCTIONS.join(', ')}.`);
  for (const value of call.values) checkValue(checking, value, around);
  return refuse(checking, 'BAD_FUNCTION', call.nameSpan, `Unknown function "${call.name}".`, hint);
}

function checkCoalesce(checking: Checking, call: Call, around: Around | undefined): Typed {
  const parts = call.values.map((value) => ({ span: value.span, ...checkValue(checking, value, around) }));
  if (parts.length < 2) {
    const message = `Found ${parts.length === 0 ? 'nothing' : 'one value'} in coalesce, expected at least two. It takes the first known value.`;
    return refuse(checking, 'BAD_FUNCTION', call.span, message, 'Write "coalesce(clicks, 0)".');
  }
  const type = alignAll(checking, call.span, parts);
  const values = parts.flatMap(({ value }) => value ?? []);
  if (values.length < parts.length) return { type, value: undefined };
  return { type, value: { kind: 'coalesce', values, span: call.span } };
}

/** `mean`, `deviation`, `median` and `mad` accept only the window `same weekday`. */
function checkOfDays(checking: Checking, call: Call, measure: DayMeasure, around: Around | undefined): Typed {
  const [only] = call.values;
  const named = only?.kind === 'windowed' ? only.operand : only;
  const own = only?.kind === 'windowed' ? only.over : undefined;
  if (around) around.taken = true;
  if (call.values.length !== 1 || named?.kind !== 'name') {
    for (const value of call.values) checkValue(checking, value, around);
    const message = `Found ${call.values.length === 1 ? 'a computed value' : `${call.values.length} values`} in ${measure}, expected one metric.`;
    return refuse(
      checking,
      'BAD_FUNCTION',
      call.span,
      message,
      `Write "${measure}(clicks) same weekday over 4 weeks".`,
    );
  }
  const meaning = checking.scope.names.get(named.name);
  if (meaning?.kind !== 'metric') {
    const before = checking.diagnostics.length;
    checkName(checking, named.name, named.span, around);
    if (checking.diagnostics.length > before) return WRONG_PART;
    const message = `Found "${named.name}" in ${measure}, expected a metric that can be summed, such as clicks.`;
    return refuse(checking, 'BAD_FUNCTION', named.span, message);
  }
  const isUsable = !own || checkWindow(checking, own.window, own.span);
  const window = own?.window ?? around?.window;
  if (!isUsable) return WRONG_PART;
  if (window?.kind !== 'same_weekday') {
    const message = `${NAMES[measure]} needs the same weekday of several weeks.`;
    const hint = `Write "${measure}(${named.name}) same weekday over 4 weeks".`;
    return refuse(checking, 'BAD_WINDOW', call.span, message, hint);
  }
  const least = DAYS_LEAST[measure];
  if (window.weeks < least) {
    const message = `${NAMES[measure]} needs ${least} days, but the same weekday over ${window.weeks} ${window.weeks === 1 ? 'week' : 'weeks'} gives ${window.weeks}.`;
    const hint = `Write "${measure}(${named.name}) same weekday over ${Math.max(4, least)} weeks".`;
    return refuse(checking, 'BAD_WINDOW', call.span, message, hint);
  }
  return checkMetric(checking, meaning, call.span, { window, taken: true }, measure);
}

const NAMES: Readonly<Record<DayMeasure, string>> = {
  mean: 'A mean',
  deviation: 'A deviation',
  median: 'A median',
  mad: 'A median distance',
};

const AMOUNT_HINT =
  'cost and budget are amounts. *_micros columns, clicks, impressions and percentages are plain numbers.';

function alignAll(
  checking: Checking,
  whole: Span,
  parts: readonly { readonly type: PartType; readonly span: Span }[],
): PartType {
  const types = parts.map(({ type }) => type);
  if (types.some(({ kind }) => kind === 'wrong')) return WRONG;
  const [first = WRONG] = types;
  const other = types.find(({ kind }) => kind !== first.kind);
  const condition = types.find(({ kind }) => kind === 'boolean');
  if (other || condition) {
    const message = condition
      ? 'Found a condition, expected a number or text.'
      : `Found ${typeWords(first)} and ${typeWords(other ?? first)}, expected two values of the same kind.`;
    return refuse(checking, 'OPERATOR_FIELD_MISMATCH', whole, message).type;
  }
  let together = parts[0];
  for (const part of parts.slice(1)) {
    if (together?.type.kind !== 'number' || part.type.kind !== 'number') continue;
    const one = together.type;
    const other = part.type;
    if (one.literal !== other.literal) {
      // A plain number gets the type of the other side: in `cost > 50`, 50 is an amount.
      const literal = one.literal ? together : part;
      const type = one.literal ? other : one;
      if (type.moneyPower !== 0 && !(one.literal ? one : other).zero) checking.amounts.push(literal.span);
      together = { type, span: part.span };
    } else if (one.moneyPower === other.moneyPower) {
      together = { type: { ...one, zero: one.zero && other.zero }, span: part.span };
    } else {
      const message = 'Found an amount of money and a plain number, expected two values of the same kind.';
      return refuse(checking, 'OPERATOR_FIELD_MISMATCH', whole, message, AMOUNT_HINT).type;
    }
  }
  return together?.type ?? WRONG;
}

function checkWeekdays(checking: Checking, sides: readonly CheckedValue[]): void {
  if (!sides.some((side) => side.kind === 'clock' && side.name === 'weekday')) return;
  for (const { kind, span } of sides) {
    if (kind !== 'text') continue;
    const found = written(checking, span);
    if (WEEKDAYS.some((day) => found.slice(1, -1) === day)) continue;
    const message = `Unknown weekday ${found}, expected a name from 'Monday' to 'Sunday'.`;
    refuse(checking, 'BAD_ENUM_CONSTANT', span, message, didYouMean(found.slice(1, -1), WEEKDAYS));
  }
}

/** Reports unknown constants, because such constants match no row. */
function checkConstants(checking: Checking, sides: readonly CheckedValue[]): void {
  const { fields } = checking.scope;
  const found = sides.flatMap((side) => (side.kind === 'attribute' ? (fields?.fieldOf(side.column) ?? []) : []));
  const [field] = found;
  if (field?.type !== 'ENUM' || field.repeated || found.length > 1) return;
  for (const side of sides) {
    // Rows can contain `UNKNOWN` and `UNSPECIFIED`, although the service may refuse these constants in a query.
    if (side.kind !== 'text' || isPlaceholderConstant(side.value)) continue;
    const literal = { kind: 'string', text: side.value, raw: written(checking, side.span), span: side.span } as const;
    checkConstant(literal, field, reportTo(checking.diagnostics));
  }
}
