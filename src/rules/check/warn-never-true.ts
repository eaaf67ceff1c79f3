import type { Span } from '../../domain/diagnostic.ts';
import { compare, type Rational, rational } from '../../domain/rational.ts';
import { MICROS } from '../../gaql/check/column.ts';
import type { CheckedValue } from './checked-expression.ts';
import { type Checking, written } from './checking.ts';

const WHOLE = rational(1n);
/** Less than a cent of any currency. */
const SMALL_MICROS = rational(10_000n);

/** Warns of a share that is compared with more than 1, and of millionths that are compared with units. */
export function warnOfUnits(checking: Checking, sides: readonly CheckedValue[], whole: Span): void {
  const literals = sides.flatMap((side) => literalOf(side) ?? []);
  for (const side of sides) {
    const words = written(checking, side.span);
    if (isShare(checking, side)) {
      const above = literals.find(({ value }) => compare(value, WHOLE) > 0);
      if (above) warn(checking, above.tree, `${words} is a share between 0 and 1`, percentFor(checking, above));
    } else if (isMicros(side)) {
      const small = literals.find(({ value }) => value.n > 0n && compare(value, SMALL_MICROS) < 0);
      const amounts = written(checking, whole).replaceAll(new RegExp(`${MICROS}\\b`, 'g'), '');
      if (small) warn(checking, small.tree, `${words} counts millionths`, `write ${amounts}`);
    }
  }
}

/** In LIKE of other tools `*` is any text. */
export function warnOfPattern(checking: Checking, pattern: string, span: Span): void {
  if (!pattern.includes('*') || pattern.includes('%')) return;
  const hint = `Write '${pattern.replaceAll('*', '%')}'.`;
  const message = 'In LIKE, % is any text, and * is a star.';
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
  const message = `${found}, and this is ${written(checking, span)}.`;
  const hint = `${next.charAt(0).toUpperCase()}${next.slice(1)}.`;
  checking.diagnostics.push({ code: 'UNLIKELY_COMPARISON', severity: 'warning', span, message, hint });
}

function percentFor(checking: Checking, { tree, value }: Literal): string {
  const text = written(checking, tree.span);
  const isPercent = text.endsWith('%') || compare(value, rational(100n)) > 0;
  return isPercent ? 'write a percentage below 100%' : `write ${text}%`;
}

/** `ctr`, and the quotient that it is, over the same days. */
function isShare({ scope }: Checking, tree: CheckedValue): boolean {
  const ctr = scope.names.get('ctr');
  if (ctr?.kind !== 'quotient' || tree.kind !== 'arithmetic' || tree.sign !== '/') return false;
  const { left, right } = tree;
  if (left.kind !== 'metric' || right.kind !== 'metric') return false;
  const isSameDays = JSON.stringify(left.metric.window) === JSON.stringify(right.metric.window);
  return isSameDays && left.metric.column === ctr.dividend.column && right.metric.column === ctr.divisor.column;
}

/** Millionths themselves, or per click. */
function isMicros(tree: CheckedValue): boolean {
  if (tree.kind === 'metric') return !tree.metric.inMicros && tree.metric.column.endsWith(MICROS);
  if (tree.kind === 'attribute') return !tree.inMicros && tree.column.endsWith(MICROS);
  if (tree.kind !== 'arithmetic' || tree.sign !== '/') return false;
  return isMicros(tree.left) && tree.right.kind === 'metric' && !isMicros(tree.right) && !tree.right.metric.inMicros;
}
