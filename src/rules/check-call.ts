import { didYouMean } from '../gaql/check/suggest.ts';
import { alignAll } from './align-parts.ts';
import { checkMetric, checkName, meaningOf } from './check-name.ts';
import { checkWindow } from './check-window.ts';
import { DAY_MEASURES, type DayMeasure } from './checked-expression.ts';
import { type Around, type Checking, refuse, type Typed, WRONG_PART, written } from './checking.ts';
import { DAYS_LEAST } from './day-values.ts';
import type { Expression } from './expression.ts';

const FUNCTIONS = [...DAY_MEASURES, 'coalesce'];

type Call = Extract<Expression, { kind: 'call' }>;
/** How a value is checked: calls and values hold each other. */
type CheckValue = (checking: Checking, part: Expression, around: Around | undefined) => Typed;

/** `mean(x)`, `deviation(x)`, `median(x)`, `mad(x)`, `coalesce(a, b)`. */
export function checkCall(checking: Checking, call: Call, around: Around | undefined, checkValue: CheckValue): Typed {
  const name = call.name.toLowerCase();
  if (name === 'coalesce') return checkCoalesce(checking, call, around, checkValue);
  const measure = DAY_MEASURES.find((one) => one === name);
  if (measure !== undefined) return checkOfDays(checking, call, measure, around, checkValue);
  const hint =
    sumHint(checking, call, name, around) ?? didYouMean(name, FUNCTIONS) ?? `Functions are ${FUNCTIONS.join(', ')}.`;
  for (const value of call.values) checkValue(checking, value, around);
  return refuse(checking, 'BAD_FUNCTION', call.nameSpan, `There is no function "${call.name}".`, hint);
}

/** `SUM(clicks)` and `avg(clicks)`: what other languages write about days. */
function sumHint(checking: Checking, { values }: Call, name: string, around: Around | undefined): string | undefined {
  const [only] = values;
  if (only === undefined || values.length > 1) return undefined;
  const value = written(checking, only.span);
  if (name === 'sum') return `${value} already is the sum over its days.`;
  if (name !== 'avg' && name !== 'average') return undefined;
  const window = only.kind === 'windowed' ? only.over.window : (around?.window ?? checking.scope.over);
  if (window?.kind === 'same_weekday') return `Write mean(${value}).`;
  return `Divide: ${value} / ${window && 'days' in window ? window.days : 7}.`;
}

function checkCoalesce(checking: Checking, call: Call, around: Around | undefined, checkValue: CheckValue): Typed {
  const parts = call.values.map((value) => ({ span: value.span, ...checkValue(checking, value, around) }));
  if (parts.length < 2) {
    const message = `Found ${parts.length === 0 ? 'nothing' : 'one value'} in coalesce, expected two or more: the first that is known counts.`;
    return refuse(checking, 'BAD_FUNCTION', call.span, message, 'Write coalesce(clicks, 0).');
  }
  const type = alignAll(checking, call.span, parts);
  const values = parts.flatMap(({ value }) => value ?? []);
  if (values.length < parts.length) return { type, value: undefined };
  return { type, value: { kind: 'coalesce', values, span: call.span } };
}

/** Of one metric on the same weekdays: other days are one sum, which has no deviation. */
function checkOfDays(
  checking: Checking,
  call: Call,
  measure: DayMeasure,
  around: Around | undefined,
  checkValue: CheckValue,
): Typed {
  const [only] = call.values;
  const named = only?.kind === 'windowed' ? only.operand : only;
  const own = only?.kind === 'windowed' ? only.over : undefined;
  if (call.values.length !== 1 || named?.kind !== 'name') {
    if (around) around.taken = true;
    for (const value of call.values) checkValue(checking, value, around);
    const message = `Found ${call.values.length === 1 ? 'a computed value' : `${call.values.length} values`} in ${measure}, expected one metric.`;
    return refuse(checking, 'BAD_FUNCTION', call.span, message, `Write ${measure}(clicks) same weekday over 4 weeks.`);
  }
  const meaning = meaningOf(checking, named.name);
  if (meaning?.kind !== 'metric') {
    if (around) around.taken = true;
    const before = checking.diagnostics.length;
    checkName(checking, named.name, named.span, around);
    if (checking.diagnostics.length > before) return WRONG_PART;
    const message = `Found "${named.name}" in ${measure}, expected a metric that is added up, such as clicks.`;
    return refuse(checking, 'BAD_FUNCTION', named.span, message);
  }
  const isUsable = !own || checkWindow(checking, own.window, own.span);
  const window = own?.window ?? around?.window;
  if (around) around.taken = true;
  if (!isUsable) return WRONG_PART;
  if (window?.kind !== 'same_weekday') {
    const message = `${NAMES[measure]} is over the same weekday of some weeks.`;
    return refuse(
      checking,
      'BAD_WINDOW',
      call.span,
      message,
      `Write ${measure}(${named.name}) same weekday over 4 weeks.`,
    );
  }
  const least = DAYS_LEAST[measure];
  if (window.weeks < least) {
    const message = `${NAMES[measure]} needs ${least} days, and the same weekday over ${window.weeks} ${window.weeks === 1 ? 'week' : 'weeks'} is ${window.weeks}.`;
    const hint = `Write ${measure}(${named.name}) same weekday over ${Math.max(4, least)} weeks.`;
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
