import type { Span } from '../../../domain/diagnostic.ts';
import { unreachable } from '../../../domain/errors.ts';
import { formatDigitsRounded, formatMoneyRounded, MICROS_PER_UNIT } from '../../../domain/micros.ts';
import { outsideName } from '../../../domain/outside-text.ts';
import { compare, formatRational, type Rational, roundHalfAway } from '../../../domain/rational.ts';
import type { CheckedCondition, CheckedValue, MetricUse } from '../check/checked-expression.ts';
import type { TemplatePart, Written } from '../rule.ts';
import { readIn, withParts } from './collect-values.ts';
import { isNegative, type Truth, type Value } from './evaluate-condition.ts';
import type { WindowDays } from './resolve-window.ts';

export interface Findings {
  valueFor(tree: CheckedValue): Value;
  truthOf(tree: CheckedCondition): Truth;
  daysOf(use: MetricUse): WindowDays;
  /** Also a sum that no rule uses, because it is below zero. */
  sumOf(use: MetricUse): Rational | undefined;
  whyUnknown(use: MetricUse): string;
  hasLabel(name: string): boolean;
  readonly whyNoBudget: string;
  readonly currency: string | undefined;
}

/** Text such as `clicks (412) >= 30 AND cost / clicks (3.21) > 2.50`. */
export function explainCondition(when: Written<CheckedCondition>, findings: Findings): string {
  return explainer(when, findings)(when.tree);
}

/** Text such as `cost / clicks (3.21)`. */
export function explainValue({ tree, text }: Written<CheckedValue>, findings: Findings): string {
  return `${text} (${shown(tree, undefined, false, findings)})`;
}

export interface Clause {
  readonly text: string;
  /** The clause as its file has it. */
  readonly written: string;
  /** The values that it compares. */
  readonly values: readonly string[];
  readonly truth: Truth;
  readonly decided: boolean;
}

/** A side of AND or OR decided the result if the whole has the same truth. */
export function clausesOf(when: Written<CheckedCondition>, findings: Findings): Clause[] {
  const explain = explainer(when, findings);
  const walk = (part: CheckedCondition, decided: boolean): Clause[] => {
    const truth = findings.truthOf(part);
    if (part.kind === 'logic') {
      return [part.left, part.right].flatMap((side) => walk(side, decided && findings.truthOf(side) === truth));
    }
    if (part.kind === 'not' && (part.operand.kind === 'logic' || part.operand.kind === 'not')) {
      return walk(part.operand, decided);
    }
    const { start, end } = part.span;
    const written = when.text.slice(start.offset, end.offset);
    return [{ text: explain(part), written, values: valuesOf(part, when.text, findings), truth, decided }];
  };
  return walk(when.tree, true);
}

/** Numbers and texts that the file has are left out. */
function valuesOf(part: CheckedCondition, text: string, findings: Findings): string[] {
  const pairs: (readonly [CheckedValue, readonly CheckedValue[]])[] =
    part.kind === 'comparison'
      ? [
          [part.left, [part.right]],
          [part.right, [part.left]],
        ]
      : part.kind === 'between'
        ? [
            [part.operand, [part.low, part.high]],
            [part.low, [part.operand]],
            [part.high, [part.operand]],
          ]
        : 'operand' in part && part.kind !== 'not'
          ? [[part.operand, []]]
          : [];
  return pairs.flatMap(([one, others]) => {
    if (one.kind === 'number' || one.kind === 'text') return [];
    const inPercent = others.some((other) => other.kind === 'number' && text[other.span.end.offset - 1] === '%');
    return [shown(one, others[0], inPercent, findings)];
  });
}

function explainer({ text }: Written<CheckedCondition>, findings: Findings): (part: CheckedCondition) => string {
  const written = ({ start, end }: Pick<Span, 'start' | 'end'>) => text.slice(start.offset, end.offset);
  const rest = (part: CheckedCondition, after: CheckedValue) =>
    written({ start: after.span.end, end: part.span.end }).replace(/^[\s)]+/, ' ');
  const isPercent = (part: CheckedValue) => part.kind === 'number' && written(part.span).endsWith('%');
  const side = (part: CheckedValue, beside?: CheckedValue): string =>
    part.kind === 'number' || part.kind === 'text'
      ? written(part.span)
      : `${written(part.span)} (${shown(part, beside, beside !== undefined && isPercent(beside), findings)})`;
  const inner = (part: CheckedCondition, within: CheckedCondition): string => {
    const looser =
      part.kind === 'logic' && (within.kind === 'not' || (within.kind === 'logic' && within.sign !== part.sign));
    return looser ? `(${explain(part)})` : explain(part);
  };
  const explain = (part: CheckedCondition): string => {
    switch (part.kind) {
      case 'logic':
        return `${inner(part.left, part)} ${part.sign} ${inner(part.right, part)}`;
      case 'not':
        return `NOT ${inner(part.operand, part)}`;
      case 'comparison':
        return `${side(part.left, part.right)} ${part.sign} ${side(part.right, part.left)}`;
      case 'between': {
        const between = `${side(part.operand, [part.low, part.high].find(isPercent))}${part.negated ? ' NOT' : ''} BETWEEN`;
        return `${between} ${side(part.low, part.operand)} AND ${side(part.high, part.operand)}`;
      }
      case 'in':
        return `${side(part.operand, part.list.find(isPercent))}${part.negated ? ' NOT' : ''} IN (${part.list.map((item) => side(item)).join(', ')})`;
      case 'labelled':
        return `${written(part.span)}${findings.hasLabel(part.name) ? '' : ' (the account has no such label)'}`;
      case 'like':
      case 'null_test':
        return `${side(part.operand)}${rest(part, part.operand)}`;
      default:
        return unreachable(part);
    }
  };
  return explain;
}

export function renderTemplate(parts: readonly TemplatePart[], { valueFor, currency }: Findings): string {
  const render = (part: TemplatePart): string => {
    if (part.kind === 'text') return part.text;
    const value = valueFor(part.value);
    if (value === undefined) return 'unknown';
    if (typeof value === 'string') return outsideName(value);
    if (part.money) return formatMoneyRounded(microsOf(value), currency);
    return unitOf(part.value) === 'share' ? formatShare(value) : formatNumber(value);
  };
  return parts.map(render).join('');
}

function shown(tree: CheckedValue, beside: CheckedValue | undefined, inPercent: boolean, findings: Findings): string {
  const value = findings.valueFor(tree);
  if (value === undefined) {
    const reason = reasonOf(tree, findings);
    return reason === undefined ? 'unknown' : `unknown: ${reason}`;
  }
  if (typeof value === 'string') return `'${value}'`;
  const isMoney = unitOf(tree) === 'micros';
  const format = (number: typeof value) => {
    if (inPercent) return percentText(number, 2);
    return isMoney ? formatDigitsRounded(microsOf(number), findings.currency) : formatNumber(number);
  };
  const other = beside === undefined ? undefined : findings.valueFor(beside);
  if (typeof other !== 'object' || compare(value, other) === 0 || format(value) !== format(other)) return format(value);
  // Adds up to 24 decimals, so that two different values do not look equal.
  const precise = inPercent ? percentText : formatDecimal;
  const decimals = [6, 12, 18].find((count) => precise(value, count) !== precise(other, count));
  return precise(value, decimals ?? 24);
}

function reasonOf(tree: CheckedValue, findings: Findings): string | undefined {
  for (const part of withParts(tree)) {
    if (part.kind === 'metric' && findings.valueFor(part) === undefined) {
      const sum = findings.sumOf(part.metric);
      return isNegative(sum) ? belowZero(part, sum, findings) : findings.whyUnknown(part.metric);
    }
    if (part.kind === 'attribute' && findings.valueFor(part) === undefined) return `no ${part.column}`;
    if (part.kind === 'clock' && findings.valueFor(part) === undefined)
      return 'a day that is played as a whole has no hour';
    if (part.kind === 'budget' && findings.valueFor(part) === undefined) return findings.whyNoBudget;
    if (part.kind === 'arithmetic' && part.sign === '/') {
      for (const one of readIn(part)) {
        const value = findings.valueFor(one);
        if (isNegative(value)) return belowZero(one, value, findings);
      }
      const divisor = findings.valueFor(part.right);
      if (typeof divisor === 'object' && divisor.n === 0n) return 'division by zero';
    }
  }
  return undefined;
}

function belowZero(part: CheckedValue, value: Rational, { currency }: Findings): string {
  const isMoney = unitOf(part) === 'micros';
  return `${nameOf(part)} is ${isMoney ? formatDigitsRounded(microsOf(value), currency) : formatNumber(value)}, below zero`;
}

function nameOf(part: CheckedValue): string {
  if (part.kind === 'clock') return part.name;
  const column = part.kind === 'metric' ? part.metric.column : part.kind === 'attribute' ? part.column : part.kind;
  return unitOf(part) === 'micros' ? column.replace(/_micros$/, '') : column;
}

/** A `share` of 0.2 means 20%. */
export type NumberUnit = 'micros' | 'count' | 'share' | 'number';

/** The quotient of two amounts, two counts or two shares is a share. */
export function unitOf(tree: CheckedValue): NumberUnit {
  switch (tree.kind) {
    case 'metric':
      if (tree.metric.inMicros) return 'micros';
      return tree.metric.type === 'INT64' && tree.metric.measure === 'sum' ? 'count' : 'number';
    case 'attribute':
      return tree.inMicros ? 'micros' : 'count';
    case 'budget':
      return 'micros';
    case 'clock':
    case 'number':
    case 'text':
      return 'number';
    case 'negation':
      return unitOf(tree.operand);
    case 'by_weekday':
      return 'micros';
    case 'coalesce':
      return tree.values.map(unitOf).find((unit) => unit !== 'number') ?? 'number';
    case 'arithmetic': {
      const left = unitOf(tree.left);
      const right = unitOf(tree.right);
      if (tree.sign === '/') {
        if (left === right && left !== 'number') return 'share';
        return left === 'micros' ? 'micros' : 'number';
      }
      if (left === 'micros' || right === 'micros') return 'micros';
      return left === right ? left : 'number';
    }
    default:
      return unreachable(tree);
  }
}

/** Numbers between −1 and 1 get up to four decimals, because two decimals are too few for a rate. */
export function formatNumber(value: Rational): string {
  const isSmall = value.n < value.d && -value.n < value.d;
  return formatDecimal(value, isSmall ? 4 : 2);
}

function formatDecimal(value: Rational, decimals: number): string {
  const [units = '', fraction] = formatRational(value, decimals).split('.');
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Values from −1 to 1 become percentages. A larger ratio becomes a plain number such as "81.25". */
export function formatShare(value: Rational): string {
  const isShare = value.n <= value.d && -value.n <= value.d;
  return isShare ? percentText(value, 2) : formatNumber(value);
}

function percentText({ n, d }: Rational, decimals: number): string {
  return `${formatDecimal({ n: n * 100n, d }, decimals)}%`;
}

function microsOf({ n, d }: Rational): bigint {
  return roundHalfAway({ n: n * MICROS_PER_UNIT, d });
}
