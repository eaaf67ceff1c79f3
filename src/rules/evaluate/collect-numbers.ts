import { addDays, type CivilDate, type DateRange } from '../../domain/civil-date.ts';
import { exactText, type Rational, rational } from '../../domain/rational.ts';
import type { CheckedValue } from '../check/checked-expression.ts';
import type { PaceReading } from '../pacing/pace-reading.ts';
import type { Rule } from '../rule.ts';
import { sidesOfCondition, withParts } from './collect-values.ts';
import { type DecidedNumber, exactIn, unitOf } from './decided-number.ts';
import type { Findings } from './explain.ts';
import { rangesOf } from './resolve-window.ts';

/**
 * The values that the condition compares and the amount that the change sets, without constants; behind each the values it was
 * computed from. Each stands there once, in the order of the text.
 */
export function numbersOfRule({ when, change }: Pick<Rule, 'when' | 'change'>, findings: Findings): DecidedNumber[] {
  const numbers = [
    ...(when === undefined
      ? []
      : sidesOfCondition(when.tree).flatMap((side) => numbersOfSide(side, when.text, findings))),
    ...(change?.kind === 'to' ? numbersOfSide(change.value, change.text, findings) : []),
  ];
  // The same words mean another number over other days.
  return [...new Map(numbers.map((one) => [JSON.stringify([one.name, one.days]), one])).values()];
}

/** The amounts of a rule that paces, in micros; `PaceReading` says what they are. */
export function numbersOfPace(reading: PaceReading): DecidedNumber[] {
  const { today, month, newestSettled, current } = reading;
  const yesterday = addDays(today, -1);
  const open = newestSettled === undefined ? month.from : addDays(newestSettled, 1);
  return [
    amount('target', reading.target, [month]),
    amount('spent', reading.spent, rangeOf(month.from, addDays(open, -1))),
    amount('unsettled', reading.unsettled, rangeOf(open, yesterday)),
    amount('ideal', reading.idealToDate, rangeOf(month.from, yesterday)),
    amount('budgeted', reading.budgeted, [month]),
    amount('projected', reading.projected, [month]),
    amount('budget', rational(current), []),
  ];
}

function rangeOf(from: CivilDate, to: CivilDate): DateRange[] {
  return from <= to ? [{ from, to }] : [];
}

function amount(name: string, value: Rational, days: readonly DateRange[]): DecidedNumber {
  return { name, days, computed: false, value: exactText(value), unit: 'micros' };
}

function numbersOfSide(side: CheckedValue, text: string, findings: Findings): DecidedNumber[] {
  const read = readFor(side).map((part) => numberOf(part, text, findings, false));
  if (read.length === 0 || isRead(side)) return read;
  return [numberOf(side, text, findings, true), ...read];
}

function numberOf(part: CheckedValue, text: string, findings: Findings, computed: boolean): DecidedNumber {
  const windows = withParts(part).flatMap((one) => (one.kind === 'metric' ? [findings.daysOf(one.metric)] : []));
  const about = {
    name: text.slice(part.span.start.offset, part.span.end.offset),
    days: [...new Map(windows.flatMap(rangesOf).map((range) => [`${range.from} ${range.to}`, range])).values()],
    computed,
  };
  const value = findings.valueFor(part);
  if (value === undefined) return { ...about, value: null, unit: null };
  if (typeof value === 'string') return { ...about, value, unit: 'text' };
  const unit = unitOf(part);
  return { ...about, value: exactIn(unit, value), unit };
}

/** The parts of a value that are read, not computed. */
function readFor(tree: CheckedValue): CheckedValue[] {
  if (isRead(tree)) return [tree];
  switch (tree.kind) {
    case 'negation':
      return readFor(tree.operand);
    case 'arithmetic':
      return [tree.left, tree.right].flatMap(readFor);
    case 'coalesce':
      return tree.values.flatMap(readFor);
    default:
      return [];
  }
}

/** A name such as ctr counts as one number: both parts of its quotient stand at the same place of the text. */
function isRead(tree: CheckedValue): boolean {
  if (tree.kind === 'arithmetic') return tree.left.span.start.offset === tree.right.span.start.offset;
  return tree.kind === 'metric' || tree.kind === 'attribute' || tree.kind === 'budget';
}
