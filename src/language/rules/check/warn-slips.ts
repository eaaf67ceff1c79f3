import type { Diagnostic, Span } from '../../../domain/diagnostic.ts';
import { compare, type Rational, rational } from '../../../domain/rational.ts';
import { MICROS } from '../../gaql/check/column.ts';
import { withParts } from '../evaluate/collect-values.ts';
import { type Window, windowText } from '../language/window.ts';
import type { CheckedValue, ClockName } from './checked-expression.ts';
import { type Checking, written } from './checking.ts';

const WHOLE = rational(1n);
/** A hundredth of a currency unit, in micros. */
const SMALL_MICROS = rational(10_000n);

const CLOCK_RANGES: { readonly [Name in ClockName]?: readonly [bigint, bigint] } = {
  hour: [0n, 23n],
  day_of_month: [1n, 31n],
  days_left: [1n, 31n],
};

const isBeyond = (value: Rational, [low, high]: readonly [bigint, bigint]): boolean =>
  compare(value, rational(low)) < 0 || compare(value, rational(high)) > 0;

export function warnOfUnits(checking: Checking, sides: readonly CheckedValue[], whole: Span): void {
  const literals = sides.flatMap((side) => literalOf(side) ?? []);
  for (const side of sides) {
    const words = written(checking, side.span);
    const range = side.kind === 'clock' ? CLOCK_RANGES[side.name] : undefined;
    const beyond = range && literals.find(({ value }) => isBeyond(value, range));
    if (range && beyond)
      warn(
        checking,
        beyond.tree,
        `${words} is a number of the clock`,
        `write a number from ${range[0]} to ${range[1]}`,
      );
    if (isShare(checking, side)) {
      const above = literals.find(({ value }) => compare(value, WHOLE) > 0);
      if (above) warn(checking, above.tree, `${words} is a share between 0 and 1`, percentFor(checking, above));
    } else if (isMicros(side)) {
      const small = literals.find(({ value }) => value.n > 0n && compare(value, SMALL_MICROS) < 0);
      const amounts = written(checking, whole).replaceAll(new RegExp(`${MICROS}\\b`, 'g'), '');
      if (small) warn(checking, small.tree, `${words} is in micros (millionths)`, `write ${amounts}`);
    }
  }
}

export function warnOfPattern(checking: Checking, pattern: string, span: Span): void {
  if (!pattern.includes('*') || pattern.includes('%')) return;
  const hint = `Write '${pattern.replaceAll('*', '%')}'.`;
  const message = 'In LIKE, % matches any text, but * matches only a star.';
  checking.diagnostics.push({ code: 'UNLIKELY_COMPARISON', severity: 'warning', span, message, hint });
}

interface Literal {
  readonly tree: CheckedValue;
  readonly value: Rational;
}

function literalOf(tree: CheckedValue): Literal | undefined {
  return tree.kind === 'number' ? { tree, value: tree.value } : undefined;
}

function warn(checking: Checking, { span }: CheckedValue, found: string, next: string): void {
  const message = `${found}, but the other side is ${written(checking, span)}.`;
  const hint = `${next.charAt(0).toUpperCase()}${next.slice(1)}.`;
  checking.diagnostics.push({ code: 'UNLIKELY_COMPARISON', severity: 'warning', span, message, hint });
}

function percentFor(checking: Checking, { tree, value }: Literal): string {
  const text = written(checking, tree.span);
  const isPercent = text.endsWith('%') || compare(value, rational(100n)) > 0;
  return isPercent ? 'write a percentage below 100%' : `write ${text}%`;
}

function isShare({ scope }: Checking, tree: CheckedValue): boolean {
  const ctr = scope.names.get('ctr');
  if (ctr?.kind !== 'quotient' || tree.kind !== 'arithmetic' || tree.sign !== '/') return false;
  const { left, right } = tree;
  if (left.kind !== 'metric' || right.kind !== 'metric') return false;
  const isSameDays = JSON.stringify(left.metric.window) === JSON.stringify(right.metric.window);
  return isSameDays && left.metric.column === ctr.dividend.column && right.metric.column === ctr.divisor.column;
}

function isMicros(tree: CheckedValue): boolean {
  if (tree.kind === 'metric') return !tree.metric.inMicros && tree.metric.column.endsWith(MICROS);
  if (tree.kind === 'attribute') return !tree.inMicros && tree.column.endsWith(MICROS);
  if (tree.kind !== 'arithmetic' || tree.sign !== '/') return false;
  return isMicros(tree.left) && tree.right.kind === 'metric' && !isMicros(tree.right) && !tree.right.metric.inMicros;
}

interface Terms {
  readonly sums: readonly { readonly days: Window; readonly span: Span }[];
  readonly budgets: readonly Span[];
  readonly scaled: boolean;
}

const NONE: Terms = { sums: [], budgets: [], scaled: false };

/** Warns if a sum over several days is compared with a budget for one day. */
export function mixedDays(sides: readonly CheckedValue[], span: Span, text: string): Diagnostic | undefined {
  const { sums, budgets, scaled } = together([...sides.map(termsOf), ...sharesOf(sides)]);
  const sum = sums[0];
  const budget = budgets[0];
  if (sum === undefined || budget === undefined || scaled) return undefined;
  return warning(sum, 'budget', span, text, `, or "${daysWord(sum.days)} * budget"`);
}

export function mixedDaysOfTarget(target: CheckedValue, text: string): Diagnostic | undefined {
  const { sums, scaled } = termsOf(target);
  const [sum] = sums;
  return sum === undefined || scaled ? undefined : warning(sum, 'a budget', target.span, text, '');
}

/** Warns if today counts an hour that the other days leave out. */
export function mixedHours(sides: readonly CheckedValue[], span: Span): Diagnostic | undefined {
  const windows = sides.flatMap(withParts).flatMap((part) => (part.kind === 'metric' ? part.metric.window : []));
  const isWhole = windows.some(({ kind, untilNow }) => kind === 'today' && untilNow !== true);
  if (!isWhole || !windows.some(({ untilNow }) => untilNow)) return undefined;
  return {
    code: 'MIXED_WINDOWS',
    severity: 'warning',
    span,
    message: 'The value of today includes the hour that has not ended, but "until now" leaves this hour out.',
    hint: 'Write "on today until now" after the metric of today.',
  };
}

function warning(
  { days, span: at }: Terms['sums'][number],
  budget: string,
  span: Span,
  text: string,
  otherwise: string,
): Diagnostic {
  const sum = text.slice(at.start.offset, at.end.offset);
  const isMonth = days.kind === 'month_to_date';
  const length = isMonth
    ? 'the month to date'
    : windowText(days.kind === 'previous' ? { ...days, kind: 'days' } : days);
  return {
    code: 'MIXED_DAYS',
    severity: 'warning',
    span,
    message: `${sum} covers ${length}, but ${budget} covers one day.`,
    hint: isMonth
      ? `Divide ${sum} by the number of days in the month to date.`
      : `Write "${sum} / ${daysWord(days)}"${otherwise}.`,
  };
}

const daysWord = (window: Window): string => String('days' in window ? window.days : 1);

function termsOf(value: CheckedValue): Terms {
  switch (value.kind) {
    case 'budget':
      return { ...NONE, budgets: [value.span] };
    case 'metric': {
      const { measure, window } = value.metric;
      const isOfDays = window.kind === 'month_to_date' || ('days' in window && window.days > 1);
      return measure === 'sum' && isOfDays ? { ...NONE, sums: [{ days: window, span: value.span }] } : NONE;
    }
    case 'negation':
      return termsOf(value.operand);
    case 'coalesce':
      return together(value.values.map(termsOf));
    case 'arithmetic': {
      const { sign, left, right } = value;
      if (sign === '+' || sign === '-') return together([termsOf(left), termsOf(right)]);
      if (isLiteral(right)) return scaledBy(termsOf(left), right);
      // The product or quotient of two values is not a sum over days.
      return sign === '*' && isLiteral(left) ? scaledBy(termsOf(right), left) : NONE;
    }
    default:
      return NONE;
  }
}

function sharesOf(sides: readonly CheckedValue[]): Terms[] {
  const rest = sides.filter((side) => !(side.kind === 'arithmetic' && side.sign === '/'));
  if (rest.length === sides.length || !rest.every((side) => isLiteral(side) && !hasDays(side))) return [];
  return sides.flatMap((side) =>
    side.kind === 'arithmetic' && side.sign === '/' ? [termsOf(side.left), termsOf(side.right)] : [],
  );
}

function together(terms: readonly Terms[]): Terms {
  return {
    sums: terms.flatMap(({ sums }) => sums),
    budgets: terms.flatMap(({ budgets }) => budgets),
    scaled: terms.some(({ scaled }) => scaled),
  };
}

function scaledBy(terms: Terms, by: CheckedValue): Terms {
  return hasDays(by) ? { ...terms, scaled: true } : terms;
}

const isLiteral = (value: CheckedValue): boolean =>
  withParts(value).every(({ kind }) => kind === 'number' || kind === 'arithmetic' || kind === 'negation');

/** A number of at least 2 could be a number of days. */
const hasDays = (value: CheckedValue): boolean =>
  withParts(value).some((part) => part.kind === 'number' && compare(part.value, rational(2n)) >= 0);
